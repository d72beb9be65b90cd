import itertools
import math
from collections import Counter
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.errors import InvalidParameter, MixedMetrics
from dalenius.guarantees import ApproxDP, PureDP
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.mechanisms import quantiles
from dalenius.mechanisms.quantiles import Quantiles, ordered
from dalenius.mechanisms.ranks import Ranks
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits
from dalenius.numerics import precision
from tests.contracts.selection_laws import violates
from tests.mechanisms.test_rank_choice import law
from tests.mechanisms.test_selection import NoBits
from tests.noise.fit import FALSE_ALARM, chi_square

QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
UNEVEN = (Fraction(1, 10), Fraction(1, 2))
ONE = Sensitivity(1, Metric.L1)
CELLS = 3
GRID = [Fraction(k, 4) for k in range(8)]


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


def tuples(rows, levels, scale, first=0, end=CELLS, low=Fraction(0), high=Fraction(1)):
    """Every output with its chance, by the definition: rows of the chosen cell go above."""
    if not levels:
        return {(): mp.mpf(1)}
    if first == end:
        return {(first,) * len(levels): mp.mpf(1)}
    at = len(levels) // 2
    alpha = (levels[at] - low) / (high - low)
    shifted = [cell - first for cell in rows]
    masses = law(shifted, [1] * len(rows), end - first, alpha * len(rows), scale)
    outputs = Counter()
    for cell, mass in enumerate(masses, first):
        under = [c for c in rows if c < cell]
        over = [c for c in rows if c >= cell]
        left = tuples(under, levels[:at], scale, first, cell, low, levels[at])
        right = tuples(over, levels[at + 1 :], scale, cell, end, levels[at], high)
        for (a, p), (b, q) in itertools.product(left.items(), right.items()):
            outputs[(*a, cell, *b)] += mass * p * q
    return outputs


def pairs(relation, most=3):
    for n in range(most + 1):
        for rows in itertools.combinations_with_replacement(range(CELLS), n):
            if relation is Relation.ADD_REMOVE:
                yield from ((rows, (*rows, cell)) for cell in range(CELLS))
            elif rows:
                yield from ((rows, (*rows[:at], c, *rows[at + 1 :])) for at in range(n) for c in range(CELLS))


def laws(first, second, levels):
    p, q = tuples(list(first), levels, 1), tuples(list(second), levels, 1)
    keys = sorted(set(p) | set(q))
    return [p[k] for k in keys], [q[k] for k in keys]


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("levels", [QUARTILES, UNEVEN], ids=["even", "uneven"])
def test_every_neighbor_of_every_small_data_set_is_within_the_guarantee(relation, levels):
    claim = Quantiles(1, levels, 0, 1, CELLS).guarantee(Ranks.sensitivity(1, relation), relation)
    for first, second in pairs(relation):
        assert not violates(*laws(first, second, levels), claim, [])


def test_paying_for_one_round_only_is_rejected():
    first, second = (1, 1, 2), (1, 1, 2, 2)
    claim = Quantiles(1, QUARTILES, 0, 1, CELLS).guarantee(ONE)
    assert not violates(*laws(first, second, QUARTILES), claim, GRID)
    assert violates(*laws(first, second, QUARTILES), PureDP(claim.budget / 2), [])


def test_the_add_remove_price_would_be_wrong_for_a_replaced_row():
    # it leaves one part of the second round and enters the other: both choices of that round tell
    first, second = (0, 1, 1, 2), (2, 1, 1, 2)
    mechanism = Quantiles(1, QUARTILES, 0, 1, CELLS)
    assert violates(*laws(first, second, QUARTILES), PureDP(mechanism.guarantee(ONE).budget), [])
    claim = mechanism.guarantee(Ranks.sensitivity(1, Relation.CHANGE_ONE), Relation.CHANGE_ONE)
    assert not violates(*laws(first, second, QUARTILES), claim, GRID)


def test_the_price_is_a_choice_a_round_and_twice_that_for_a_replaced_row():
    even = Quantiles(1, QUARTILES, 0, 1)
    assert even.rounds == (Fraction(1, 2), Fraction(1, 2))
    assert even.guarantee(ONE) == BoundedRange(1).repeat(2)
    replaced = even.guarantee(Ranks.sensitivity(1, Relation.CHANGE_ONE), Relation.CHANGE_ONE)
    assert replaced == BoundedRange(2, Relation.CHANGE_ONE).repeat(2)
    # 1/2 first, then 1/10 among the rows below it: relative level 1/5
    assert Quantiles(1, UNEVEN, 0, 1).rounds == (Fraction(1, 2), Fraction(4, 5))
    assert Quantiles(1, UNEVEN, 0, 1).guarantee(ONE).budget == 1 + 2 * Fraction(4, 5)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 100])
def test_there_are_as_many_rounds_as_halvings(count):
    levels = tuple(Fraction(k, count + 1) for k in range(1, count + 1))
    assert len(Quantiles(1, levels, 0, 1).rounds) == math.ceil(math.log2(count + 1))


def test_the_law_that_is_sampled_is_the_law_that_is_claimed_and_others_are_rejected():
    rows = [1] * 5
    mechanism, ranks = Quantiles(1, UNEVEN, 0, 1, CELLS), Ranks.of(rows, size=CELLS)
    drawn = Counter(tuple(mechanism.halved(ranks, Bits())) for _ in range(8_000))
    for scale, fits in ((Fraction(1), True), (Fraction(3, 4), False), (Fraction(5, 4), False)):
        truth = tuples(rows, UNEVEN, scale)
        assert set(drawn) <= set(truth)
        keys = sorted(truth)
        p_value = chi_square(np.array([drawn[k] for k in keys], float), np.array([float(truth[k]) for k in keys]))
        assert (p_value > FALSE_ALARM) is fits


@pytest.mark.parametrize("levels", [QUARTILES, UNEVEN], ids=["even", "uneven"])
def test_the_outputs_that_are_listed_are_the_definition(levels):
    rows = [0, 1, 1, 2, 2, 2]
    with precision(200):
        listed = Quantiles(1, levels, 0, 1, CELLS).outputs(Ranks.of(rows, size=CELLS))
        found = {cells: mp.mpf(mass.mid().str(50, radius=False)) for cells, mass in listed.items()}
    truth = tuples(rows, levels, 1)
    assert set(found) == set(truth)
    assert all(abs(found[cells] - truth[cells]) < mp.mpf(10) ** -40 for cells in truth)


def test_values_never_fall_and_lie_near_their_quantiles():
    rows = np.random.default_rng(3).integers(0, 1000, 20_000)
    mechanism = Quantiles(1, tuple(Fraction(k, 10) for k in range(1, 10)), 0, 1000, 1000)
    values = mechanism.release(Ranks.of(rows, size=1000), Bits())
    assert list(values) == sorted(values)
    for value, level in zip(values, mechanism.levels, strict=True):
        assert abs(float(value) - 1000 * float(level)) < 40


def test_ties_are_split_where_they_should_be():
    # nine rows in ten are equal: every decile but the first is that value, which dropping ties would lose
    rows = np.concatenate([np.full(18_000, 500), np.random.default_rng(4).integers(0, 500, 2_000)])
    levels = tuple(Fraction(k, 20) for k in range(3, 20))
    values = Quantiles(1, levels, 0, 1000, 1000).release(Ranks.of(rows, size=1000), Bits())
    assert set(values) == {Fraction(1001, 2)}


def test_weights_count():
    rows, weights = np.array([10, 90]), np.array([300 << 20, 700 << 20])
    mechanism = Quantiles(1 << 20, (Fraction(1, 10), Fraction(9, 10)), 0, 100, 100)
    assert mechanism.release(Ranks.of(rows, weights, size=100), Bits()) == (Fraction(21, 2), Fraction(181, 2))


def test_no_rows_and_one_cell_give_values():
    for size, rows in ((1, []), (1, [0, 0]), (5, []), (5, [-7, 9, 2**62])):
        values = Quantiles(1, QUARTILES, 0, 1, size).release(Ranks.of(rows, size=size), Bits())
        assert len(values) == 3
        assert list(values) == sorted(values)


def test_the_random_order_keeps_every_row_in_its_cell():
    spread = ordered(Ranks.of([3, 3, 9, -1], size=5), Bits())
    assert (spread.rows >> quantiles.DIGITS).tolist() == [3, 3, 4, 0]
    assert (spread.first, spread.end) == (0, 5 << 32)


def test_accuracy_adds_up_over_the_rounds():
    """Half of what the median misses by is carried over to a quartile, which misses by its own choice besides."""
    mechanism = Quantiles(3, QUARTILES, 0, 1, 2**10)
    each = 3 * (1.5 * math.log(2**42) + math.log(2 * 3 / 0.05))
    assert float(mechanism.accuracy("0.05")) == pytest.approx(each + 1.5, rel=1e-9)
    assert mechanism.accuracy("0.05", 7) - mechanism.accuracy("0.05") == 9


def targets(levels, errors, low=Fraction(0), high=Fraction(1), ends=(0, 1)):
    """Where each level aims, of 1 in all, if every choice misses its own aim by the error of its level."""
    if not levels:
        return {}
    at = len(levels) // 2
    level = levels[at]
    alpha = (level - low) / (high - low)
    aim = (1 - alpha) * ends[0] + alpha * ends[1]
    split = aim + errors[level]
    below = targets(levels[:at], errors, low, level, (ends[0], split))
    return below | {level: aim} | targets(levels[at + 1 :], errors, level, high, (split, ends[1]))


@pytest.mark.parametrize("levels", [QUARTILES, UNEVEN, tuple(Fraction(k, 8) for k in range(1, 8))])
def test_what_choices_miss_by_is_carried_over_as_stated(levels):
    """Each choice is moved alone, by exact fractions: what it moves a level's aim by is the weight that is stated."""
    mechanism = Quantiles(1, levels, 0, 1)
    for level, carried in zip(levels, mechanism.carried, strict=True):
        moved = [targets(levels, {one: Fraction(one == other) for one in levels})[level] - level for other in levels]
        assert sorted(filter(None, moved)) == sorted(carried)


@pytest.mark.theorem("A Thm 7.2")
@pytest.mark.parametrize("levels", [QUARTILES, UNEVEN])
@pytest.mark.parametrize("rows", [[2, 5, 6, 7, 8, 9, 11, 12, 13], [0, 1, 2, 3, 4, 5, 6, 7, 15], [0, 8, 9, 10, 15]])
def test_no_value_misses_by_more_than_is_told_by_enumeration(levels, rows):
    """The exact chance of a miss, at the bound of `candidates` for as many cells as there are: at most beta."""
    cells, scale, beta = 16, Fraction(1, 4), 0.1
    mechanism = Quantiles(scale, levels, 0, 1, cells)
    with precision(128):
        outputs = {cells: float(mass) for cells, mass in mechanism.outputs(Ranks.of(rows, size=cells)).items()}
    for place, (level, carried) in enumerate(zip(levels, mechanism.carried, strict=True)):
        share = 1 + float(sum(carried))
        many = cells**share / math.prod(1 - float(one) for one in carried)
        assert mechanism.candidates(place) == pytest.approx(many * 2.0 ** (32 * share), rel=1e-9)
        bound = float(scale) * math.log(many / beta) + share

        def miss(cell, level=level):
            below, upto = sum(row < cell for row in rows), sum(row <= cell for row in rows)
            return max(below - level * len(rows), level * len(rows) - upto, 0)

        missed = sum(mass for output, mass in outputs.items() if miss(output[place]) > bound)
        assert missed <= beta
        assert bound < len(rows)


def test_calibration_meets_the_target():
    for relation in Relation:
        sensitivity = Ranks.sensitivity(2, relation)
        mechanism = Quantiles(1, UNEVEN, 0, 1).calibrated(sensitivity, PureDP("1/3", relation))
        assert mechanism.guarantee(sensitivity, relation).budget == Fraction(1, 3)
    assert Quantiles.least(ONE, PureDP(1)).levels == QUARTILES
    approximate = Quantiles.least(ONE, ApproxDP(1, "1e-6"))
    assert approximate.guarantee(ONE).delta(1) <= 1e-6


def test_parameters_are_kept_exactly_and_stored():
    mechanism = Quantiles(0.1, (0.3, 0.7), -0.7, 2, 7)
    assert mechanism.levels == (Fraction(3, 10), Fraction(7, 10))
    assert Quantiles.from_facts(mechanism.facts()) == mechanism
    assert mechanism.scaled(2).scale == Fraction(1, 5)


@pytest.mark.parametrize("levels", [(), "1/2", (0.5, 0.5), (0.7, 0.3), (0.5, 1.5), (math.nan,)], ids=str)
def test_bad_levels_are_named(levels):
    with pytest.raises(InvalidParameter, match="level"):
        Quantiles(1, levels, 0, 1)


def test_wrong_calls_are_refused_before_any_draw():
    mechanism = Quantiles(1, QUARTILES, 0, 1, 8)
    with pytest.raises(InvalidParameter, match="8 declared cells"):
        mechanism.release(Ranks.of([1], size=9), NoBits())
    with pytest.raises(InvalidParameter, match="upper must lie above"):
        Quantiles(1, QUARTILES, 1, 0)
    with pytest.raises(MixedMetrics):
        mechanism.guarantee(Sensitivity(1, Metric.LINF))
    with pytest.raises(InvalidParameter, match="needs no noise"):
        Quantiles.least(Sensitivity(0, Metric.L1), PureDP(1))
