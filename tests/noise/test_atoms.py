from fractions import Fraction

import numpy as np
import pytest

from dalenius.noise import Bits
from dalenius.noise import atoms as module
from dalenius.noise.atoms import Atoms, geometric
from dalenius.noise.potential import LinearPotential, Quadratic
from tests.noise import fit


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
