"""A whole privacy profile at once: each line serves every ε within a few standard deviations of its saddle."""

import numpy as np
from numpy.typing import NDArray

from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.profile import delta_bounds
from dalenius.guarantees.loss.rounding import Indices, Uncertified, Vector
from dalenius.guarantees.loss.saddle import saddle_for_epsilon
from dalenius.guarantees.loss.ways import certified_line

_LINES = ((1.0, 1e-3), (0.0, 1e-3), (0.0, 0.3))
"""How far ahead of the first open ε, in standard deviations, and how much better than asked a line is made."""
_MOST_LINES = 64
_ENOUGH = 1e-3


def delta_curve(composition: LossComposition, epsilons: Vector, rtol: float) -> tuple[Vector, Vector]:
    """Proven bounds on δ at each of the ε; wider than asked, up to `_ENOUGH`, where rounding leaves them so."""
    low, high = np.zeros(len(epsilons)), np.ones(len(epsilons))
    open_ = np.ones(len(epsilons), dtype=bool)
    for _ in range(_MOST_LINES if composition.others else 0):
        left = np.flatnonzero(open_ & (epsilons < composition.largest)).astype(np.int64)
        if not len(left):
            break
        # a line serves both sides of its saddle, so the next one is put a way beyond the first ε that is open
        if not any(_with_line(composition, epsilons, left, low, high, open_, rtol, *how) for how in _LINES):
            settled = high - low <= _ENOUGH * high
            if not np.any(open_ & settled):
                break
            open_ &= ~settled
    for k in np.flatnonzero(open_).tolist():
        low[k], high[k] = delta_bounds(composition, float(epsilons[k]), rtol)
    return low, high


def _with_line(
    composition: LossComposition,
    epsilons: Vector,
    left: Indices,
    low: Vector,
    high: Vector,
    open_: NDArray[np.bool_],
    rtol: float,
    ahead: float,
    spare: float,
) -> bool:
    """Settle what a line `ahead` standard deviations beyond the first open ε settles; False if not that ε itself."""
    first = float(np.min(epsilons[left]))
    try:
        saddle = saddle_for_epsilon(composition, first)
        if ahead:
            saddle = saddle_for_epsilon(composition, first + ahead * saddle.spread)
        made = certified_line(composition, saddle, spare * rtol)
    except Uncertified:
        return False
    below, above = made.delta(epsilons[left])
    below, above = below + composition.infinite[0], np.minimum(above + composition.infinite[1], 1.0)
    done = above - below <= rtol * above
    low[left] = np.fmax(low[left], below * (1 - 1e-15))
    high[left] = np.fmin(high[left], np.nextafter(above, 1.0))
    open_[left[done]] = False
    return bool(done[np.argmin(epsilons[left])])
