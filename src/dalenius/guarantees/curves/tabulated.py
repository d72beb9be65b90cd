"""From a trade-off function that can only be evaluated to polylines on both sides of it."""

import math
from collections.abc import Callable
from fractions import Fraction

from dalenius.errors import InvalidParameter
from dalenius.guarantees.curves.polyline import Point, Polyline

_TOLERANCE = Fraction(1, 2**44)
"""How far a caller's floats may be off; what is reported allows for it."""


def enclosing_polylines(f: Callable[[float], float], nodes: int = 160) -> tuple[Polyline, Polyline]:
    """(floor, ceiling) of a convex f known at nodes that crowd toward 0 and 1.

    Convexity is all that is used: chords lie above f, and a chord prolonged beyond its ends lies below. Values
    that no trade-off function has (rising, bending down, above 1 − α, outside [0, 1]) are refused.
    """
    grid = _grid(nodes)
    values = [_value(f, x) for x in grid]
    _check(grid, values)
    ceiling = Polyline.under((x, min(value + _TOLERANCE, 1 - x)) for x, value in zip(grid, values, strict=True))
    return Polyline.under(_below(grid, values)), ceiling


def _grid(nodes: int) -> list[Fraction]:
    """0, then points whose log-odds are evenly spaced, then 1."""
    odds = [math.exp(-32 + 64 * i / (nodes - 1)) for i in range(nodes)]
    return [Fraction(0), *(Fraction(o / (1 + o)) for o in odds if o / (1 + o) < 1), Fraction(1)]


def _value(f: Callable[[float], float], x: Fraction) -> Fraction:
    value = float(f(float(x)))
    if math.isnan(value) or not 0 <= value <= 1:
        raise InvalidParameter(f"a trade-off function lies in [0, 1], got {value} at alpha = {float(x):.6g}")
    return Fraction(value)


def _check(grid: list[Fraction], values: list[Fraction]) -> None:
    for x, y in zip(grid, values, strict=True):
        if y > 1 - x + _TOLERANCE:
            raise InvalidParameter(
                f"a trade-off function stays at or below 1 - alpha, got {float(y):.6g} at alpha = {float(x):.6g}"
            )
    for i in range(1, len(grid)):
        if values[i] > values[i - 1] + _TOLERANCE:
            raise InvalidParameter(
                f"a trade-off function does not increase, but does before alpha = {float(grid[i]):.6g}"
            )
    for i in range(1, len(grid) - 1):
        left, right = grid[i] - grid[i - 1], grid[i + 1] - grid[i]
        chord = (values[i - 1] * right + values[i + 1] * left) / (left + right)
        if values[i] > chord + _TOLERANCE:
            raise InvalidParameter(f"a trade-off function is convex, but bends down at alpha = {float(grid[i]):.6g}")


def _below(grid: list[Fraction], values: list[Fraction]) -> list[Point]:
    """The nodes, lowered, and between two of them where the prolonged chords of their neighbors meet."""
    points: list[Point] = []
    last = len(grid) - 1
    for i in range(last):
        points.append((grid[i], values[i] - _TOLERANCE))
        lines = []
        if i >= 1:
            lines.append(_chord(grid, values, i - 1, i))
        if i + 2 <= last:
            lines.append(_chord(grid, values, i + 2, i + 1))
        points.extend(_lowest_corner(lines, grid[i], grid[i + 1]))
    return points


def _chord(grid: list[Fraction], values: list[Fraction], far: int, near: int) -> tuple[Fraction, Fraction, Fraction]:
    """(x, y, slope) of a line that f stays above beyond the near node, away from the far one."""
    y_far, y_near = values[far] + _TOLERANCE, values[near] - _TOLERANCE
    return grid[near], y_near, (y_near - y_far) / (grid[near] - grid[far])


def _lowest_corner(lines: list[tuple[Fraction, Fraction, Fraction]], left: Fraction, right: Fraction) -> list[Point]:
    """Vertices of the larger of the lines on [left, right]: their ends, and where they cross."""
    cuts = {left, right}
    if len(lines) == 2 and lines[0][2] != lines[1][2]:
        (x0, y0, s0), (x1, y1, s1) = lines
        cross = (y1 - s1 * x1 - y0 + s0 * x0) / (s0 - s1)
        if left < cross < right:
            cuts.add(cross)
    return [(x, max(y + s * (x - at) for at, y, s in lines)) for x in sorted(cuts)]
