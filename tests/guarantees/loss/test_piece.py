import math
from dataclasses import replace
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.errors import UnprovenClaim
from dalenius.guarantees.loss import pairs

Y = np.linspace(-9, 9, 37)


def pieces():
    for rate in (1, Fraction(3, 4), Fraction(1, 2), Fraction(1, 1000)):
        for pair in (pairs.gaussian(Fraction(9, 4)), pairs.laplace(Fraction(3, 2))):
            yield pair.sampled(Fraction(rate)).pieces[0]


def log_w(piece, y):
    grown = mp.exp(mp.mpf(piece.slope) * y - mp.mpf(piece.offset))
    return mp.log(1 + mp.mpf(piece.rate) * (grown - 1))


@pytest.mark.parametrize("piece", list(pieces()))
@pytest.mark.parametrize("first", [True, False])
def test_losses_and_densities_are_within_their_errors(piece, first):
    piece = replace(piece, mixed_first=first)
    with mp.workdps(40):
        found, error = piece.loss(Y), piece.loss_error(Y, piece.loss(Y))
        log_n, off = piece.log_n(Y), piece.log_n_error(Y)
        for k, y in enumerate(map(mp.mpf, Y.tolist())):
            true = log_w(piece, y) * (1 if first else -1)
            assert abs(found[k] - true) <= error[k] + 1e-300
            n = mp.mpf(piece.c0) + mp.mpf(piece.c1) * y - mp.mpf(piece.c2) * y * y / 2
            assert abs(log_n[k] - n) <= off[k]


@pytest.mark.parametrize("piece", list(pieces()))
def test_the_inverse_of_the_loss_and_its_slope(piece):
    y = np.linspace(max(piece.lo, -6), min(piece.hi, 6), 13)
    assert piece.loss(piece.at(piece.loss(y))) == pytest.approx(piece.loss(y), rel=1e-9, abs=1e-12)
    h = 1e-6
    assert piece.slope_at(y) == pytest.approx((piece.loss(y + h) - piece.loss(y - h)) / (2 * h), rel=1e-6)


@pytest.mark.parametrize("piece", list(pieces()))
@pytest.mark.parametrize("first", [True, False])
def test_mass_is_the_integral_of_the_first_law(piece, first):
    piece = replace(piece, mixed_first=first, lo=max(piece.lo, 0.1))
    with mp.workdps(25):
        density = lambda y: mp.exp(piece.c0 + piece.c1 * y - piece.c2 * y * y / 2)  # noqa: E731
        w = (lambda y: mp.exp(log_w(piece, y))) if first else (lambda y: mp.mpf(1))
        true = mp.quad(lambda y: density(y) * w(y), mp.linspace(piece.lo, min(piece.hi, 16), 7))
    assert piece.mass() == pytest.approx(float(true), rel=1e-12)


@pytest.mark.parametrize("piece", list(pieces()))
def test_swapping_keeps_the_outcomes_and_turns_the_loss(piece):
    other = piece.swapped()
    reflected = piece.rate == 1.0
    y = -Y if reflected else Y
    assert other.loss(y) == pytest.approx(-piece.loss(Y), rel=1e-12, abs=1e-13)
    first = piece.log_n(Y) + piece.power * piece.loss(Y)
    assert other.log_n(y) + other.power * other.loss(y) == pytest.approx(first - piece.loss(Y), rel=1e-12, abs=1e-12)


def test_a_quantile_leaves_that_mass_above():
    (piece,) = pairs.gaussian(1).sampled(Fraction(1, 10)).pieces
    for mass in (1e-3, 1e-12, 1e-100):
        assert replace(piece, lo=piece.quantile(mass)).mass() == pytest.approx(mass, rel=1e-6)


def test_large_arguments_do_not_overflow():
    (piece,) = pairs.gaussian(10**4).sampled(Fraction(1, 10)).pieces
    loss = piece.loss(np.array([0.0, 60.0, 200.0]))
    assert loss[2] == pytest.approx(100 * 200 - 5000 + math.log(0.1), rel=1e-14)
    assert np.all(np.isfinite(loss))


def test_a_mixture_that_is_second_is_not_sampled():
    (piece,) = pairs.gaussian(1).sampled(Fraction(1, 10)).swapped().pieces
    with pytest.raises(UnprovenClaim):
        piece.sampled(0.5, 0.5)
