import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dalenius.noise import Bits, Lattice, RoundedGaussian
from dalenius.noise import atoms as module
from dalenius.noise.atoms import Atoms, RoundedAtoms, geometric
from dalenius.noise.lazy import LazyUniform
from dalenius.noise.potential import LinearPotential, Quadratic
from tests.noise import fit
from tests.noise.seeded import ScriptedBits


@pytest.mark.parametrize("length", [0.01, 0.5, 2.0])
def test_the_tail_piece_continues_the_law(monkeypatch, length):
    """With the tail moved to where most draws fall, the law stays what it is."""
    monkeypatch.setattr(module, "_TAIL", length)
    source = Bits()
    for potential, cdf in (
        (LinearPotential(Fraction(1, 6)), fit.discrete_laplace_cdf(6.0)),
        (Quadratic(Fraction(1, 72)), fit.discrete_gaussian_cdf(6.0)),
    ):
        sample = Atoms(potential).draw(source, 8_000)
        edges, law = fit.groups_of(cdf, -60, 60, 50)
        assert fit.p_value(sample, edges, law) > fit.FALSE_ALARM


def test_a_tail_without_its_correction_is_noticed(monkeypatch):
    """The mutant keeps every proposal of the envelope."""
    monkeypatch.setattr(module, "_TAIL", 0.01)
    monkeypatch.setattr(module, "below", lambda uniform, threshold: True)
    sample = Atoms(Quadratic(Fraction(1, 72))).draw(Bits(), 30_000)
    edges, law = fit.groups_of(fit.discrete_gaussian_cdf(6.0), -60, 60, 50)
    assert fit.p_value(sample, edges, law) < fit.FALSE_ALARM


def test_one_draw_and_many_have_the_same_law():
    source, sampler = Bits(), Atoms(LinearPotential(Fraction(1, 3)))
    edges, law = fit.groups_of(fit.discrete_laplace_cdf(3.0), -40, 40, 50)
    singles = np.array([sampler.one(source) for _ in range(100_000)])
    assert fit.p_value(singles, edges, law) > fit.FALSE_ALARM
    assert fit.p_value(sampler.draw(source, 100_000), edges, law) > fit.FALSE_ALARM


def test_the_geometric_law_of_the_tail():
    source = Bits()
    sample = np.array([geometric(source, Fraction(1, 4)) for _ in range(20_000)])
    k = np.arange(40)
    law = np.append(np.exp(-k / 4) * -np.expm1(-0.25), np.exp(-10))
    assert fit.chi_square(np.bincount(np.minimum(sample, 40), minlength=41).astype(float), law) > fit.FALSE_ALARM
    wrong = np.append(np.exp(-k / 3.2) * -np.expm1(-1 / 3.2), np.exp(-40 / 3.2))
    assert fit.chi_square(np.bincount(np.minimum(sample, 40), minlength=41).astype(float), wrong) < fit.FALSE_ALARM


def exact_law(scale, last):
    """P of 0, 1, −1, …, last, −last and of all beyond, by mpmath from the definition."""
    root = mpmath.mpf(scale.numerator) / scale.denominator * mpmath.sqrt(2)
    tails = [mpmath.erfc((k + mpmath.mpf(1) / 2) / root) for k in range(last + 1)]
    both = [(near - far) / 2 for near, far in itertools.pairwise(tails) for _ in range(2)]
    return [1 - tails[0], *both, tails[-1]]


class Words(Bits):
    """The given 64-bit words, then secure bits."""

    __slots__ = ("_script",)

    def __init__(self, script):
        super().__init__()
        self._script = np.array(script, np.uint64)

    def words(self, kind, size):
        given, self._script = self._script[:size], self._script[size:]
        return given if len(given) == size and kind is np.uint64 else super().words(kind, size)


@pytest.mark.parametrize("scale", ["1/3", "1", "9/2", "30"])
def test_every_string_of_bits_names_the_integer_that_mpmath_names(scale):
    """P[i] is whole 16-bit words and a part of the residual law; bits about every threshold, at 200 digits."""
    law = RoundedGaussian(scale, Lattice(0))
    sampler = RoundedAtoms(law.outside, 7 * float(law.scale))
    pieces = sampler._pieces
    counts, residual = pieces._counts, module.Pieces.RESIDUAL
    left = np.count_nonzero(pieces.cells == residual)
    with mpmath.workdps(200):
        probabilities = exact_law(law.scale, sampler._last)
        parts = [(65536 * p - n) / left for p, n in zip(probabilities, counts, strict=True)]
        assert all(part >= 0 for part in parts)
        assert abs(mpmath.fsum(parts) - 1) < mpmath.mpf("1e-150")
        lines, total = [], mpmath.mpf(0)
        for part in parts[:-1]:
            total += part
            lines.append(int(mpmath.floor(total * mpmath.mpf(2) ** 192)))  # the first 192 digits of each threshold
    firsts = [line >> 128 for line in lines]
    near = sorted({min(max(first + step, 0), 2**64 - 1) for first in firsts for step in (-2, -1, 1, 2)} - set(firsts))
    expected = [sum(first < word for first in firsts) for word in near]
    assert pieces.residual(Words(near), len(near)).tolist() == expected
    for at in range(0, len(lines), max(1, len(lines) // 12)):
        if at and lines[at] == lines[at - 1]:
            continue
        for step, piece in ((-1, at), (1, at + 1)):  # digits that agree with the threshold to 128 places
            digits = lines[at] + step
            words = digits >> 128, digits >> 64 & 2**64 - 1, digits & 2**64 - 1
            got = pieces._settle(LazyUniform(ScriptedBits(*words[1:]), words[0], 64))
            true = next((i for i, line in enumerate(lines) if digits < line), len(lines))
            assert got == true
            assert got >= piece or step == -1


def test_a_table_for_another_scale_fails_the_comparison():
    """The mutant: a hundredth of a percent more noise moves thresholds by far more than the last of 64 digits."""
    law = RoundedGaussian(Fraction(9, 2), Lattice(0))
    pieces = RoundedAtoms(law.outside, 32)._pieces
    wrong = RoundedAtoms(RoundedGaussian(Fraction(9, 2) * Fraction(10001, 10000), Lattice(0)).outside, 32)._pieces
    assert (pieces._low != wrong._low).mean() > 0.9
