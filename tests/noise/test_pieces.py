from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits
from dalenius.noise import pieces as module
from dalenius.noise.lazy import LazyUniform
from dalenius.noise.pieces import CELLS, Pieces
from dalenius.numerics import ball
from tests.noise.fit import FALSE_ALARM, chi_square
from tests.noise.seeded import ScriptedBits

RATES = [Fraction(0), Fraction(1, 7), Fraction(3, 2), Fraction(3), Fraction(20), Fraction(60)]


def exponentials(rates=RATES):
    return lambda: [(-ball(rate)).exp() for rate in rates]


def residual_sums(pieces: Pieces, rates=RATES) -> list[mpmath.mpf]:
    """C_0, C_1, … of the residual law, by mpmath at 120 digits."""
    with mpmath.workdps(120):
        masses = [mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator) for rate in rates]
        counts = np.bincount(pieces.cells[pieces.cells >= 0], minlength=pieces.size).tolist()
        rest, total, sums, reached = CELLS - sum(counts), sum(masses), [], mpmath.mpf(0)
        for mass, count in zip(masses, counts, strict=True):
            reached += (CELLS * mass / total - count) / rest
            sums.append(reached)
        return sums


def test_whole_cells_and_residual_add_up_to_the_law():
    pieces = Pieces(exponentials())
    with mpmath.workdps(120):
        masses = [mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator) for rate in RATES]
        counts = np.bincount(pieces.cells[pieces.cells >= 0], minlength=pieces.size)
        for mass, count in zip(masses, counts.tolist(), strict=True):
            share = CELLS * mass / sum(masses)
            assert count <= share < count + 1


def test_thresholds_are_the_floors_of_the_exact_sums():
    pieces = Pieces(exponentials())
    sums = residual_sums(pieces)
    with mpmath.workdps(120):
        for low, high, exact in zip(pieces._low.tolist(), pieces._high.tolist(), sums[:-1], strict=True):
            floor = min(int(mpmath.floor(exact * 2**64)), 2**64 - 1)
            assert low <= floor <= high
            assert high - low <= 1


@pytest.mark.parametrize("piece", range(len(RATES) - 1))
@pytest.mark.parametrize("offset", [-1, 0, 1])
@pytest.mark.parametrize("following", [0, 1, 2**63, 2**64 - 1, None])
def test_draws_next_to_a_threshold_agree_with_long_arithmetic(piece, offset, following):
    pieces = Pieces(exponentials())
    sums = residual_sums(pieces)
    with mpmath.workdps(120):
        exact = sums[piece] * 2**64
        digits = min(max(int(mpmath.floor(exact)) + offset, 0), 2**64 - 1)
        if following is None:  # the threshold's own next 64 digits, then their neighbor
            following = int(mpmath.floor((exact - mpmath.floor(exact)) * 2**64)) ^ 1
        source = ScriptedBits(following)
        got = pieces._settle(LazyUniform(source, digits, 64))
        uniform = mpmath.mpf(digits)
        for place, word in enumerate(source.seen, start=1):
            uniform += mpmath.mpf(word) / mpmath.mpf(2) ** (64 * place)
        assert got == sum(uniform / 2**64 >= limit for limit in sums[:-1])


def test_vector_and_threshold_paths_draw_the_same_law(monkeypatch):
    monkeypatch.setattr(module, "_whole_cells", lambda low, total_high: [0] * len(low))
    pieces = Pieces(exponentials(RATES[:4]))
    assert (pieces.cells == Pieces.RESIDUAL).all()  # every draw takes the second stage
    drawn = np.bincount(pieces.resolve(Bits(), pieces.cells[:1].repeat(500_000)), minlength=4).astype(float)
    law = np.exp([-float(rate) for rate in RATES[:4]])
    assert chi_square(drawn, law / law.sum()) > FALSE_ALARM
    wrong = law**1.25
    assert chi_square(drawn, wrong / wrong.sum()) < FALSE_ALARM


def test_equal_masses_leave_nothing_over():
    pieces = Pieces(lambda: [ball(1)] * 4)
    drawn = np.bincount(pieces.resolve(Bits(), pieces.cells), minlength=4)
    assert abs(drawn - CELLS / 4).max() <= 4  # at most one cell a piece goes to the second stage


def test_a_mass_far_below_the_last_digit_is_still_a_mass():
    tiny = Fraction(1, 2**300)
    pieces = Pieces(lambda: [ball(1), ball(tiny)])
    chance = tiny / (1 + tiny)
    # U is 1 − 2⁻⁶⁴ at first; the digits that follow decide, as they do in exact arithmetic
    residual = (CELLS * (1 - chance) - 65535) / 1
    for words, inside in (([2**64 - 1] * 5, True), ([2**64 - 1] * 3 + [0], False)):
        source = ScriptedBits(*words)
        got = pieces._settle(LazyUniform(source, 2**64 - 1, 64))
        uniform = Fraction(2**64 - 1, 2**64) + sum(Fraction(w, 2 ** (64 * (i + 2))) for i, w in enumerate(source.seen))
        assert (got == 1) == (uniform >= residual) == inside


@pytest.mark.parametrize("masses", [[], [1], [0, 0]])
def test_choices_without_two_pieces_or_mass_are_refused(masses):
    with pytest.raises(InvalidParameter):
        Pieces(lambda: [ball(mass) for mass in masses])
