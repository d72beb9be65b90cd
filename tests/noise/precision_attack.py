"""Telling x = 0 from x = 1 by the low bits of a released double (Mironov 2012)."""

from collections.abc import Callable

import numpy as np
from scipy import stats

from tests.noise.fit import FALSE_ALARM


def lowest_bit(values: np.ndarray) -> np.ndarray:
    """Exponent of the lowest set bit of each double; 2000 for zero."""
    mantissa, exponent = np.frexp(values)
    whole = np.abs(mantissa * 2.0**53).astype(np.int64)
    trailing = np.frexp((whole & -whole).astype(float))[1] - 1
    return np.where(whole == 0, 2000, exponent - 53 + trailing)


def leaks(release: Callable[[float, int], np.ndarray], scale: float, gaussian: bool, size: int = 40_000) -> bool:
    """Whether an event about low bits is likelier under one input than the mechanism's guarantee allows.

    Events are {lowest bit < t}, for outputs anywhere and for outputs in [½, 2], t chosen on the first half of the
    sample and tested on the second. A claim of pure 1/scale (Laplace), or of a Gaussian profile at ε = 3/scale + 1,
    is refuted when the certified lower bound of one side exceeds what it allows of the certified upper bound of the
    other. False alarms: at most FALSE_ALARM.
    """
    epsilon = 3 / scale + 1 if gaussian else 1 / scale
    delta = stats.norm.sf(epsilon * scale - 0.5 / scale) if gaussian else 0.0
    outputs = {x: release(float(x), size) for x in (0, 1)}
    features = {
        x: np.stack([lowest_bit(y), np.where((y >= 0.5) & (y <= 2), lowest_bit(y), 2000)]) for x, y in outputs.items()
    }
    half = size // 2
    for one, other in ((0, 1), (1, 0)):
        for row in range(2):
            first, second = features[one][row], features[other][row]
            thresholds = np.arange(-1100, 20)
            gain = [np.mean(first[:half] < t) - np.exp(epsilon) * np.mean(second[:half] < t) for t in thresholds]
            t = thresholds[int(np.argmax(gain))]
            hits = [int((side[half:] < t).sum()) for side in (first, second)]
            level = FALSE_ALARM / 8
            least = stats.beta.ppf(level, hits[0], half - hits[0] + 1) if hits[0] else 0.0
            most = stats.beta.ppf(1 - level, hits[1] + 1, half - hits[1]) if hits[1] < half else 1.0
            if least > np.exp(epsilon) * most + delta:
                return True
    return False
