"""Roots of monotone functions as brackets: two points with the root proved to lie between them.

The function answers with an enclosure, so at some points it cannot say on which side of the target it is. Such points
end the bisection and the two proved ends are then moved toward them, one after the other: a function that knows little
gives a wide bracket, never a wrong one. Floats are bisected by their rank among all floats, which needs at most 64
halvings from any bracket, 1e-300 to 1e300 too.
"""

import math
import struct
from collections.abc import Callable
from typing import NamedTuple

from flint import arb

from dalenius.errors import InvalidParameter
from dalenius.numerics.enclosure import lower, upper

Enclosure = arb | tuple[float, float]
"""What is known of a number: a ball, or a (lower, upper) pair of floats."""


class Bracket(NamedTuple):
    """`below` ≤ root ≤ `above`: f(below) ≤ target ≤ f(above) for an increasing f, both proved."""

    below: float
    above: float


class IntegerBracket(NamedTuple):
    """As `Bracket`, in integers of any size; neighbors when f can always decide."""

    below: int
    above: int


def bracket_increasing(
    f: Callable[[float], Enclosure],
    target: float,
    low: float,
    high: float,
    *,
    rtol: float = 1e-9,
    guess: float | None = None,
) -> Bracket:
    """Where an increasing f passes `target`: within `rtol`, on either side of the points where f cannot decide.

    `guess` may come from a solver that proves nothing: if f decides at guess·(1 ± rtol/3), two evaluations are the
    whole proof.
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InvalidParameter(f"a bracket needs finite low < high, got {low} and {high}")
    if not rtol >= 0:
        raise InvalidParameter(f"rtol must be ≥ 0, got {rtol}")

    def narrow(below: int, above: int) -> bool:
        left, right = _float(below), _float(above)
        return right - left <= rtol * min(abs(left), abs(right))

    def side(rank: int) -> tuple[bool, bool]:
        return _side(f(_float(rank)), target)

    first, last = _rank(low), _rank(high)
    below, above = _around(side, guess, rtol, first, last)
    _refuse_unless_bracket(side, (below, above), (first, last), f"{low} and {high}", target)
    return Bracket(*map(_float, _bisect(side, below, above, narrow)))


def bracket_decreasing(
    f: Callable[[float], Enclosure],
    target: float,
    low: float,
    high: float,
    *,
    rtol: float = 1e-9,
    guess: float | None = None,
) -> Bracket:
    """As `bracket_increasing` for a decreasing f: f(below) ≥ target ≥ f(above)."""
    return bracket_increasing(lambda x: _negated(f(x)), -target, low, high, rtol=rtol, guess=guess)


def bracket_integer(f: Callable[[int], Enclosure], target: float, low: int, high: int) -> IntegerBracket:
    """Integers with f(below) ≤ target ≤ f(above) for an increasing f, in at most 3·log2(high − low) evaluations."""
    if not low < high:
        raise InvalidParameter(f"a bracket needs low < high, got {low} and {high}")

    def side(n: int) -> tuple[bool, bool]:
        return _side(f(n), target)

    _refuse_unless_bracket(side, (low, high), (low, high), f"{low} and {high}", target)
    return IntegerBracket(*_bisect(side, low, high, lambda _below, _above: False))


Side = Callable[[int], tuple[bool, bool]]
"""Whether f ≤ target, and whether f ≥ target, is proved at a point."""


def _bisect(side: Side, below: int, above: int, narrow: Callable[[int, int], bool]) -> tuple[int, int]:
    """Proved ends that are neighbors, or `narrow`, or as near to an undecided point as f allows."""
    while above - below > 1 and not narrow(below, above):
        middle = (below + above) // 2
        at_most, at_least = side(middle)
        if not (at_most or at_least):
            return (
                _advance(side, 0, below, middle, narrow),
                _advance(side, 1, above, middle, lambda a, b: narrow(b, a)),
            )
        below, above = middle if at_most else below, middle if at_least else above
    return below, above


def _advance(side: Side, wanted: int, proved: int, undecided: int, narrow: Callable[[int, int], bool]) -> int:
    """Move a proved end toward an undecided point; `proved` is proved at every step."""
    while abs(undecided - proved) > 1 and not narrow(proved, undecided):
        middle = (proved + undecided) // 2
        if side(middle)[wanted]:
            proved = middle
        else:
            undecided = middle
    return proved


def _around(side: Side, guess: float | None, rtol: float, first: int, last: int) -> tuple[int, int]:
    """Proved ends near a guess, looked for at distances that grow 16-fold; the ends given where that finds none."""
    below, above = first, last
    if guess is None or not math.isfinite(guess):
        return below, above
    gap = max(rtol / 3, 2.0**-52)
    while gap < 1 and (below == first or above == last):
        left, right = sorted((_rank(guess * (1 - gap)), _rank(guess * (1 + gap))))
        if below == first < left < last and side(left)[0]:
            below = left
        if above == last > right > first and side(right)[1]:
            above = right
        gap *= 16
    return below, above


def _refuse_unless_bracket(
    side: Side, proved: tuple[int, int], given: tuple[int, int], ends: str, target: float
) -> None:
    """An end that the guess has not replaced is still to be proved."""
    below, above = proved
    if below == given[0] and not side(below)[0]:
        raise InvalidParameter(f"not a bracket: between {ends}, f at the lower is not provably ≤ {target}")
    if above == given[1] and not side(above)[1]:
        raise InvalidParameter(f"not a bracket: between {ends}, f at the upper is not provably ≥ {target}")


def _side(value: Enclosure, target: float) -> tuple[bool, bool]:
    smallest, largest = _ends(value)
    return largest <= target, smallest >= target


def _ends(value: Enclosure) -> tuple[float, float]:
    return value if isinstance(value, tuple) else (lower(value), upper(value))


def _negated(value: Enclosure) -> tuple[float, float]:
    smallest, largest = _ends(value)
    return -largest, -smallest


def _rank(x: float) -> int:
    """Position of a float among all floats in order: 0 for ±0, 1 for the smallest above."""
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits if bits >= 0 else -(bits + 2**63)


def _float(rank: int) -> float:
    """The float at a position."""
    bits = rank if rank >= 0 else -rank - 2**63
    x: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return x
