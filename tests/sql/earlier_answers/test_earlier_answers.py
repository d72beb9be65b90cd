"""What an earlier version of the code has answered stays answered, for nothing."""

import json
import shutil

import pytest

from dalenius.ledger import Ledger
from tests.sql.earlier_answers.ledger import (
    ANSWERS,
    BEFORE_NULL_KEYS,
    CASE,
    DECLARED,
    EMPTY_QUESTIONS,
    LEDGER,
    QUESTIONS,
    ask,
    session,
)


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


def earlier_session(folder, terms=DECLARED):
    """The table beside a ledger from before NULL was a key."""
    return session(shutil.copy(BEFORE_NULL_KEYS[0], folder / "earlier.ledger"), terms)


@pytest.mark.parametrize(("terms", "query", "options"), [one for one in EMPTY_QUESTIONS if "MAX(n)" not in one[1]])
def test_what_is_drawn_again_has_its_row_of_null_and_is_the_answer_from_then_on(tmp_path, terms, query, options):
    db = earlier_session(tmp_path, terms)
    asked = {**({} if "within" in options else {"epsilon": "0.5"}), **options}
    assert db.sql(query, **asked).to_arrow().column(0).null_count == 0
    drawn = db.sql(query, **asked, fresh=True)
    assert drawn.to_arrow().column(0).null_count == 1
    left = db.budget
    assert db.sql(query, **asked).to_arrow() == drawn.to_arrow()
    assert db.budget == left


def test_a_statement_that_is_drawn_again_reads_the_row_of_null(tmp_path):
    db = earlier_session(tmp_path)
    text = f"WITH m AS ({CASE.format('COUNT(*) AS n')}) SELECT COUNT(*) AS groups FROM m"
    left = db.budget
    assert db.sql(text, epsilon="0.5").value == {"groups": (1,)}  # computed from what was answered to the SELECT alone
    assert db.budget == left
    assert db.sql(text, epsilon="0.5", fresh=True).value == {"groups": (2,)}
    assert db.budget.epsilon < left.epsilon
    assert db.sql(text, epsilon="0.5").value == {"groups": (2,)}


def test_an_answer_to_one_select_alone_does_not_shape_a_statement_of_two_that_is_paid_now(tmp_path):
    db = earlier_session(tmp_path)
    case = CASE.format("COUNT(*) AS n")
    left = db.budget
    text = f"WITH m AS ({case}), w AS (SELECT COUNT(*) AS n FROM purchases) SELECT COUNT(*) AS groups FROM m, w"
    assert db.sql(text, epsilon="1").value == {"groups": (2,)}
    assert db.budget.epsilon < left.epsilon


def test_rounds_have_a_row_of_null_though_their_price_in_all_has_bought_an_answer_without(tmp_path):
    db = earlier_session(tmp_path)
    query = CASE.format("COUNT(*) AS n")
    assert db.sql(query, epsilon="0.5").to_arrow().column(0).null_count == 0
    assert db.sql(query, within="20%", max_epsilon="0.5").to_arrow().column(0).null_count == 1
