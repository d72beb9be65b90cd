import numpy as np
import pytest

from dalenius.synthesis.model.evidence import NoisyTable, NoisyTables
from dalenius.synthesis.model.mixture import Shape
from dalenius.synthesis.model.public_coins import PublicCoins

SHAPE = Shape((2, 3), (False, False))
PAIR = np.arange(6.0).reshape(2, 3, 1)
TABLES = NoisyTables(SHAPE, 1, [NoisyTable((0,), PAIR.sum(axis=1), 4.0), NoisyTable((0, 1), PAIR, 1.0)])


def test_rows_are_the_mean_of_all_looks_by_their_precision():
    first = NoisyTable((0,), np.array([[10.0], [20.0]]), 1.0)
    second = NoisyTable((1,), np.array([[10.0], [10.0], [20.0]]), 2.0)
    assert NoisyTables(SHAPE, 1, [first, second]).rows == pytest.approx((30 * 1 / 2 + 40 * 1 / 6) / (1 / 2 + 1 / 6))


def test_tables_are_laid_out_as_shares_with_their_precision():
    evidence = TABLES.evidence()
    assert evidence.pairs[0, 0:2, 2:5] == pytest.approx(PAIR[..., 0] / 15)
    assert evidence.pairs[0] == pytest.approx(evidence.pairs[0].T)
    assert evidence.pair_precision[0, 3] == 225
    assert evidence.pair_precision[0, 1] == 0
    assert evidence.one_precision.tolist() == [225 / 4, 225 / 4, 0, 0, 0]


def test_impossible_pairs_are_surer_than_any_noise():
    known = NoisyTables(SHAPE, 1, TABLES.tables, [(0, 1, ((1, 2),))]).evidence()
    assert known.pairs[0, 1, 4] == 0
    assert known.pair_precision[1, 4] > 50 * known.pair_precision[0, 4]


def test_thinned_tables_have_independent_noise_of_the_variance_they_state():
    """Y + cσZ and Y − σZ/c: with Y = σW, covariance σ²(1 − 1) = 0."""
    rng, size = np.random.default_rng(0), 40000
    noise = rng.normal(size=(200, 200, 1)) * 3
    tables = NoisyTables(Shape((200, 200), (False, False)), 1, [NoisyTable((0, 1), noise, 9.0)])
    first, second = (part.tables[0] for part in tables.thinned(PublicCoins("t")))
    for part in (first, second):
        assert part.cells.var() == pytest.approx(part.variance, rel=6.2 * np.sqrt(2 / size))
    correlation = np.corrcoef(first.cells.ravel(), second.cells.ravel())[0, 1]
    assert abs(correlation) < 6.2 / np.sqrt(size)
