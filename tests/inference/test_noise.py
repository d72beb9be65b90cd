import mpmath as mp
import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.noise import ReleaseNoise, tulap_below
from dalenius.mechanisms import (
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Laplace,
    RandomizedResponse,
    Staircase,
    TruncatedLaplace,
    Tulap,
)
from dalenius.noise import Bits, Lattice

WHOLE = Gaussian(2, Lattice(0))
LAWS = {
    "geometric": Geometric(2),
    "discrete gaussian": DiscreteGaussian(3),
    "wide discrete gaussian": DiscreteGaussian(1000),
    "laplace": Laplace(2),
    "gaussian": Gaussian(2),
    "gaussian on the integers": Gaussian("3/2", Lattice(0)),
    "laplace on the integers": Laplace("3/2", Lattice(0)),
    "tulap": Tulap(1, "1/2"),
    "cut tulap": Tulap(1, 1, "1/100"),
}


@pytest.mark.parametrize("name", LAWS)
def test_the_cdf_is_that_of_the_law_s_own_proved_tails(name):
    law = LAWS[name].noise
    noise = ReleaseNoise(law)
    step = law.lattice.step
    for z in (-7, -2, -1, 0, 1, 3, 8):
        steps = int(z / step)
        tail = law.tail(steps * step) / 2 if z >= 0 else law.tail(-steps * step - step) / 2
        truth = 1 - tail if z >= 0 else tail
        assert noise.below(np.array([float(z)]))[0] == pytest.approx(
            truth, abs=1e-12, rel=1e-6 if name.startswith("wide") else 1e-9
        )


def test_a_law_without_a_closed_form_is_read_from_its_tails():
    noise = ReleaseNoise.of(Staircase(1, 1, "1/2"))
    found = noise.below(np.array([-2.0, 0.0, 2.0]))
    assert found[0] == pytest.approx(1 - found[2], abs=1e-5)
    assert found[1] == pytest.approx(0.5, abs=1e-5)


def test_the_tulap_cdf_is_a_uniform_and_a_geometric_number():
    b = mp.exp(-1)
    for x in (-2.3, -0.5, -0.2, 0.4, 1.7):
        mass = lambda k: (1 - b) / (1 + b) * b ** abs(k)  # noqa: E731
        truth = mp.fsum(mass(k) * min(1, max(0, x - k + 0.5)) for k in range(-60, 61))
        assert tulap_below(np.array([x]), 1.0)[0] == pytest.approx(float(truth), abs=1e-14)


def test_a_number_from_elsewhere_is_not_taken_as_rounded():
    exact, rounded = (ReleaseNoise.of(Tulap(1, 1), rounded=r).below(np.array([0.25]))[0] for r in (False, True))
    assert exact == pytest.approx(tulap_below(np.array([0.25]), 1.0)[0], abs=0)
    assert 0 < rounded - exact < 1e-6


NARROW = [DiscreteGaussian("1/2"), DiscreteGaussian("9/10"), Gaussian("3/10", Lattice(0)), Gaussian("9/10", Lattice(0))]


@pytest.mark.parametrize("mechanism", [Geometric(2), Laplace(2), DiscreteGaussian(2), WHOLE, *NARROW], ids=repr)
def test_cumulants_are_those_of_the_masses(mechanism):
    noise = ReleaseNoise.of(mechanism)
    if noise.integral:
        k, masses = noise.masses()
        at = np.arange(-k, k + 1)
        variance, fourth = (masses * at**2).sum(), (masses * at**4).sum()
        assert masses.sum() == pytest.approx(1, abs=1e-12)
    else:
        variance, fourth = 8.0, 24 * 2**4
    assert noise.variance == pytest.approx(variance, rel=1e-6)
    assert noise.fourth_cumulant == pytest.approx(fourth - 3 * variance**2, rel=1e-5, abs=1e-3)


@pytest.mark.parametrize("mechanism", [Geometric(2), DiscreteGaussian(2), WHOLE], ids=lambda m: m.name)
def test_the_moment_generating_function_is_at_least_that_of_the_masses(mechanism):
    noise = ReleaseNoise.of(mechanism)
    k, masses = noise.masses()
    for rate in (0.05, 0.2, -0.3):
        truth = np.log((masses * np.exp(rate * np.arange(-k, k + 1))).sum())
        assert truth - 1e-9 <= noise.log_mgf(rate) <= truth * 1.01 + 1e-6
    assert ReleaseNoise.of(Geometric(2)).log_mgf(0.5) == np.inf


@pytest.mark.parametrize("mechanism", [WHOLE, Laplace(2, Lattice(0)), Geometric(2), DiscreteGaussian(2)], ids=str)
def test_the_log_of_a_mass_differs_from_the_law_s_own_by_a_constant(mechanism):
    log_density = ReleaseNoise.of(mechanism).log_density()
    gaps = [log_density(float(k)) - mechanism.noise.log_mass(k) for k in (0, 1, -1, 2, 5, -9, 30)]
    assert gaps == pytest.approx([gaps[0]] * len(gaps), abs=1e-9)


def test_draws_have_the_spacing_of_the_release():
    from fractions import Fraction

    drawn = ReleaseNoise.of(Geometric(8), Fraction(1, 4)).draw(Bits(), 4000)
    assert np.all(drawn * 4 == np.round(drawn * 4))
    assert 1.5 < drawn.std() < 4.5  # √(2·64)/4 = 2.8


def test_what_adds_no_noise_of_one_law_is_refused():
    with pytest.raises(InvalidParameter):
        ReleaseNoise.of(RandomizedResponse("1/2"))
    with pytest.raises(InvalidParameter, match="whole noise"):
        ReleaseNoise.of(Laplace(1)).masses()
    with pytest.raises(UnprovenClaim):
        assert ReleaseNoise.of(TruncatedLaplace(1, 1)).largest_rate
