from fractions import Fraction

import pytest

from dalenius.errors import ServerUnavailable
from dalenius.guarantees import PureDP
from dalenius.remote.answers import RemoteExplanation, read_amount, read_release
from dalenius.server.answers import answer_json, explanation_json
from tests.remote.ways import Embedded


@pytest.fixture
def db(tmp_path):
    return Embedded(tmp_path).open("ann")


@pytest.mark.parametrize("answer", [{}, {"form": "answer"}, {"form": "answer", "release": 7}, {"form": "x"}])
def test_an_answer_of_another_form_is_refused_by_name(answer):
    with pytest.raises(ServerUnavailable, match="form"):
        read_release(answer)


def test_an_answer_comes_back_as_it_was(db):
    here = db.sql("SELECT ward, SUM(cost) AS s FROM visits GROUP BY ward", epsilon=1)
    assert read_release(answer_json(here)) == here


def test_an_explanation_comes_back_as_it_was_line_by_line(db):
    here = db.explain("SELECT AVG(cost) AS m, COUNT(*) AS n FROM visits", epsilon="1/3")
    there = RemoteExplanation.read(explanation_json(here) | {"known": False})
    assert there.lines == here.lines
    assert (str(there), there.to_dict(), there.unit) == (str(here), here.to_dict(), here.unit)
    assert there.guarantee == PureDP("1/3")  # what the ledger would charge


def test_a_budget_is_read_exactly():
    assert read_amount({"epsilon": "0.3", "delta": "0.000001"}).delta == Fraction(1, 10**6)
