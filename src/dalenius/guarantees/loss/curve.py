"""A whole privacy profile at once: each line serves every ε within a few standard deviations of its saddle."""

import numpy as np
from numpy.typing import NDArray

from dalenius.guarantees.loss.composition import Composition
from dalenius.guarantees.loss.profile import certified_line, delta_bounds
from dalenius.guarantees.loss.rounding import Indices, Uncertified, Vector
from dalenius.guarantees.loss.saddle import saddle_for_epsilon

_SPARE = 1e-3  # a line is made this much better than asked at its saddle, to be good enough further away
_MOST_LINES = 64


def delta_curve(composition: Composition, epsilons: Vector, rtol: float) -> tuple[Vector, Vector]:
    """Proven bounds on δ at each of the ε."""
    low, high = np.zeros(len(epsilons)), np.ones(len(epsilons))
    open_ = np.ones(len(epsilons), dtype=bool)
    if composition.others:
        for _ in range(_MOST_LINES):
            left = np.flatnonzero(open_ & (epsilons < composition.largest)).astype(np.int64)
            if not len(left) or not _with_line(composition, epsilons, left, low, high, open_, rtol):
                break
    for k in np.flatnonzero(open_).tolist():
        low[k], high[k] = delta_bounds(composition, float(epsilons[k]), rtol)
    return low, high


def _with_line(
    composition: Composition,
    epsilons: Vector,
    left: Indices,
    low: Vector,
    high: Vector,
    open_: NDArray[np.bool_],
    rtol: float,
) -> bool:
    """Settle what a line at the first open ε settles; False if it settles nothing."""
    target = left[np.argmin(epsilons[left])]
    try:
        saddle = saddle_for_epsilon(composition, float(epsilons[target]))
        made = certified_line(composition, saddle, _SPARE * rtol)
    except Uncertified:
        return False
    below, above = made.delta(epsilons[left])
    below, above = below + composition.infinite[0], np.minimum(above + composition.infinite[1], 1.0)
    done = above - below <= rtol * above
    settled = left[done]
    low[settled], high[settled] = below[done] * (1 - 1e-15), np.nextafter(above[done], 1.0)
    open_[settled] = False
    return bool(done.any())
