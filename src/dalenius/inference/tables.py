"""Tests of a table of noisy counts, whose null law is simulated with the mechanism inside."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import binom

from dalenius.calls import named_arguments
from dalenius.curator import Release
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.arguments import noisy_numbers, privacy_of
from dalenius.inference.combine import project
from dalenius.inference.noise import Floats, ReleaseNoise
from dalenius.inference.result import HypothesisTest
from dalenius.inference.sampling import check_one_draw
from dalenius.noise import Bits
from dalenius.numerics import Number, probability

_Statistic = Callable[[Floats], Floats]


@named_arguments
def test_independence(table: Release, *, draws: int = 999, bits: Bits | None = None) -> HypothesisTest:
    """Test that two keys of a table of counts are independent of each other.

    table: a release of the counts of every pair of two public keys, such as GROUP BY ward, outcome.
    draws: how many tables are simulated under the hypothesis.
    bits: where their randomness comes from.

    Σ(Y − E)²/(E + v), E from the noisy margins and v the variance of the noise, compared with what tables of the same
    margins give when they are drawn independently and get the same noise  [GLRV16]. A χ² test that takes the noise for
    people rejects far too often.
    """
    counts, noise = _two_way(table)
    return _simulated(
        counts,
        noise,
        _chi_square(noise.variance),
        "the two keys are independent",
        "χ² of a noisy table, null simulated with the mechanism inside",
        privacy_of(table),
        draws,
        bits,
    )


@named_arguments
def test_ranks(table: Release, *, draws: int = 999, bits: Bits | None = None) -> HypothesisTest:
    """Test that the groups of a table have the same law on an ordered key: Kruskal and Wallis, for two Mann–Whitney.

    table: a release of counts by two public keys: the groups, then the ordered values or bins in their order.
    draws, bits: as for `test_independence`.

    The mean rank of each group, from the noisy counts, compared with what the same margins give under the hypothesis,
    noise included.
    """
    counts, noise = _two_way(table)
    return _simulated(
        counts,
        noise,
        _rank_spread,
        "all groups have the same law of ranks",
        "Kruskal–Wallis on a noisy table, null simulated with the mechanism inside",
        privacy_of(table),
        draws,
        bits,
    )


@named_arguments
def test_fit(
    release: Release, shares: Sequence[Number], *, draws: int = 999, bits: Bits | None = None
) -> HypothesisTest:
    """Test that the counts of all keys have given shares.

    release: a release of the counts of every public key.
    shares: the shares under the hypothesis, in the order of the keys.
    draws, bits: as for `test_independence`.
    """
    check_one_draw(release)
    numbers = noisy_numbers(release, None, "a test of fit")
    given = np.array([float(probability(share, "shares")) for share in shares])
    if given.size != len(numbers) or abs(given.sum() - 1) > 1e-9:
        raise InvalidParameter("there must be one share for each key, and they must add up to 1")
    counts, noise = np.array([number.value for number in numbers]), numbers[0].noise
    size = max(0, round(float(counts.sum())))

    def statistic(tables: Floats) -> Floats:
        expected = np.maximum(tables.sum(axis=1, keepdims=True), 0.0) * given
        return np.asarray(((tables - expected) ** 2 / (expected + noise.variance)).sum(axis=1))

    source = bits or Bits()
    null = _multinomial(size, given, draws, source) + _noise(noise, (draws, given.size), source)
    return _test_of(
        statistic(counts[None, :])[0],
        statistic(null),
        "the keys have the given shares",
        "χ² of fit, null simulated with the mechanism inside",
        privacy_of(release),
    )


for _function in (test_independence, test_ranks, test_fit):
    setattr(_function, "__test__", False)  # noqa: B010  # functions of ours, not tests of pytest's


def _two_way(table: Release) -> tuple[Floats, ReleaseNoise]:
    check_one_draw(table)
    keys = table.outcome.keys
    if keys is None or len(keys.columns) != 2:
        raise UnprovenClaim("the test needs the counts of every pair of two public keys: GROUP BY both")
    numbers = noisy_numbers(table, None, "a test of a table")
    rows = [keys.rows[row] for row in table.outcome.rows().tolist()]
    first, second = (list(dict.fromkeys(row[place] for row in rows)) for place in (0, 1))
    if len(rows) != len(first) * len(second) or min(len(first), len(second)) < 2:
        raise UnprovenClaim("the test needs a whole table, of two rows and two columns or more")
    counts = np.zeros((len(first), len(second)))
    for row, number in zip(rows, numbers, strict=True):
        counts[first.index(row[0]), second.index(row[1])] = number.value
    return counts, numbers[0].noise


def _simulated(
    counts: Floats,
    noise: ReleaseNoise,
    statistic: _Statistic,
    hypothesis: str,
    method: str,
    privacy: str,
    draws: int,
    bits: Bits | None,
) -> HypothesisTest:
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 19:
        raise InvalidParameter(f"draws must be a whole number ≥ 19, got {draws!r}")
    source = bits or Bits()
    size = max(0, round(float(counts.sum())))
    rows, columns = (_shares(counts.sum(axis=axis)) for axis in (1, 0))
    chances = np.outer(rows, columns).ravel()
    people = _multinomial(size, chances, draws, source)
    null = (people + _noise(noise, people.shape, source)).reshape(draws, *counts.shape)
    return _test_of(statistic(counts[None, ...])[0], statistic(null), hypothesis, method, privacy)


def _test_of(observed: float, null: Floats, hypothesis: str, method: str, privacy: str) -> HypothesisTest:
    """The rank of the observed statistic among simulated ones, itself counted  [BC89]."""
    p_value = (1 + int(np.count_nonzero(null >= observed))) / (1 + null.size)
    return HypothesisTest(p_value, float(observed), hypothesis, "any other law", method, "simulated", privacy)


def _shares(margin: Floats) -> Floats:
    """A noisy margin as chances that are not below 0 and add up to 1."""
    held = project(margin.tolist(), max(1.0, float(margin.sum())))
    return np.asarray(held / held.sum())


def _multinomial(size: int, chances: Floats, draws: int, bits: Bits) -> Floats:
    """Draws of a multinomial law, cell by cell: what is left is shared between this cell and the later ones."""
    left, rest = np.full(draws, float(size)), 1.0
    cells = []
    for chance in chances[:-1]:
        p = min(1.0, max(0.0, chance / rest)) if rest > 0 else 0.0
        cell = binom.ppf(uniform(bits, draws), left, p) if 0 < p < 1 else left * p
        cell = np.where(left > 0, np.maximum(cell, 0.0), 0.0)
        cells.append(cell)
        left, rest = left - cell, rest - chance
    return np.stack([*cells, left], axis=1)


def uniform(bits: Bits, size: int) -> Floats:
    """Numbers in (0, 1), uniform to 53 digits."""
    return np.asarray((bits.words(np.uint64, size) >> np.uint64(11)) * 2.0**-53 + 2.0**-54)


def _noise(noise: ReleaseNoise, shape: tuple[int, ...], bits: Bits) -> Floats:
    return noise.draw(bits, int(np.prod(shape))).reshape(shape)


def _chi_square(v: float) -> _Statistic:
    def statistic(tables: Floats) -> Floats:
        rows, columns = (np.maximum(tables.sum(axis=axis, keepdims=True), 0.0) for axis in (2, 1))
        total = np.maximum(tables.sum(axis=(1, 2), keepdims=True), 1.0)
        expected = rows * columns / total
        return np.asarray(((tables - expected) ** 2 / (expected + v)).sum(axis=(1, 2)))

    return statistic


def _rank_spread(tables: Floats) -> Floats:
    """Σ n(mean rank − overall mean)² over groups, from counts held at 0 or above."""
    held: Any = np.maximum(tables, 0.0)
    columns = held.sum(axis=1)
    ranks = np.cumsum(columns, axis=1) - columns / 2
    sizes = held.sum(axis=2)
    means = (held * ranks[:, None, :]).sum(axis=2) / np.maximum(sizes, 1.0)
    overall = columns.sum(axis=1)[:, None] / 2
    scale = np.maximum(columns.sum(axis=1), 1.0) ** 2
    return np.asarray((sizes * (means - overall) ** 2).sum(axis=1) / scale)
