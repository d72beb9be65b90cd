from fractions import Fraction

import numpy as np
import pytest

from dalenius.learning.data.weighted_rows import WeightedRows, clamped, shared_out


def test_no_row_weighs_more_than_the_largest():
    given = np.array([0.0, 1.0, 2.0, 5.0, -3.0, np.inf, -np.inf, np.nan, 1e-12])
    found = clamped(given, 2.0)
    assert found.tolist() == [0, 0.5, 1, 1, 0, 1, 0, 0, 0]
    assert np.all(clamped(np.random.default_rng(0).uniform(0, 3, 1000), 3.0) * 2**20 % 1 == 0)


@pytest.mark.parametrize("contributions", [1, 3, 1000])
def test_a_person_weighs_at_most_one_exactly(contributions):
    for rows in (1, 2, 3, 7, 999, 1001, 1 << 21):
        weights = shared_out(np.zeros(min(rows, 5), np.int64), np.array([rows]), contributions)
        assert sum(Fraction(w) for w in weights.tolist()) / len(weights) * rows <= 1
        expected = 1 / max(rows, contributions)
        assert weights == pytest.approx(np.full(len(weights), expected), abs=2.0**-20)


def test_rows_with_weights_cannot_be_read_without_them():
    made = WeightedRows(np.zeros((3, 1)), np.zeros(3), np.array([0.5, 0.5, 0.25]))
    assert not hasattr(made, "chunks")
    assert not hasattr(made, "__len__")
    assert made.total == 1
    assert repr(made) == "WeightedRows(private)"
