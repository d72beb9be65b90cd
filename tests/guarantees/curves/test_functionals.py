import math
from fractions import Fraction

import mpmath as mp
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import UnprovenClaim
from dalenius.guarantees import GDP, ApproxDP, PureDP, TradeOff
from dalenius.guarantees.curves.functionals import (
    f_divergence,
    gaussian_moments,
    kl_divergence,
    polyline_moments,
    renyi_divergence,
    response_moments,
    total_variation,
)
from dalenius.guarantees.curves.polyline import Polyline
from dalenius.guarantees.notions.tradeoff import response_polylines

laws = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(sum)


def pair(a, b):
    return [(Fraction(x, sum(a)), Fraction(y, sum(b))) for x, y in zip(a, b, strict=True)]


@settings(deadline=None)
@given(laws, laws)
@pytest.mark.theorem("A Ex 13.6", "A Ex 13.7", "A Prop 13.4", "A Prop 13.5")
def test_total_variation_from_the_function_is_that_of_the_pair(a, b):
    atoms = pair(a, b)
    truth = sum(abs(p - q) for p, q in atoms) / 2
    f = Polyline.of_atoms(atoms)
    assert total_variation(f) == truth
    half = arb(1) / 2
    by_divergence = f_divergence(f, lambda t: abs(t - 1) / 2, half, half)
    assert abs(float(by_divergence) - float(truth)) < 1e-12


@pytest.mark.theorem("A Ex 13.7")
def test_printed_total_variation_misses_half():
    f, _ = response_polylines(Fraction(0), Fraction(1, 10))
    printed = sum((abs(p - q) for p, q in f.atoms() if p > 0), Fraction(0)) / 2
    assert printed == Fraction(1, 20)
    assert total_variation(f) == Fraction(1, 10) == Fraction(ApproxDP(0, "0.1").slack)


@settings(deadline=None)
@given(st.lists(st.integers(1, 9), min_size=3, max_size=3), st.lists(st.integers(1, 9), min_size=3, max_size=3))
@pytest.mark.theorem("A Ex 13.7", "A Prop 13.5", "A Rem 12.1", "A Ex 13.6")
def test_kl_and_renyi_from_the_function_are_those_of_the_pair(a, b):
    atoms = pair(a, b)
    f = Polyline.of_atoms(atoms)
    truth = mp.fsum(
        mp.mpf(p.numerator)
        / p.denominator
        * mp.log(mp.mpf(str(float(1))) * p.numerator * q.denominator / (p.denominator * q.numerator))
        for p, q in atoms
    )
    assert abs(float(kl_divergence(f)) - truth) < 1e-12
    chi = sum(p * p / q for p, q in atoms)
    assert float(renyi_divergence(f, 2)) == pytest.approx(math.log(chi), abs=1e-12)
    assert float(renyi_divergence(f, math.inf)) == pytest.approx(math.log(max(p / q for p, q in atoms)), abs=1e-12)
    by_divergence = f_divergence(f, lambda t: t * t - 1, arb(-1), arb("inf"))
    assert float(by_divergence) == pytest.approx(float(chi - 1), abs=1e-12)


@pytest.mark.theorem("A Prop 13.5", "A Def 12.1")
def test_unbounded_ratios_are_infinite_only_where_there_is_mass():
    gap = Polyline.of_atoms([(Fraction(1, 2), 1), (Fraction(1, 2), 0)])  # P has mass where Q has none
    assert not kl_divergence(gap).is_finite()
    assert kl_divergence(gap.inverse()).is_finite()  # the other way round KL = log 2
    assert float(kl_divergence(gap.inverse())) == pytest.approx(math.log(2))
    assert not f_divergence(gap, lambda t: t * t - 1, arb(-1), arb("inf")).is_finite()


@pytest.mark.theorem("A §13.9 functionals")
@pytest.mark.parametrize("mu", ["0.1", "0.5", "2"])
def test_gaussian_moments_are_integrals_of_the_loss(mu):
    m = mp.mpf(mu)
    moments = gaussian_moments(Fraction(mu) ** 2)

    def expect(function):
        return mp.quad(lambda z: mp.npdf(z) * function(m * m / 2 + m * z), [-30, -m / 2, 0, 30])

    assert float(moments.kl) == pytest.approx(float(m * m / 2))
    assert float(moments.k2) == pytest.approx(float(expect(lambda x: x**2)), rel=1e-10)
    assert float(moments.k3) == pytest.approx(float(expect(lambda x: abs(x) ** 3)), rel=1e-10)
    assert float(moments.k3_centred) == pytest.approx(float(expect(lambda x: abs(x - m * m / 2) ** 3)), rel=1e-10)


@pytest.mark.theorem("A §13.9 functionals")
def test_printed_centred_moment_subtracts_where_it_must_add():
    # k̄3 = ∫|log|f'| + kl|³; log|f'| is minus the loss, so the printed minus doubles the mean instead of removing it
    m = mp.mpf("0.5")
    kl = m * m / 2
    printed = mp.quad(lambda z: mp.npdf(z) * abs(-(kl + m * z) - kl) ** 3, [-30, -2 * kl / m, 0, 30])
    assert float(printed) == pytest.approx(0.2758, abs=1e-4)
    assert float(GDP("0.5").loss_moments().k3_centred) == pytest.approx(0.1995, abs=1e-4)


@pytest.mark.theorem("A §13.9 functionals")
def test_response_moments_by_enumeration():
    e = mp.e
    p, q = e / (1 + e), 1 / (1 + e)
    moments = PureDP(1).loss_moments()
    kl = p - q
    assert float(moments.kl) == pytest.approx(float(kl))
    assert float(moments.k2) == pytest.approx(1)
    assert float(moments.k3) == pytest.approx(1)
    assert float(moments.k3_centred) == pytest.approx(float(p * (1 - kl) ** 3 + q * (1 + kl) ** 3))
    third = TradeOff([(0, 1), ("1/4", "1/4"), (1, 0)])
    assert float(third.loss_moments().kl) == pytest.approx(float(response_moments(Fraction(math.log(3))).kl), rel=1e-12)


def test_moments_that_are_not_determined():
    assert not polyline_moments(response_polylines(Fraction(1), Fraction(1, 10))[0]).kl.is_finite()
    with pytest.raises(UnprovenClaim):
        ApproxDP(1, 0.1).loss_moments()
