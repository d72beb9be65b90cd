"""The loss of many equal responses on a lattice, from both sides."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.numerics import ball, ends, precision

_UNIT = 2.0**-53
_RARE = 1e-290
_REACH = 40.0  # standard deviations kept; what lies beyond is below 1e-300 by Hoeffding and is bounded, not dropped


@dataclass(frozen=True, slots=True)
class Shifts:
    """A law of one step: masses under P and Q at lattice indices."""

    index: NDArray[np.int64]
    p: NDArray[np.float64]
    q: NDArray[np.float64]


def binomial_masses(each: Fraction, times: int, step: Fraction) -> tuple[Shifts, Shifts, float, int]:
    """(above, below, mass at +∞, roundings) of (2S − times)·each, S ~ Bin(times, e^each/(1+e^each)).

    The masses come by the ratio of neighbors from the largest one, an enclosure: each step rounds thrice.
    """
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
    beyond = 0.0 if (low, high) == (0, times) else 2e-300
    # from below an atom too rare for full precision is left out whole, with its mass under Q: an outcome of its own
    kept = masses > _RARE
    index, share, rest = _split(counts, times, each, step)
    nearest = np.where(share > 0.5, index + 1, index)
    loss = (2.0 * counts[kept] - times) * float(each)
    tilt = np.exp(-loss) * (1 + (np.abs(loss) + 8) * 8 * _UNIT)
    above = Shifts(np.concatenate([index, index + 1]), np.concatenate([masses * rest, masses * share]), np.empty(0))
    below = Shifts(nearest[kept], masses[kept] * shrink * (top[0] / top[1]), masses[kept] * tilt)
    return above, below, beyond, roundings


def _split(
    counts: NDArray[np.int64], times: int, each: Fraction, step: Fraction
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Lattice index below each loss, and P's shares one step above and there: as `split`, in floats rounded up.

    The offsets t and step − t are exact remainders before they become floats; expm1 is within 4 units of the last
    place, and its argument's error is not amplified.
    """
    ratio = each / step
    whole = [divmod((2 * count - times) * ratio.numerator, ratio.denominator) for count in counts.tolist()]
    index = np.array([quotient for quotient, _ in whole], np.int64)
    part = np.array([remainder / ratio.denominator for _, remainder in whole])
    left = np.array([(ratio.denominator - remainder) / ratio.denominator for _, remainder in whole])
    width = float(step)
    span = -np.expm1(-width)
    share = -np.expm1(-part * width) / span
    rest = np.exp(-part * width) * -np.expm1(-left * width) / span
    up = 1 + 64 * _UNIT
    return index, np.minimum(1.0, share * up), np.minimum(1.0, rest * up)


def _log_choose(n: int, k: int) -> arb:
    return ball(n + 1).lgamma() - ball(k + 1).lgamma() - ball(n - k + 1).lgamma()
