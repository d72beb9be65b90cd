import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.errors import InvalidParameter, MixedMetrics
from dalenius.guarantees import ApproxDP, PureDP
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.mechanisms import calibrate
from dalenius.mechanisms.quantile import Quantile
from dalenius.mechanisms.ranks import Ranks
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits
from tests.contracts.selection_laws import fifty_digits, number, violates
from tests.mechanisms.test_rank_choice import law
from tests.mechanisms.test_selection import NoBits

ONE = Sensitivity(1, Metric.L1)
LEVELS = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10), Fraction(1)]
CELLS = 4
GRID = [Fraction(k, 10) for k in range(0, 21, 4)]


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


def data_sets(rows):
    """All multisets of at most that many rows."""
    return [list(d) for n in range(rows + 1) for d in itertools.combinations_with_replacement(range(CELLS), n)]


def neighbors(relation, rows=3):
    for data in data_sets(rows):
        if relation is Relation.ADD_REMOVE:
            yield from ((data, [*data, cell]) for cell in range(CELLS))
        elif data:
            yield from ((data, [*data[1:], cell]) for cell in range(CELLS))


def law_of(data, level, scale, shift=0, weights=None, size=CELLS):
    weights = weights or [1] * len(data)
    return law(data, weights, size, level * sum(weights) + shift, scale)


@fifty_digits
def loss_range(p, q):
    losses = [mp.log(a / b) for a, b in zip(p, q, strict=True)]
    return max(losses) - min(losses)


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("level", LEVELS, ids=str)
@pytest.mark.theorem("A §7.3.1 median utility", "A Alg 3", "A Alg 4")
def test_every_neighbor_of_every_small_data_set_is_within_the_range(relation, level):
    claim = Quantile(1, level, 0, 1, CELLS, 1).guarantee(Ranks.sensitivity(1, relation), relation)
    for shift, (first, second) in itertools.product((0, 1), neighbors(relation)):
        p, q = law_of(first, level, 1, shift), law_of(second, level, 1, shift)
        assert not violates(p, q, claim, [])
        assert loss_range(p, q) <= number(claim.budget) * (1 + mp.mpf(10) ** -30)


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize(("level", "shift"), [(0, 25), ("1/4", 0), ("1/2", 0), ("9/10", 0), (1, -25)])
@pytest.mark.theorem("A Alg 3")
def test_the_range_is_attained_on_larger_data_sets(relation, level, shift):
    cells, level = 16, Fraction(level)
    base = [cell for cell in range(cells) for _ in range(20)]
    claim = Quantile(1, level, 0, 1, cells, shift).guarantee(Ranks.sensitivity(1, relation), relation)
    kept = base if relation is Relation.ADD_REMOVE else base[1:]
    here = law_of(base, level, 1, shift, size=cells)
    widest = max(loss_range(here, law_of([*kept, c], level, 1, shift, size=cells)) for c in range(cells))
    assert abs(widest - number(claim.budget)) < mp.mpf(10) ** -30


@pytest.mark.parametrize("relation", list(Relation))
def test_the_profile_of_a_bounded_range_holds_for_every_neighbor(relation):
    level = Fraction(1, 2)
    claim = Quantile(1, level, 0, 1, CELLS).guarantee(Ranks.sensitivity(1, relation), relation)
    for first, second in neighbors(relation, 2):
        assert not violates(law_of(first, level, 1), law_of(second, level, 1), claim, GRID)


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("level", [Fraction(1, 2), Fraction(9, 10)], ids=str)
def test_weights_that_a_unit_shares_among_its_rows_are_within_the_range(relation, level):
    # a unit has at most weight 3, in one row or several; it is added, removed, or replaced by any other
    units = [[], [(0, 3)], [(3, 3)], [(0, 1), (3, 2)], [(1, 2)], [(0, 1), (1, 1), (2, 1)]]
    base = [(1, 2), (2, 3), (2, 1)]
    claim = Quantile(2, level, 0, 1, CELLS).guarantee(Ranks.sensitivity(3, relation), relation)
    pairs = [([], unit) for unit in units] if relation is Relation.ADD_REMOVE else itertools.combinations(units, 2)
    for old, new in pairs:
        laws = []
        for rows in (base + old, base + new):
            cells, weights = [c for c, _ in rows], [w for _, w in rows]
            laws.append(law_of(cells, level, 2, Fraction(7, 3), weights))
        assert not violates(*laws, claim, [])
        assert loss_range(*laws) <= number(claim.budget) * (1 + mp.mpf(10) ** -30)


@fifty_digits
def printed(data, level, epsilon, factor):
    """Alg. 4 over sorted data with end points: length · exp(−factor·ε·|i − αk|), told as one of eight cells."""
    points = [mp.mpf(0), *sorted(map(number, data)), mp.mpf(1)]
    edges = [number(Fraction(k, 8)) for k in range(9)]
    masses = []
    for low, high in itertools.pairwise(edges):
        masses.append(
            mp.fsum(
                max(mp.mpf(0), min(b, high) - max(a, low))
                * mp.exp(-factor * epsilon * abs(i - number(level) * len(data)))
                for i, (a, b) in enumerate(itertools.pairwise(points))
            )
        )
    return [mass / mp.fsum(masses) for mass in masses]


@pytest.mark.theorem("A Alg 4")
def test_the_printed_algorithm_is_rejected_and_the_corrected_one_is_not():
    # errata: printed exp(−ε|i − αk|) has a loss of nearly 2ε between data sets that differ in one value
    tiny = Fraction(1, 1000)
    spots = [tiny, Fraction(1, 8) - tiny, Fraction(1, 8) + tiny, 1 - tiny]
    caught = 0
    for data in itertools.combinations_with_replacement(spots, 3):
        for at, spot in itertools.product(range(3), spots):
            other = [*data[:at], spot, *data[at + 1 :]]
            pairs = [[printed(d, Fraction(1, 2), 1, factor) for d in (data, other)] for factor in (1, mp.mpf("0.5"))]
            caught += violates(*pairs[0], PureDP(1), [])
            assert not violates(*pairs[1], PureDP(1), [])
    assert caught > 0


def test_a_scale_without_the_half_is_rejected():
    # the same slip in this mechanism: scale Δ/ε in place of 2Δ/ε
    claim = PureDP(1, Relation.CHANGE_ONE)
    pairs = list(neighbors(Relation.CHANGE_ONE))
    assert any(violates(law_of(a, Fraction(1, 2), 1), law_of(b, Fraction(1, 2), 1), claim, []) for a, b in pairs)
    assert not any(violates(law_of(a, Fraction(1, 2), 2), law_of(b, Fraction(1, 2), 2), claim, []) for a, b in pairs)


def test_the_add_remove_price_would_be_wrong_under_change_one():
    level, claim = Fraction(1, 2), BoundedRange(1)
    pairs = neighbors(Relation.CHANGE_ONE)
    assert max(loss_range(law_of(a, level, 1), law_of(b, level, 1)) for a, b in pairs) > claim.budget


@pytest.mark.theorem("A Thm 7.2", "A Thm 7.6", "A Rem 7.2")
def test_accuracy_covers_and_a_twentieth_less_does_not():
    # worst case: one cell holds the quantile, all others miss it by the same weight
    beta, scale, cells = Fraction(1, 20), 10, 2**10
    mechanism = Quantile(scale, Fraction(1, 2), 0, 1, cells)
    radius = mechanism.accuracy(beta)
    assert float(radius) == pytest.approx(scale * math.log((cells - 1) * 19), rel=1e-12)
    for gap, covered in ((radius * Fraction(1001, 1000), True), (radius * Fraction(19, 20), False)):
        far = math.exp(-float(gap) / scale) * (cells - 1)
        assert (far / (1 + far) <= beta) is covered


def test_the_rank_misses_by_more_than_the_accuracy_as_rarely_as_said():
    # exact masses over a grid, no draw: P[d > r] ≤ beta on data of several shapes
    mechanism = Quantile(3, Fraction(1, 4), 0, 1, 64)
    radius = mechanism.accuracy(Fraction(1, 10))
    for rows in ([40] * 100, list(range(64)), [0] * 50 + [63] * 150):
        truth = law(rows, [1] * len(rows), 64, Fraction(len(rows), 4), 3)
        target, missed = Fraction(len(rows), 4), mp.mpf(0)
        for cell, mass in enumerate(truth):
            below, upto = sum(c < cell for c in rows), sum(c <= cell for c in rows)
            missed += mass * (max(0, below - target, target - upto) > radius)
        assert missed <= mp.mpf("0.1")


def test_a_release_is_the_middle_of_a_cell_near_the_quantile():
    rows = np.repeat(np.arange(1000), 50)
    mechanism = Quantile(2, Fraction(9, 10), -5, 5, 1000)
    value = mechanism.release(Ranks.of(rows, size=1000), Bits())
    assert (value + 5) * 100 % 1 == Fraction(1, 2)
    assert abs(value - 4) < Fraction(1, 20)  # 50 rows a cell: five cells are 125 scales


@pytest.mark.parametrize(("level", "shift", "end"), [(0, 200, 300), (1, -200, 700)])
def test_extreme_levels_with_a_shift_lie_next_to_the_extremes(level, shift, end):
    rows = np.repeat(np.arange(300, 701), 100)
    value = Quantile(2, level, 0, 1000, 1000, shift).release(Ranks.of(rows, size=1000), Bits())
    assert abs(value - end) <= 5


def test_a_shift_beyond_all_rows_still_gives_a_value():
    for shift in (10**9, -(10**9)):
        assert 0 < Quantile(1, Fraction(1, 2), 0, 1, 8, shift).release(Ranks.of([3], size=8), Bits()) < 1


def test_calibration_meets_the_target_exactly_at_every_level():
    assert calibrate(Quantile, ONE, epsilon=2).scale == Fraction(1, 2)
    for level, relation in itertools.product(LEVELS, Relation):
        sensitivity = Ranks.sensitivity(3, relation)
        wanted = PureDP(Fraction(1, 3), relation)
        mechanism = Quantile(1, level, -1, 1, 99).calibrated(sensitivity, wanted)
        assert mechanism.guarantee(sensitivity, relation) == BoundedRange(Fraction(1, 3), relation)
    approximate = Quantile(1, Fraction(1, 2), 0, 1).calibrated(ONE, ApproxDP(1, Fraction(1, 10**6)))
    assert approximate.guarantee(ONE).delta(1) <= 1e-6
    assert approximate.scaled(Fraction(99, 100)).guarantee(ONE).delta(1) > 1e-6


def test_parameters_are_kept_exactly_and_stored():
    mechanism = Quantile(0.1, 0.3, -0.7, 2, 7, "1/3")
    assert (mechanism.scale, mechanism.level, mechanism.lower) == (Fraction(1, 10), Fraction(3, 10), Fraction(-7, 10))
    assert Quantile.from_facts(mechanism.facts()) == mechanism
    assert mechanism.scaled(2).scale == Fraction(1, 5)


@pytest.mark.parametrize(
    "change",
    [
        {"scale": 0},
        {"level": -0.1},
        {"level": 1.1},
        {"level": math.nan},
        {"lower": 1, "upper": 0},
        {"lower": 1, "upper": 1},
        {"upper": math.inf},
        {"cells": 0},
        {"cells": 2**31},
        {"cells": 2.0},
        {"shift": math.nan},
    ],
    ids=str,
)
def test_bad_parameters_are_named(change):
    with pytest.raises(InvalidParameter):
        Quantile(**{"scale": 1, "level": Fraction(1, 2), "lower": 0, "upper": 1, "cells": 4} | change)


def test_wrong_calls_are_refused_before_any_draw():
    mechanism = Quantile(1, Fraction(1, 2), 0, 1, 8)
    with pytest.raises(InvalidParameter, match="8 declared cells"):
        mechanism.release(Ranks.of([1], size=9), NoBits())
    with pytest.raises(MixedMetrics):
        mechanism.guarantee(Sensitivity(1, Metric.LINF))
    for sensitivity in (Sensitivity(0, Metric.L1),):
        with pytest.raises(InvalidParameter, match="needs no noise"):
            Quantile.least(sensitivity, PureDP(1))
    for beta, releases in ((0, 1), (2, 1), (0.5, 0), (0.5, True)):
        with pytest.raises(InvalidParameter):
            mechanism.accuracy(beta, releases)
