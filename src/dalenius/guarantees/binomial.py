"""The loss of many equal responses on a lattice, from both sides."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from flint import arb

from dalenius.numerics import ball, ends, precision

if TYPE_CHECKING:
    from dalenius.guarantees.lattice import Shifts

_RARE = 1e-290
_REACH = 40.0  # standard deviations kept; what lies beyond is below 1e-300 by Hoeffding and is bounded, not dropped


def binomial_masses(each: Fraction, times: int, step: Fraction) -> "tuple[Shifts, Shifts, float, int]":
    """(above, below, mass at +∞, roundings) of (2S − times)·each, S ~ Bin(times, e^each/(1+e^each)).

    The masses come by the ratio of neighbors from the largest one, an enclosure: each step rounds thrice.
    """
    from dalenius.guarantees.lattice import Shifts, split

    with precision(192):
        up = ball(each).exp()
        p = up / (1 + up)
        mode = min(times, math.floor(times * float(ends(p)[0])))
        top = ends((_log_choose(times, mode) + mode * p.log() - (times - mode) * (1 + up).log()).exp())
        odds = ends(up)
    reach = math.ceil(_REACH * math.sqrt(times) / 2) + 2
    low, high = max(0, mode - reach), min(times, mode + reach)
    upward = np.arange(mode, high)
    downward = np.arange(mode, low, -1)
    with np.errstate(under="ignore"):
        right = np.cumprod((times - upward) / (upward + 1.0) * odds[1])
        left = np.cumprod(downward / ((times - downward + 1.0) * odds[0]))
    masses = np.concatenate([left[::-1], [1.0], right]) * top[1]
    counts = np.arange(low, high + 1)
    roundings = 6 * (high - low + 2) + 64
    shrink = 1 - 2 * roundings * 2.0**-53
    index, mass = [], []
    for count, weight in zip(counts.tolist(), masses.tolist(), strict=True):
        for offset, share in split((2 * count - times) * each, step):
            index.append(offset)
            mass.append(weight * share)
    beyond = 0.0 if (low, high) == (0, times) else 2e-300
    # from below an atom too rare for full precision is left out whole, with its mass under Q: an outcome of its own
    kept = masses > _RARE
    losses = [(2 * count - times) * each for count in counts[kept].tolist()]
    nearest = np.array([round(loss / step) for loss in losses], np.int64)
    with precision(192):
        tilt = np.array([ends((-ball(loss)).exp())[1] for loss in losses])
    above = Shifts(np.array(index, np.int64), np.array(mass), np.empty(0))
    below = Shifts(nearest, masses[kept] * shrink * (top[0] / top[1]), masses[kept] * tilt)
    return above, below, beyond, roundings


def _log_choose(n: int, k: int) -> arb:
    return ball(n + 1).lgamma() - ball(k + 1).lgamma() - ball(n - k + 1).lgamma()
