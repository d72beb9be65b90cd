from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits
from dalenius.noise import bins as module
from dalenius.noise.bins import IntegerBins, RoundedBins, _one_minus_exp
from dalenius.noise.lazy import LazyUniform
from dalenius.noise.potential import LinearPotential, Quadratic
from tests.noise import fit
from tests.noise.seeded import ScriptedBits, SeededBits

SAMPLERS = {
    "integer-laplace": lambda: (IntegerBins(LinearPotential(Fraction(1, 1000)), 64), fit.discrete_laplace_cdf(1000.0)),
    "integer-gauss": lambda: (IntegerBins(Quadratic(Fraction(1, 2 * 1000**2)), 16), fit.discrete_gaussian_cdf(1000.0)),
    "rounded-laplace": lambda: (
        RoundedBins(LinearPotential(Fraction(1, 2 * 10_000)), 1024),
        fit.rounded_laplace_cdf(10_000.0),
    ),
    "rounded-gauss": lambda: (
        RoundedBins(Quadratic(Fraction(1, 8 * 10_000**2)), 256),
        fit.rounded_gaussian_cdf(10_000.0),
    ),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_all_pieces_together_are_the_law(name):
    sampler, cdf = SAMPLERS[name]()
    sample = sampler.draw(Bits(), 8_000_000)
    edges, law = fit.groups_of(cdf, -500_000, 500_000, 2000)
    assert fit.p_value(sample, edges, law) > fit.FALSE_ALARM


def places_p_value(sampler, cdf, batches=1) -> float:
    """Groups by the side and the place inside a bin, where wrong wedges show."""
    width = sampler._width // (2 if isinstance(sampler, RoundedBins) else 1)
    most = 8 if isinstance(sampler._potential, Quadratic) else 36
    reach = most * 1000 * (10 if isinstance(sampler, RoundedBins) else 1)

    def place(x: np.ndarray) -> np.ndarray:
        left = x < 0
        cell = np.where(left, -x if isinstance(sampler, RoundedBins) else ~x, x)
        return (cell % width) * 16 // width + 16 * left

    k = np.arange(-reach, reach + 1)
    law = np.bincount(place(k), weights=np.diff(np.concatenate([[0.0], cdf(k)])), minlength=32)
    counts = sum(np.bincount(place(sampler.draw(Bits(), 12_000_000)), minlength=32) for _ in range(batches))
    return fit.chi_square(counts.astype(float), law / law.sum())


@pytest.mark.parametrize("name", SAMPLERS)
def test_places_inside_a_bin_follow_the_law(name):
    assert places_p_value(*SAMPLERS[name]()) > fit.FALSE_ALARM


@pytest.mark.parametrize("name", SAMPLERS)
def test_wedges_that_keep_everything_are_noticed(monkeypatch, name):
    sampler, cdf = SAMPLERS[name]()
    monkeypatch.setattr(module.ProposalBins, "_accept", lambda self, bits, bin_, low, sign: np.ones(len(bin_), bool))
    assert places_p_value(sampler, cdf, batches=4) < fit.FALSE_ALARM


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_float_filter_and_the_exact_path_decide_alike(monkeypatch, name):
    sampler, _ = SAMPLERS[name]()
    shape = SeededBits(7)
    bin_ = (shape.words(np.uint32, 3000) % sampler._bins).astype(np.int64)
    low = (shape.words(np.uint32, 3000) % sampler._width).astype(np.int64)
    sign = -(shape.words(np.uint32, 3000) & 1).astype(np.int64)
    by_float = sampler._accept(SeededBits(8), bin_, low, sign)
    monkeypatch.setattr(module, "MARGIN", 2.0)  # now every wedge is settled by enclosures
    by_balls = sampler._accept(SeededBits(8), bin_, low, sign)
    assert (by_float == by_balls).all()
    assert 0.3 < by_float.mean() < 0.7


def chance_of(sampler, bin_: int, way: mpmath.mpf) -> mpmath.mpf:
    """(f(y) − f(right)) / (f(left) − f(right)), by mpmath."""
    rate = mpmath.mpf(sampler._potential.rate.numerator) / sampler._potential.rate.denominator
    power = 1 if isinstance(sampler._potential, LinearPotential) else 2

    def f(y):
        return mpmath.exp(-rate * y**power)

    left, right = mpmath.mpf(bin_ * sampler._width), mpmath.mpf((bin_ + 1) * sampler._width)
    return (f(left + way) - f(right)) / (f(left) - f(right))


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("bin_", [0, 1, 100, 300])
@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_wedges_next_to_their_boundary_agree_with_long_arithmetic(name, bin_, offset):
    sampler, _ = SAMPLERS[name]()
    real = isinstance(sampler, RoundedBins)
    with mpmath.workdps(80):
        for low, sign, inside in ((0, 0, 0.25), (3, -1, 0.5), (5, 0, 0.75), (sampler._width - 2, -1, 0.125)):
            way = mpmath.mpf(low) + (inside if real else -sign)
            digits = int(mpmath.floor(chance_of(sampler, bin_, way) * 2**64)) + offset
            if not 0 <= digits < 2**64:
                continue
            source = ScriptedBits()
            uniform = LazyUniform(source, digits, 64)
            got = sampler._settle(source, uniform, bin_, low, sign, inside)
            # what was drawn meanwhile: in turn a word for V and, where places are real, one for the place
            v, place = mpmath.mpf(digits) / 2**64, mpmath.mpf(inside)
            for turn, word in enumerate(source.seen):
                if not real:
                    v += mpmath.mpf(word) / mpmath.mpf(2) ** (64 * (turn + 2))
                elif turn % 2 == 0:
                    v += mpmath.mpf(word) / mpmath.mpf(2) ** (64 * (turn // 2 + 2))
                else:
                    place += mpmath.mpf(word) / mpmath.mpf(2) ** (32 + 64 * (turn // 2 + 1))
            exact = chance_of(sampler, bin_, mpmath.mpf(low) + (place if real else -sign))
            assert got == (v < exact)


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_tail_piece_continues_the_law(monkeypatch, name):
    monkeypatch.setattr(module, "_TAIL", 0.7)
    sampler, cdf = SAMPLERS[name]()
    sample = sampler.draw(Bits(), 20_000)
    edges, law = fit.groups_of(cdf, -500_000, 500_000, 40)
    assert fit.p_value(sample, edges, law) > fit.FALSE_ALARM


@pytest.mark.parametrize("name", SAMPLERS)
def test_one_draw_and_many_have_the_same_law(name):
    sampler, cdf = SAMPLERS[name]()
    source = Bits()
    edges, law = fit.groups_of(cdf, -500_000, 500_000, 100)
    singles = np.array([sampler.one(source) for _ in range(100_000)])
    assert fit.p_value(singles, edges, law) > fit.FALSE_ALARM


def test_the_polynomial_is_within_its_bound():
    x = np.concatenate([np.linspace(0, 0.125, 5001), 2.0 ** -np.arange(3, 200)])
    with mpmath.workdps(60):
        for value, near in zip(x.tolist(), _one_minus_exp(x).tolist(), strict=True):
            exact = -mpmath.expm1(-mpmath.mpf(value))
            assert abs(mpmath.mpf(near) - exact) <= exact * mpmath.mpf(2) ** -41


@pytest.mark.parametrize("width", [0, 1, 3, 1 << 48])
def test_widths_that_are_no_power_of_two_are_refused(width):
    with pytest.raises(InvalidParameter):
        IntegerBins(LinearPotential(Fraction(1, 1 << 60)), width)


def test_bins_too_wide_for_the_proof_are_refused():
    with pytest.raises(InvalidParameter, match="too wide"):
        IntegerBins(LinearPotential(Fraction(1, 100)), 64)


@pytest.mark.parametrize("units", ["128", "255", "12345678/1000", "1125899906842624"])
def test_the_chance_of_a_wedge_is_proved_on_the_narrowest_and_the_widest_bins(units):
    """Floats against mpmath at both ends of what is known of a place, the ends of bins among them: within 2⁻³¹."""
    scale = Fraction(units)
    width = 1 << int(2 * scale / 64).bit_length() - 1
    sampler = RoundedBins(Quadratic(1 / (8 * scale**2)), width)
    shape = SeededBits(11)
    bins = (shape.words(np.uint32, 200) % sampler._bins).astype(np.int64)
    low = (shape.words(np.uint64, 200) % width).astype(np.int64)
    inside = shape.words(np.uint32, 200).astype(np.int64)
    low[:40], low[40:80], inside[::5], inside[1::5] = 0, width - 1, 0, 2**32 - 1
    bins[::7], bins[1::7] = 0, sampler._bins - 1
    rise = sampler._potential.rise(bins.astype(np.float64) * width, low + inside * 2.0**-32)
    chance = 1.0 - _one_minus_exp(rise) / _one_minus_exp(sampler._steps[bins])
    with mpmath.workdps(60):
        rate = 1 / (8 * (mpmath.mpf(scale.numerator) / scale.denominator) ** 2)
        for at in range(200):
            start = mpmath.mpf(int(bins[at])) * width
            drop = mpmath.expm1(-rate * width * (2 * start + width))
            for more in (0, 1):
                way = int(low[at]) + mpmath.mpf(int(inside[at]) + more) / 2**32
                exact = 1 - mpmath.expm1(-rate * way * (2 * start + way)) / drop
                assert abs(exact - mpmath.mpf(float(chance[at]))) < mpmath.mpf(2) ** -31
    assert module.MARGIN == 2.0**-30
