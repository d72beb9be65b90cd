from datetime import date

import pyarrow as pa
import pytest

from dalenius.errors import InvalidParameter
from dalenius.ledger import Ledger
from dalenius.server.console.builder import ASKED, built, times
from dalenius.sql import connect


@pytest.fixture
def session(app):
    return app.state.served.catalog._tables["visits"]


@pytest.mark.parametrize("what", ASKED)
@pytest.mark.parametrize("by", ["", "ward"])
def test_every_question_that_can_be_picked_is_answered(session, what, by):
    if what == "share" and not by:
        return
    sql = built(session.policy, {"what": what, "column": "cost", "by": by})
    assert session.explain(sql, epsilon=1).cells == (2 if by else 1)


@pytest.mark.parametrize("what", ASKED)
@pytest.mark.parametrize(("by", "over", "cells"), [("", "quarter:day", 4), ("ward", "year:day", 2), ("ward", "", 2)])
def test_questions_over_time_are_answered(dated, what, by, over, cells):
    sql = built(dated.policy, {"what": what, "column": "cost", "by": by, "over": over})
    assert dated.explain(sql, epsilon=1).cells == cells


def test_times_are_columns_of_dates_with_bounds(dated, session):
    assert times(session.policy) == {}
    assert list(times(dated.policy))[:2] == ["year:day", "quarter:day"]


@pytest.fixture
def dated(tmp_path):
    days = [date(2026, month, 1) for month in range(1, 13)]
    visits = pa.table({"patient": ["p"] * 12, "ward": ["a", "b"] * 6, "cost": [1.0] * 12, "day": days})
    terms = {"keys": {"ward": ["a", "b"]}, "bounds": {"cost": (0, 9), "day": ("2026-01-01", "2026-12-31")}}
    ledger = Ledger.open(tmp_path / "dated.ledger")
    return connect(
        visits, table="visits", unit="patient", contributions=2, budget={"epsilon": 9}, ledger=ledger, **terms
    )


@pytest.mark.parametrize(
    "picked",
    [
        {"what": "share"},
        {"over": "hour:day"},
        {"over": "year:cost"},
        {"what": "mean"},
        {"what": "sum", "column": "ward"},
        {"by": "patient"},
        {"what": "x"},
    ],
)
def test_what_is_not_on_the_lists_is_refused(session, picked):
    with pytest.raises(InvalidParameter):
        built(session.policy, picked)
