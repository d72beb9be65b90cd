"""What an earlier version of the code has answered stays answered, for nothing."""

import json
import shutil

import pytest

from dalenius.ledger import Ledger
from tests.sql.earlier_answers.ledger import ANSWERS, BEFORE_NULL_KEYS, EMPTY_QUESTIONS, LEDGER, QUESTIONS, ask, session


@pytest.mark.parametrize(
    ("ledger", "answers", "questions"),
    [(LEDGER, ANSWERS, QUESTIONS), (*BEFORE_NULL_KEYS, EMPTY_QUESTIONS)],
    ids=["the first form", "before NULL was a key"],
)
def test_a_ledger_of_an_earlier_form_answers_its_questions_for_nothing(tmp_path, ledger, answers, questions):
    place = shutil.copy(ledger, tmp_path / "earlier.ledger")
    before = Ledger.open(place)
    remaining, entries = before.remaining("purchases"), len(before.entries("purchases"))
    before.verify()
    assert ask(place, questions) == json.loads(answers.read_text(encoding="utf-8"))
    after = Ledger.open(place)
    assert after.remaining("purchases") == remaining
    assert len(after.entries("purchases")) == entries
    after.verify()


@pytest.mark.parametrize(("terms", "query", "options"), [one for one in EMPTY_QUESTIONS if "MAX(n)" not in one[1]])
def test_a_question_that_nobody_has_asked_yet_has_its_row_of_null(tmp_path, terms, query, options):
    """Else the answers above would be those of today."""
    paid = {} if "within" in options else {"epsilon": "0.5"}
    answer = session(tmp_path / "new.ledger", terms).sql(query, **paid, **options)
    assert answer.to_arrow().column(0).null_count == 1
