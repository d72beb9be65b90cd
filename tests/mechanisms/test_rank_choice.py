from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.mechanisms import rank_choice
from dalenius.mechanisms.rank_choice import RankChoice
from dalenius.mechanisms.ranks import Ranks
from dalenius.noise import Bits
from dalenius.numerics import precision
from tests.contracts.selection_laws import fifty_digits, number
from tests.noise.fit import FALSE_ALARM, chi_square
from tests.noise.seeded import ScriptedBits


@fifty_digits
def law(cells, weights, size, target, scale):
    """From the definition, cell by cell."""
    total = sum(weights)
    target = min(max(Fraction(target), Fraction(0)), Fraction(total))
    masses = []
    for j in range(size):
        below = sum(w for c, w in zip(cells, weights, strict=True) if c < j)
        upto = sum(w for c, w in zip(cells, weights, strict=True) if c <= j)
        masses.append(mp.exp(-number(max(Fraction(0), below - target, target - upto)) / number(scale)))
    return [mass / mp.fsum(masses) for mass in masses]


ROWS = ([2, 2, 2, 9, 4, 11, 0], [1, 3, 1, 2, 5, 1, 1])


@pytest.mark.parametrize(
    "target", [Fraction(0), Fraction(7), Fraction(20, 3), Fraction(14), Fraction(100), Fraction(-3)]
)
@pytest.mark.parametrize("scale", [Fraction(2), Fraction(1, 3), Fraction(10**6), Fraction(1, 10**4)])
def test_the_masses_are_the_definition(target, scale):
    choice = RankChoice(Ranks.of(*map(np.array, ROWS), size=12), target, scale)
    with mp.workdps(50), precision(256):
        found = [mp.mpf(mass.mid().str(60, radius=False)) for mass in choice.masses()]
        truth = law(*ROWS, 12, target, scale)
        assert all(abs(a - b) < mp.mpf(10) ** -40 for a, b in zip(found, truth, strict=True))


def test_the_law_that_is_sampled_is_the_law_that_is_claimed_and_others_are_rejected():
    choice = RankChoice(Ranks.of(*map(np.array, ROWS), size=12), Fraction(20, 3), Fraction(2))
    counts = np.bincount([choice.sample(Bits()) for _ in range(12_000)], minlength=12).astype(float)
    for scale, fits in ((Fraction(2), True), (Fraction(3, 2), False), (Fraction(5, 2), False)):
        truth = np.array([float(p) for p in law(*ROWS, 12, Fraction(20, 3), scale)])
        assert (chi_square(counts, truth) > FALSE_ALARM) is fits


def spread_out(size=2**20, rows=4000):
    """Rows over a wide grid, of which those about the median alone matter at this scale."""
    cells = np.random.default_rng(7).integers(0, size, rows)
    return RankChoice(Ranks.of(cells, size=size), Fraction(rows, 2), Fraction(1))


def test_far_cells_are_left_out_and_hold_next_to_nothing():
    choice = spread_out()
    first, last = choice._near()
    ranks = choice.ranks
    assert 0 < first < last < ranks.blocks
    for runs in (ranks.runs(0, first), ranks.runs(last, ranks.blocks)):
        with precision(128):
            assert sum(choice.weights(runs)) < 2.0**-82
    with precision(128):
        assert sum(choice.weights(ranks.runs(first, last))) > 1


def quantile_of_all(choice, digits, length):
    """The piece that U lies in, by the definition: near pieces first, then those before, then those behind."""
    first, last = choice._near()
    ranks = choice.ranks
    runs = ranks.runs(first, last) + ranks.runs(0, first) + ranks.runs(last, ranks.blocks)
    with mp.workdps(400):
        target, scale = number(choice.target), number(choice.scale)
        weights = [
            int(w) * mp.exp(-max(mp.mpf(0), int(b) - target, target - int(a)) / scale)
            for w, b, a in zip(runs.width, runs.below, runs.upto, strict=True)
        ]
        point, reached = mp.mpf(digits) / mp.mpf(2) ** length * mp.fsum(weights), mp.mpf(0)
        for at, weight in enumerate(weights):
            reached += weight
            if point < reached:
                return range(int(runs.start[at]), int(runs.start[at] + runs.width[at]))
    return None


@pytest.mark.parametrize("route", ["floats", "bounds", "everything"])
def test_every_route_finds_the_piece_that_the_uniform_number_lies_in(route, monkeypatch):
    if route != "floats":
        monkeypatch.setattr(RankChoice, "_by_floats", lambda *_: None)
    if route == "everything":
        monkeypatch.setattr(RankChoice, "_by_bounds", lambda *_: None)
    choice = spread_out(rows=600)
    for digits in [2**60, 2**63, 2**64 - 2**40, *(2**64 * k // 13 for k in range(1, 13))]:
        assert choice.sample(ScriptedBits(digits)) in quantile_of_all(choice, digits, 64)


def test_the_last_of_all_uniform_numbers_falls_beyond_what_is_near():
    choice = spread_out(rows=600)
    # 768 digits: the farthest pieces have some e^−300 of the whole, and fewer digits would leave open which it is
    cell = choice.sample(ScriptedBits(*[2**64 - 1] * 12))
    assert cell in quantile_of_all(choice, 2**768 - 1, 768)
    first, last = choice._near()
    assert not choice.ranks.edge(first) <= cell < choice.ranks.edge(last)


@pytest.mark.parametrize("side", [-1, 1])
def test_a_uniform_number_next_to_a_threshold_is_settled_by_fresh_digits(side):
    # two cells of equal weight: the threshold is 1/2
    choice = RankChoice(Ranks.of(np.array([], np.int64), size=2), Fraction(0), Fraction(1))
    assert choice.sample(Bits()) in (0, 1)
    one = RankChoice(Ranks.of(np.array([0, 1]), size=2), Fraction(1), Fraction(1))
    bits = ScriptedBits(2**63 - 1 if side < 0 else 2**63, 5)
    assert one.sample(bits) == (0 if side < 0 else 1)
    assert len(bits.seen) == 2


@pytest.mark.parametrize("rows", [np.array([], np.int64), np.zeros(1000, np.int64), np.arange(1000)])
@pytest.mark.parametrize("scale", [Fraction(1, 10**30), Fraction(1), Fraction(10) ** 300])
def test_ties_no_rows_and_extreme_scales_give_a_cell(rows, scale):
    choice = RankChoice(Ranks.of(rows, size=1000), Fraction(rows.size, 2), scale)
    assert 0 <= choice.sample(Bits()) < 1000


def test_with_little_noise_the_quantile_itself_is_chosen():
    for rows, target, cell in (([7] * 9, 4, 7), ([1, 5, 9], Fraction(3, 2), 5), ([1, 5, 9], Fraction(1, 2), 1)):
        assert RankChoice(Ranks.of(rows, size=2**20), Fraction(target), Fraction(1, 50)).sample(Bits()) == cell


def test_the_float_route_is_the_one_usually_taken():
    assert rank_choice._FINE_SCALE < 1
    bits = ScriptedBits()
    choice = spread_out()
    for _ in range(20):
        choice.sample(bits)
    assert len(bits.seen) == 20
