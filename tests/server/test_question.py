import pytest
from pydantic import ValidationError

from dalenius.server.question import ServedQuestion


def test_a_term_that_nobody_knows_is_refused_instead_of_passed_over():
    with pytest.raises(ValidationError):
        ServedQuestion(sql="SELECT 1", epsilno=1)


def test_its_terms_are_those_of_a_session(ledger, app):
    import inspect

    from dalenius.sql import Session

    assert set(ServedQuestion(sql="x").terms()) <= set(inspect.signature(Session.sql).parameters)
    assert set(ServedQuestion(sql="x").terms()) <= set(inspect.signature(Session.explain).parameters)
    assert set(ServedQuestion(sql="x").terms()) <= set(inspect.signature(Session.known_answer).parameters)
