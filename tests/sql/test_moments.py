from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator.formula import Cell
from dalenius.sql.moments import MeasuredMoments, PairMoments
from tests.curator.formula.formulas import Box

X, Y = np.array([1.0, 2.0, 4.0, 7.0]), np.array([3.0, 3.0, 5.0, 6.0])
ENDS = (Fraction(0), Fraction(10))
PAIR = PairMoments(
    MeasuredMoments(ENDS, Cell("n"), Cell("y"), Cell("var y")),
    MeasuredMoments(ENDS, Cell("n"), Cell("x"), Cell("var x")),
    Cell("cov"),
)
CELLS = {
    **{"n": 4.0, "x": X.sum(), "y": Y.sum(), "var x": X.var(), "var y": Y.var()},
    "cov": np.cov(X, Y, bias=True)[0, 1],
}


def value(formula, **other):
    return formula.value({name: np.array([number]) for name, number in (CELLS | other).items()})[0]


def test_a_pair_gives_the_line_of_least_squares_and_the_correlation():
    slope, intercept = np.polyfit(X, Y, 1)
    assert value(PAIR.slope) == pytest.approx(slope)
    assert value(PAIR.intercept) == pytest.approx(intercept)
    assert value(PAIR.correlation) == pytest.approx(np.corrcoef(X, Y)[0, 1])
    assert value(PAIR.determination) == pytest.approx(np.corrcoef(X, Y)[0, 1] ** 2)
    assert value(PAIR.sample_covariance) == pytest.approx(np.cov(X, Y)[0, 1])
    assert value(PAIR.swapped.slope) == pytest.approx(np.polyfit(Y, X, 1)[0])
    assert value(PAIR.first.sample_variance) == pytest.approx(Y.var(ddof=1))
    assert value(PAIR.first.mean) == Y.mean()


def test_what_noise_leaves_without_a_variance_has_no_slope_and_a_single_row_no_covariance():
    assert np.isnan(value(PAIR.slope, **{"var x": 0.0}))
    assert np.isnan(value(PAIR.correlation, **{"var x": 0.0}))
    assert value(PAIR.sample_covariance, n=1.0) == 0
    assert value(PAIR.correlation, cov=1e9) == 1


def test_a_group_without_two_rows_has_no_sample_variance_and_no_end_to_it():
    """SQL's answer is NULL there, at any ε: the number that stands in for it is not told as if it were known."""
    narrow = {name: (Fraction(0), Fraction(1, 1000)) for name in ("n", "var x", "var y", "cov")}
    for formula in (PAIR.first.sample_variance, PAIR.sample_covariance):
        assert [end[0] for end in formula.ends(Box(narrow))] == [-np.inf, np.inf]
