"""The two laws of a mechanism's output on a pair of answers, enumerated.

On a fine lattice cells are lumped. Where the two laws pass one of the ratios e^ε of LEVELS, lumps are split down to
single cells, so that the hockey stick at those ε is that of the cells themselves.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from dalenius.mechanisms.mechanism import AdditiveMechanism
from dalenius.noise import SymmetricLaw
from dalenius.numerics import precision

LEVELS = 20
"""Hockey sticks are exact at the multiples of 1/LEVELS, up to 3."""
_LARGEST = 3.01
_FAR = Fraction(1, 10**30)
_CELLS = 4000
_LUMPS = 800
_LUMPS_JOINT = 60

Masses = tuple[arb, arb]


def additive_outcomes(mechanism: AdditiveMechanism, first: Sequence[int], second: Sequence[int]) -> list[Masses]:
    """Masses under x + Z and x' + Z of events that divide all outputs; x and x' in steps of the lattice.

    Coordinates are independent, so masses multiply; one that does not move tells nothing.
    """
    moving = [(x, y) for x, y in zip(first, second, strict=True) if x != y]
    with precision(160):
        lines = [_line(mechanism.noise, x, y, alone=len(moving) == 1) for x, y in moving]
        products: list[Masses] = []
        for point in itertools.product(*lines):
            p, q = arb(1), arb(1)
            for a, b in point:
                p, q = p * a, q * b
            products.append((p, q))
        return products


def stated_outcomes(mechanism: Any, first: Any, second: Any) -> list[Masses]:
    """Masses under two answers, for a mechanism that lists its own: `masses(answer)` gives all P[outcome]."""
    return list(zip(mechanism.masses(first), mechanism.masses(second), strict=True))


def _line(law: SymmetricLaw, x: int, y: int, *, alone: bool) -> list[Masses]:
    reach = int(law.radius(_FAR) / law.lattice.step) + 1
    low, high = min(x, y) - reach, max(x, y) + reach
    whole = high - low <= (_CELLS if alone else 2 * _LUMPS_JOINT)
    stride = 1 if whole else max(1, (high - low) // (_LUMPS if alone else _LUMPS_JOINT))
    edges = [*range(low, high, stride), high]
    lumps = [(_between(law, None, low, x), _between(law, None, low, y))]
    for left, right in itertools.pairwise(edges):
        lumps += _split(law, left, right, x, y) if alone else [_masses(law, left, right, x, y)]
    lumps.append((_between(law, high, None, x), _between(law, high, None, y)))
    return lumps


def _split(law: SymmetricLaw, left: int, right: int, x: int, y: int) -> list[Masses]:
    """(left, right], cut in two while the ratio of the laws passes a level between its first and its last cell."""
    if right - left == 1 or _level(law, left + 1, x, y) == _level(law, right, x, y):
        return [_masses(law, left, right, x, y)]
    middle = (left + right) // 2
    return _split(law, left, middle, x, y) + _split(law, middle, right, x, y)


def _level(law: SymmetricLaw, cell: int, x: int, y: int) -> float:
    p, q = _masses(law, cell - 1, cell, x, y)
    if not (p > 0 and q > 0):
        return math.inf if p > 0 else -math.inf if q > 0 else 0.0
    loss = min(max(float((p.log() - q.log()).mid()), -_LARGEST), _LARGEST) * LEVELS
    return round(loss) if abs(loss - round(loss)) < 1e-9 else math.floor(loss) + 0.5


def _masses(law: SymmetricLaw, left: int, right: int, x: int, y: int) -> Masses:
    return _between(law, left, right, x), _between(law, left, right, y)


def _between(law: SymmetricLaw, left: int | None, right: int | None, center: int) -> arb:
    """P[left < center + Z ≤ right], None being an infinite end; from tails on one side, so that no digit is lost."""
    if right is None:
        assert left is not None
        return _above(law, left - center)
    if left is None:
        return _above(law, center - right - 1)
    low, high = left - center, right - center
    if low >= 0:
        return (law.outside(low) - law.outside(high)) / 2
    if high < 0:
        return (law.outside(-high - 1) - law.outside(-low - 1)) / 2
    return 1 - (law.outside(high) + law.outside(-low - 1)) / 2


def _above(law: SymmetricLaw, step: int) -> arb:
    """P[Z > step]."""
    return law.outside(step) / 2 if step >= 0 else 1 - law.outside(-step - 1) / 2
