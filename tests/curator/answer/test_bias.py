import json
import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator import Measured, Outcome, Shown
from dalenius.curator.answer.bias import NOTE, Bias, CutOff
from dalenius.curator.formula import Cell, Minus, Number, Plus, Ratio, Root, Times
from dalenius.mechanisms import Geometric
from dalenius.noise.lattice import INTEGERS

CUT = CutOff(0.1, 0.2, 0.5, columns=("rows",), whole=("people",))
CELLS = {"rows": np.array([800.0, 0.0, -80.0]), "people": np.array([50.0, 50.0, 50.0])}


def test_a_sum_that_lost_a_share_is_that_share_of_the_truth():
    """Of a true 1000, 800 are left: the bias is −200."""
    first, nothing, negative = CUT.bias(Cell("rows"), CELLS, 3)
    assert first.estimate == pytest.approx(-200)
    assert (first.low, first.high) == (pytest.approx(-800), pytest.approx(-800 / 9))
    assert nothing == Bias(0.0, 0.0, 0.0)
    assert negative.estimate == pytest.approx(20)


def test_what_lost_nothing_has_no_bias_and_constants_stay():
    made = Plus(Times(Number(Fraction(2)), Cell("rows")), Plus(Cell("people"), Number(Fraction(7))))
    assert CUT.bias(Cell("people"), CELLS, 3)[0] == Bias(0.0, 0.0, 0.0)
    assert CUT.bias(made, CELLS, 3)[0].estimate == pytest.approx(-400)


def test_the_bias_of_a_mean_holds_whatever_the_lost_rows_are():
    """All data sets of two means and a share, by enumeration: kept rows of mean m, lost ones of mean x, ρ lost."""
    cells = {"s": np.array([30.0]), "n": np.array([10.0])}
    cut = CutOff(0.0, 0.2, 0.25, columns=("s", "n"))
    (found,) = cut.bias(Ratio(Cell("s"), Cell("n"), Fraction(0), Fraction(8)), cells, 1)
    assert found.estimate == 0
    for rho in np.linspace(0, 0.25, 11):
        for lost in np.linspace(0, 8, 17):
            truth = (1 - rho) * 3 + rho * lost
            assert found.low - 1e-12 <= 3 - truth <= found.high + 1e-12
    assert (found.low, found.high) == (pytest.approx(-1.25), pytest.approx(0.75))


def test_a_mean_of_which_any_share_may_be_lost_is_held_by_its_bounds_and_open_to_no_side():
    """The same by enumeration where people may own rows unseen: no share and no lost mean leads outside."""
    cut = CutOff(0.0, 0.0, 0.0, columns=("s", "n"), unseen=3, beyond=8)
    cells = {"s": np.array([30.0]), "n": np.array([10.0])}
    (found,) = cut.bias(Ratio(Cell("s"), Cell("n"), Fraction(0), Fraction(8)), cells, 1)
    offs = [3 - ((1 - rho) * 3 + rho * lost) for rho in np.linspace(0, 1, 21) for lost in np.linspace(0, 8, 17)]
    assert (found.low, found.high) == (pytest.approx(min(offs)), pytest.approx(max(offs)))
    assert not found.at_least
    assert cut.bias(Cell("n"), cells, 1)[0].at_least


@pytest.mark.parametrize(
    "formula",
    [Root(Cell("rows")), Cell("values"), Minus(Cell("rows"), Cell("values")), Times(Cell("rows"), Cell("rows"))],
)
def test_nothing_is_said_of_what_the_share_does_not_speak_of(formula):
    cells = CELLS | {"values": np.array([1.0, 2.0, 3.0])}
    assert CUT.bias(formula, cells, 3) == (None, None, None)


def test_an_open_end_is_infinite_and_said_to_be_at_least():
    (found, *_) = CutOff(0.1, 0.2, 1.0, True, ("rows",)).bias(Cell("rows"), CELLS, 3)
    assert found.at_least
    assert found.low == -math.inf
    assert str(found) == "−88.89 or further"
    assert str(CutOff(0.1, 0.2, 1.0, True)) == "bounding cuts off at least 10 % of the rows, about 20 % (estimated)"
    assert str(CutOff(0.1, 0.1, 1.0, True)) == "bounding cuts off at least 10 % of the rows (estimated)"
    assert "20 people own more than 64 rows" in str(CutOff(0.1, 0.2, 0.3, unseen=20, beyond=64))


def test_an_outcome_keeps_it_through_json_and_tells_it_cell_by_cell():
    column = Measured("rows", (800, 8), INTEGERS, Geometric(Fraction(1)))
    outcome = Outcome((column,), notes={NOTE: CUT.to_dict()})
    again = Outcome.from_dict(json.loads(json.dumps(outcome.to_dict())))
    assert again.cut_off == CUT
    assert [round(one.estimate) for one in again.bias(Shown("n", Cell("rows")))] == [-200, -2]
    assert Outcome((column,)).bias(Shown("n", Cell("rows"))) == (None, None)


def test_people_who_may_be_unseen_make_every_sum_at_least_and_leave_no_end():
    """It said [0, 0] for certain where the histogram showed nobody who owns much, and a third was cut off."""
    cut = CutOff(0.0, 0.0, 0.0, columns=("rows",), unseen=1, beyond=8)
    assert (cut.at_least, cut.high) == (True, 1.0)
    assert CutOff.from_dict(cut.to_dict() | {"at_least": False, "shares": [0.0, 0.0, 0.0]}) == cut, "stored earlier"
    (found, *_) = cut.bias(Cell("rows"), CELLS, 3)
    assert (found.at_least, found.low, found.high) == (True, -math.inf, 0.0)
    assert str(found) == "0 or further"
    assert not CutOff(0.0, 0.0, 0.0, columns=("rows",)).at_least


def test_ends_of_a_bias_are_called_estimates():
    (found, *_) = CutOff(0.1, 0.2, 0.3, columns=("rows",)).bias(Cell("rows"), CELLS, 3)
    assert "estimates from" in str(found)
