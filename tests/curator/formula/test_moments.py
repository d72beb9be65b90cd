from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dalenius.curator import formula as f
from tests.curator.formula.formulas import Box

places = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=12)
CELLS = [f.Cell(name) for name in ("n", "t", "s", "ts", "tt")]


def sums(pairs):
    t, s = (np.array(side) / 8 for side in zip(*pairs, strict=True))
    return {"n": len(pairs), "t": t.sum(), "s": s.sum(), "ts": (t * s).sum(), "tt": (t * t).sum()}


@given(places)
def test_covariance_and_variance_are_those_of_the_rows(pairs):
    n, t, s, ts, tt = CELLS
    cells = {name: np.array([float(value)]) for name, value in sums(pairs).items()}
    both = np.array(pairs, float) / 8
    assert abs(f.covariance(n, t, s, ts).value(cells)[0] - np.cov(both.T, bias=True)[0, 1]) < 1e-12
    assert abs(f.variance(n, t, tt).value(cells)[0] - both[:, 0].var()) < 1e-12
    assert abs(f.mean(t, n, Fraction(0), Fraction(1)).value(cells)[0] - both[:, 0].mean()) < 1e-12


@given(places, st.floats(0, 3), st.floats(-1, 1))
def test_the_ends_of_a_covariance_hold_what_any_sums_near_by_give(pairs, wide, inside):
    n, t, s, ts, _ = CELLS
    true = sums(pairs)
    shifted = {name: value + wide * inside for name, value in true.items()}
    box = Box({name: (np.array([value - wide]), np.array([value + wide])) for name, value in shifted.items()})
    low, high = f.covariance(n, t, s, ts).ends(box)
    both = np.array(pairs, float) / 8
    assert low[0] - 1e-9 <= np.cov(both.T, bias=True)[0, 1] <= high[0] + 1e-9


def test_nothing_has_no_covariance():
    n, t, s, ts, _ = CELLS
    cells = {name: np.array([0.0]) for name in ("n", "t", "s", "ts")}
    assert f.covariance(n, t, s, ts).value(cells)[0] == 0
