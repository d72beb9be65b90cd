"""The decay on a line beside the outcomes against characteristic functions by direct integration."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dalenius.guarantees.loss import pairs, shifted_decay
from dalenius.guarantees.loss.rounding import Uncertified
from dalenius.guarantees.loss.shifted_decay import shifted_decay as made_of

CASES = [  # rate, σ, s, where the outcomes end
    ("1/100000", "30", 4e6, 9.0),
    ("1/10000", "3", 2e4, 7.0),
    ("1/1000", "1", 20.0, 6.0),
    ("1/10", "2", 15.0, math.inf),
    ("1/2", "4", 30.0, math.inf),
]


def transform(piece, s, t):
    """(log M(s), |M(s + it)|/M(s)) by a fine trapezoid sum over the density as it is written on paper."""
    a = s + 1.0 if piece.mixed_first else -s
    right = min(piece.hi, piece.c1 + 12.0 + max(a, 1.0) * piece.slope)
    y = np.linspace(-40.0, right, 400_001)
    grown = piece.rate * np.expm1(piece.slope * y - piece.offset)
    log_w, log_n = np.log1p(grown), piece.c0 + piece.c1 * y - piece.c2 * y * y / 2
    exponent = log_n + a * log_w
    top = float(np.max(exponent))
    height, step = np.exp(exponent - top), float(y[1] - y[0])
    height[[0, -1]] /= 2
    moment = float(np.sum(height)) * step
    moduli = [abs(np.sum(height * np.exp(1j * each * log_w))) * step / moment for each in t]
    return top + math.log(moment), np.array(moduli)


def piece_of(rate, sigma, hi, first):
    (piece,) = pairs.gaussian(1 / Fraction(sigma) ** 2).sampled(Fraction(rate)).pieces
    if not first:
        (piece,) = (piece.swapped(),)
        return piece
    return replace(piece, hi=hi)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("rate", "sigma", "s", "hi"), CASES)
def test_no_later_value_of_the_transform_is_above_the_bound(rate, sigma, s, hi, first):
    piece = piece_of(rate, sigma, hi, first)
    scale = float(Fraction(sigma) / Fraction(rate))
    t = scale * np.geomspace(0.2, 12.0, 12)
    log_moment, moduli = transform(piece, s, t)
    decay = made_of(piece, s, log_moment - 1e-9)
    bounds = np.array([decay.bound(float(each)) for each in t])
    later = np.maximum.accumulate(moduli[::-1])[::-1]
    assert np.all(later <= bounds * (1 + 1e-9) + 1e-12)
    assert np.all(np.diff(bounds) <= 1e-12)


def test_small_losses_decay_like_a_gaussian_law():
    piece = piece_of("1/100000", "30", 9.0, first=True)
    s = 1e6
    log_moment, _ = transform(piece, s, [0.0])
    t = 6.0 * 30 * 1e5  # six standard deviations of the loss, turned over
    assert made_of(piece, s, log_moment - 1e-9).bound(t) < math.exp(-0.7 * 18)


def test_angles_that_are_too_large_are_refuted(monkeypatch):
    angle = shifted_decay._angle
    monkeypatch.setattr(shifted_decay, "_angle", lambda g, theta: 1.25 * angle(g, theta))
    piece = piece_of("1/100000", "30", 9.0, first=True)
    t = np.array([1.2e7, 1.5e7])
    log_moment, moduli = transform(piece, 4e6, t)
    decay = made_of(piece, 4e6, log_moment - 1e-9)
    assert any(decay.bound(float(each)) < modulus for each, modulus in zip(t, moduli, strict=True))


def test_outcomes_that_begin_somewhere_have_no_such_line():
    piece = replace(piece_of("1/10", "2", math.inf, first=True), lo=0.0)
    with pytest.raises(Uncertified, match="beside"):
        made_of(piece, 5.0, 0.0)
