import pytest

from dalenius.errors import UnknownName
from dalenius.ledger.facts import GRANT, RecomputedFacts
from dalenius.ledger.requests import all_requests, decide, grant_of, open_request, request, use_grant


def asked(question):
    words = {"analyst": "ana", "epsilon_units": "100000000000", "delta_units": "0", "purpose": None, "time": "2026"}
    return words | {"text": None, "error": None, "question": question}


def test_an_approval_is_for_one_question_of_one_analyst_once():
    book = RecomputedFacts()
    question = {"fingerprint": "f", "guarantee": {}, "unit": None, "blocks": None}
    request(book, "people", asked(question), "id")
    with pytest.raises(UnknownName):
        open_request(book, "people", "other")
    with pytest.raises(UnknownName):
        open_request(book, "people", None)
    decide(book, "people", {"request": "id", "kind_of_answer": "approved"}, "h")
    ((name, id_),) = book.facts("people", GRANT)
    assert (id_, grant_of(book, "people", name.split()[0], "bo")) == ("id", None)
    charge = question | {"analyst": "ana", "request": "id"}
    use_grant(book, "people", name.split()[0], charge)
    with pytest.raises(ValueError, match="run already"):
        use_grant(book, "people", name.split()[0], charge)
    with pytest.raises(ValueError, match="once"):
        decide(book, "people", {"request": "id", "kind_of_answer": "declined"}, "h")
    (one,) = all_requests(book, "people")
    assert one.to_dict()["epsilon"] == "0.1"
    assert one.state == "approved"
