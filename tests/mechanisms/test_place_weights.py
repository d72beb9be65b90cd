"""Rows that are spread when they are looked at are the rows that would have been spread at first."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.mechanisms import PlaceWeights, Quantiles, Ranks
from dalenius.mechanisms.place_weights import DIGITS
from dalenius.mechanisms.rank_choice import RankChoice
from dalenius.noise import Bits

QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))


def weights(random, size=40):
    places = np.sort(random.choice(size, int(random.integers(0, size)), replace=False))
    return PlaceWeights(places, random.integers(0, 60, places.size), 7, size)


def eager(held, spread):
    """The same rows in one list, all of them drawn."""
    rows, weighing = spread.shared.rows(0, held.end << DIGITS)
    return Ranks(rows, weighing, 0, held.end << DIGITS)


def expanded(ranks):
    """The weight below each edge that a row makes, whatever blocks there are."""
    runs = ranks.runs(0, ranks.blocks)
    occupied = runs.upto > runs.below
    return list(
        zip(runs.start[occupied].tolist(), runs.below[occupied].tolist(), runs.upto[occupied].tolist(), strict=True)
    )


def test_rows_weigh_what_their_places_weigh_and_none_more_than_a_row():
    random = np.random.default_rng(1)
    for _ in range(50):
        held = weights(random)
        rows, weighing = held.spread(Bits()).shared.rows(0, held.end << DIGITS)
        assert (np.diff(rows) >= 0).all()
        assert weighing.max(initial=0) <= 7
        by_place = np.bincount(rows >> DIGITS, weighing, minlength=held.end)
        assert by_place[held.places].tolist() == held.weights.tolist()
        assert by_place.sum() == held.weights.sum()


def test_every_part_has_the_ranks_of_a_table_whose_rows_were_all_spread_first():
    """Looked at late and in any order, a part tells what `Ranks` tells of the same rows."""
    random = np.random.default_rng(2)
    for _ in range(60):
        held = weights(random)
        spread = held.spread(Bits())
        parts = []
        for _ in range(4):
            first, end = sorted(random.integers(0, held.end << DIGITS, 2).tolist())
            if first < end:
                parts.append((first, end, spread.between(first, end)))
                parts[-1][2].total, expanded(parts[-1][2])
        all_rows = eager(held, spread)
        assert expanded(spread) == expanded(all_rows)
        for first, end, part in parts:
            other = all_rows.between(first, end)
            assert part.total == other.total
            assert expanded(part) == expanded(other)
            assert part.below[-1] == part.total == sum(upto - below for _, below, upto in expanded(part))


def test_a_choice_weighs_the_parts_as_it_would_weigh_those_of_all_rows():
    random = np.random.default_rng(3)
    held = weights(random)
    spread = held.spread(Bits())
    all_rows = eager(held, spread)
    for target in (0, 10, spread.total // 2, spread.total):
        sums = [
            [float(w.mid()) for w in choice.weights(ranks.runs(0, ranks.blocks)) if float(w.mid()) > 0]
            for ranks in (spread, all_rows)
            for choice in [RankChoice(ranks, Fraction(target), Fraction(3))]
        ]
        assert sum(sums[0]) == pytest.approx(sum(sums[1]), rel=1e-12)


def test_few_rows_are_drawn_of_many_and_each_once():
    """A million rows: the digits of those near a quartile are drawn, at most some thousands, and stay."""
    places = np.arange(1 << 12)
    held = PlaceWeights(places, np.full(places.size, 250), 1, places.size)
    spread = held.spread(Bits())
    mechanism = Quantiles(Fraction(2), QUARTILES, 0, 1, places.size)
    chosen = mechanism.halved(spread, Bits())
    drawn = spread.shared._rows.size
    assert 0 < drawn < 20_000
    before = spread.shared._rows.copy()
    spread.between(chosen[0], chosen[1]).runs(0, 1)
    assert set(before.tolist()) <= set(spread.shared._rows.tolist())


def test_quartiles_are_near_the_true_ones_whether_rows_are_spread_late_or_at_first():
    """n rows, scale s: each misses by less than 60 s but for e^−40; ties at one place are split in the middle too."""
    places, counts = np.array([3, 50, 51, 90]), np.array([1000, 100_000, 1, 1000])
    held = PlaceWeights(places, counts, 1, 100)
    values = Quantiles(Fraction(2), QUARTILES, 0, 100, 100).release(held, Bits())
    assert [int(value) for value in values] == [50, 50, 50]
    rows = Ranks.of(np.repeat(places, counts), size=100)
    assert [int(value) for value in Quantiles(Fraction(2), QUARTILES, 0, 100, 100).release(rows, Bits())] == [50] * 3


@pytest.mark.parametrize("level", [Fraction(1, 10), Fraction(2, 3)])
def test_the_split_through_ties_is_as_fine_as_the_digits(level):
    """All rows at one place: the chosen part of it holds the level up to noise, so the digits are uniform.

    Of 10⁵ rows the rank of a part at a share f lies within 5 % of f, but for 10⁻⁹ (a deviation of 30 spreads).
    """
    held = PlaceWeights(np.array([0]), np.array([100_000]), 1, 1)
    (cell,) = Quantiles(Fraction(2), (level,), 0, 1, 1).halved(held.spread(Bits()), Bits())
    assert cell / 2**DIGITS == pytest.approx(float(level), abs=0.05)
