"""A point of an ℓ1 ball at which a quadratic loss is proved to be all but least."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import count

from flint import arb, arb_mat

from dalenius.learning.sums.gram import Equations
from dalenius.numerics import ball, exact, precision

_FIRST_PRECISION = 192
_FIRST_DIGITS = 128
"""Of a coordinate of the point, after the binary point: cutting it moves the gap by 2⁻⁶⁰ for sums of int64."""
_THINNER = 8
"""What a stage divides the barrier by."""
_STAGES, _STEPS = 60, 200
"""Before more digits are taken."""
_CENTRED = 0.25


def nearly_least(equations: Equations, radius: Fraction, slack: Fraction) -> tuple[list[Fraction], Fraction]:
    """M with ‖m‖₁ ≤ B and s ≤ `slack`, s = 2(g·m + B‖g‖∞) with g = Pm − Q, in fractions.

    L = θᵀPθ − 2Q·θ has gradient 2g at m, and g·θ ≥ −B‖g‖∞ on the ball: so 2g·(θ − m) ≥ −s for all θ of it, and by
    convexity L(m) − s is no more than the least of L there  [Jag13, Thm 2]. Whatever digits lead to m, s is exact.

    The way to m is that of barriers: θ = p − q with p, q and B − Σ(p + q) positive, Newton's damped steps, and a
    barrier that gets thinner; the gap at its centre is (2d + 1)/t. More digits are taken until s is small enough, which
    happens for every positive definite P: damped steps come to the centre of a self-concordant barrier from anywhere.
    """
    for turn in count():
        with precision(_FIRST_PRECISION << turn):
            for theta in _central_path(equations, radius, slack):
                point = [_toward_zero(value, _FIRST_DIGITS << turn) for value in theta]
                gap = linear_gap(equations, point, radius)
                if gap <= slack and sum(map(abs, point)) <= radius:
                    return point, gap
    raise AssertionError


def linear_gap(equations: Equations, point: list[Fraction], radius: Fraction) -> Fraction:
    """2(g·m + B‖g‖∞): how far at most the loss at m lies above its least in the ball."""
    slope = half_gradient(equations, point)
    return 2 * (sum((g * m for g, m in zip(slope, point, strict=True)), Fraction(0)) + radius * max(map(abs, slope)))


def half_gradient(equations: Equations, point: list[Fraction]) -> list[Fraction]:
    """Pm − Q."""
    image = (sum((a * m for a, m in zip(row, point, strict=True)), Fraction(0)) for row in equations.matrix)
    return [value - q for value, q in zip(image, equations.products, strict=True)]


def _central_path(equations: Equations, radius: Fraction, slack: Fraction) -> Iterator[list[arb]]:
    """θ at the centres of thinner and thinner barriers, or where the digits gave out."""
    d = equations.size
    steep = radius * max(map(abs, equations.products)) + radius**2 * sum(
        row[i] for i, row in enumerate(equations.matrix)
    )
    force, parts = (1 / ball(steep + slack)).mid(), [(ball(radius) / (2 * d + 1)).mid()] * (2 * d)
    for _ in range(_STAGES):
        for _ in range(_STEPS):
            moved = _damped_step(equations, ball(radius), force, parts)
            if moved is None:
                return
            parts, decrement = moved
            if decrement < _CENTRED:
                break
        yield [(p - q).mid() for p, q in zip(parts[:d], parts[d:], strict=True)]
        force = (force * _THINNER).mid()


def _damped_step(equations: Equations, radius: arb, force: arb, parts: list[arb]) -> tuple[list[arb], arb] | None:
    """One step of t·L/2 − Σ log p − Σ log q − log(B − Σ(p + q)), and Newton's decrement; None where digits give out."""
    d = equations.size
    rest = (radius - sum(parts, arb(0))).mid()
    theta = [p - q for p, q in zip(parts[:d], parts[d:], strict=True)]
    pull = [
        force * (sum((a * x for a, x in zip(row, theta, strict=True)), arb(0)) - q)
        for row, q in zip(equations.matrix, equations.products, strict=True)
    ]
    slope = [way * h - 1 / p + 1 / rest for way, h, p in zip([1] * d + [-1] * d, pull * 2, parts, strict=True)]
    bend = [
        [_sign(i, j, d) * force * equations.matrix[i % d][j % d] + 1 / rest**2 for j in range(2 * d)]
        for i in range(2 * d)
    ]
    for i, part in enumerate(parts):
        bend[i][i] += 1 / part**2
    try:
        solved = arb_mat(bend).solve(arb_mat([[value] for value in slope])).tolist()
    except ZeroDivisionError:
        return None
    step = [row[0].mid() for row in solved]
    square = sum((s * g for s, g in zip(step, slope, strict=True)), arb(0)).mid()
    if not square.is_finite() or square < 0:
        return None
    decrement = square.sqrt().mid()
    pace = 1 / (1 + decrement) if decrement >= _CENTRED else arb(1)
    moved = [(p - pace * s).mid() for p, s in zip(parts, step, strict=True)]
    return (moved, decrement) if min(moved) > 0 and sum(moved, arb(0)) < radius else None


def _sign(i: int, j: int, d: int) -> int:
    return 1 if (i < d) == (j < d) else -1


def _toward_zero(value: arb, digits: int) -> Fraction:
    whole = exact(value.mid()) * (1 << digits)
    return Fraction(int(whole), 1 << digits)
