from dataclasses import replace
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.quadrature import legendre, rule, window
from tests.guarantees.loss import loss_truth as truth


def summed(nodes, z):
    """(Σ, what the rule says it may miss) at z, in mpmath from the rule's floats."""
    loss, log_weight = nodes.loss.tolist(), nodes.log_weight.tolist()
    terms = [mp.exp(w + z * x) for w, x in zip(log_weight, loss, strict=True)]
    sizes = [abs(each) for each in terms]
    s = mp.re(z)
    on_line = nodes.relative * mp.fsum(sizes) + mp.exp(nodes.log_missed)
    missed = mp.mpf(nodes.missed_at_zero) if z == 0 else on_line
    missed += nodes.ends[0] * sizes[0] + nodes.ends[1] * sizes[-1]
    errors = zip(sizes, nodes.loss_error.tolist(), nodes.log_weight_error.tolist(), strict=True)
    return mp.fsum(terms), missed + mp.fsum(x * (abs(mp.mpc(s, mp.im(z))) * a + b) for x, a, b in errors) * 1.01


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("rate", "mu", "s", "t"), [("0.01", "1", 6.0, 12.0), ("0.3", "0.5", 20.0, 9.0), ("0.001", "3", 2.0, 4.0)]
)
def test_a_sampled_gaussian_is_within_the_stated_error(rate, mu, s, t, first):
    pair = pairs.gaussian(Fraction(mu) ** 2).sampled(Fraction(rate))
    (piece,) = (pair if first else pair.swapped()).pieces
    nodes = rule(piece, s, t)
    with mp.workdps(30):
        for z in (mp.mpf(0), mp.mpf(s), mp.mpc(s, t)):
            found, error = summed(nodes, z)
            size = summed(nodes, mp.re(z))[0]
            true = truth.sampled_gaussian_moment(truth.number(rate), truth.number(mu), z, first)
            assert abs(found - true) <= error <= 1e-8 * size


@pytest.mark.parametrize("ends", [(0.5, mp.inf), (-1.0, 2.0), (-mp.inf, 0.25)])
def test_a_part_of_a_gaussian_is_within_the_stated_error(ends):
    (whole,) = pairs.gaussian(1).sampled(Fraction(1, 20)).pieces
    piece = replace(whole, lo=float(ends[0]), hi=float(ends[1]))
    nodes = rule(piece, 4.0, 7.0)
    with mp.workdps(25):
        low, high = max(ends[0], -14), min(ends[1], 20)
        places = mp.linspace(low, high, 9)
        w = lambda y: 1 + (mp.exp(y - mp.mpf(1) / 2) - 1) / 20  # noqa: E731
        for z in (mp.mpf(0), mp.mpf(4), mp.mpc(4, 7)):
            true = mp.quad(lambda y, z=z: mp.npdf(y) * w(y) ** (z + 1), places)
            found, error = summed(nodes, z)
            assert abs(found - true) <= error <= 1e-10 * max(abs(true), 1)


@pytest.mark.parametrize("s", [0.01, 3.0, 50.0])
def test_beyond_the_window_the_density_falls_as_fast_as_said(s):
    (piece,) = pairs.gaussian(1).sampled(Fraction(1, 100)).swapped().pieces
    left, right, kappa_left, kappa_right = window(piece, s)
    log_f = lambda y: piece.log_n(y) + (piece.power + s) * piece.loss(y)  # noqa: E731
    for far in np.linspace(0.01, 20, 50):
        assert log_f(np.array([left - far])) <= log_f(np.array([left])) - kappa_left * far + 1e-9
        assert log_f(np.array([right + far])) <= log_f(np.array([right])) - kappa_right * far + 1e-9


@pytest.mark.parametrize("count", [2, 5, 32])
def test_legendre_is_exact_on_polynomials_of_twice_its_degree(count):
    nodes, weights = legendre(count)
    for degree in range(0, 2 * count, 2):
        assert weights @ nodes**degree == pytest.approx(2 / (degree + 1), rel=1e-14)
