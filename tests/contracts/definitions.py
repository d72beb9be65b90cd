"""P[|Z| > z] of every noise law, from its definition, at 40 digits and without our own code."""

import importlib
import itertools
import math
from fractions import Fraction

import mpmath


def real(number):
    return mpmath.mpf(number.numerator) / number.denominator


def geometric(mechanism, z):
    q = mpmath.exp(-1 / real(mechanism.scale))
    return 2 * q ** (math.floor(z) + 1) / (1 + q)


def laplace(mechanism, z):
    b = real(mechanism.scale)
    return 2 * mpmath.quad(lambda y: mpmath.exp(-y / b) / (2 * b), [z, z + 5 * b, z + 30 * b, mpmath.inf])


def gaussian(mechanism, z):
    return 2 * mpmath.ncdf(-z, 0, real(mechanism.scale))


def discrete_gaussian(mechanism, z):
    s = real(mechanism.scale)
    reach = int(40 * mechanism.scale) + 40
    mass = {k: mpmath.exp(-(k**2) / (2 * s**2)) for k in range(-reach, reach + 1)}
    return mpmath.fsum(m for k, m in mass.items() if abs(k) > z) / mpmath.fsum(mass.values())


def truncated_laplace(mechanism, z):
    b, end = real(mechanism.scale), real(mechanism.bound)
    if z >= end:
        return mpmath.mpf(0)
    density = lambda y: mpmath.exp(-y / b)  # noqa: E731
    return mpmath.quad(density, [z, end]) / mpmath.quad(density, [0, end])


def staircase(mechanism, z):
    """The sum of its rectangles."""
    width, share, b = real(mechanism.width), real(mechanism.share), mpmath.exp(-real(mechanism.loss))
    beyond = total = mpmath.mpf(0)
    for k in range(300):
        for left, right, height in ((k, k + share, b**k), (k + share, k + 1, b ** (k + 1))):
            total += (right - left) * height
            beyond += max(mpmath.mpf(0), right - max(left, z / width)) * height
    return beyond / total


def tulap(mechanism, z):
    """|G + U| > z: geometric and uniform, given that its quantile lies in [q/2, 1 − q/2]."""
    b, d, x = mpmath.exp(-real(mechanism.epsilon)), real(mechanism.delta), z / real(mechanism.width)
    q = 2 * d * b / (1 - b + 2 * d * b)
    above = lambda g: min(mpmath.mpf(1), max(mpmath.mpf(0), g + mpmath.mpf(1) / 2 - x))  # noqa: E731
    tail = mpmath.fsum((1 - b) / (1 + b) * b ** abs(g) * above(g) for g in range(-300, 301))
    return 2 * max(mpmath.mpf(0), (tail - q / 2) / (1 - q))


def canonical(mechanism, z):
    """The recursion F(x) = f(1 − F(x + 1)) from F linear on [−½, ½]."""
    points = [(real(x), real(y)) for x, y in mechanism.f.vertices]

    def f(alpha):
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            if x0 <= alpha <= x1:
                return y0 + (y1 - y0) * (alpha - x0) / (x1 - x0)
        return mpmath.mpf(0)

    def cdf(x):
        if x < -mpmath.mpf(1) / 2:
            return f(1 - cdf(x + 1))
        return c * (mpmath.mpf(1) / 2 - x) + (1 - c) * (x + mpmath.mpf(1) / 2)

    c = mpmath.findroot(lambda a: f(a) - a, (0, mpmath.mpf(1) / 2), solver="bisect", tol=1e-38)
    return 2 * cdf(-z / real(mechanism.width))


TAILS = {
    law.__name__: law
    for law in (geometric, laplace, gaussian, discrete_gaussian, truncated_laplace, staircase, tulap, canonical)
}


WHOLE = {"geometric", "discrete_gaussian"}
"""Laws on the integers; the others are continuous and rounded to a lattice, which may be the integers too."""


def outside(mechanism, steps):
    """P[|Z| > steps] of the law that is released: rounded to the lattice where it is continuous."""
    with mpmath.workdps(40):
        name = mechanism.name
        half = Fraction(0) if name in WHOLE else Fraction(1, 2)
        return tail_of(name)(mechanism, real((steps + half) * mechanism.lattice.step))


def tail_of(name):
    """The tail that is written here, or by the test of a mechanism that came later: `tail(mechanism, z)`."""
    if name in TAILS:
        return TAILS[name]
    try:
        return importlib.import_module(f"tests.mechanisms.test_{name}").tail
    except (ImportError, AttributeError) as missing:
        raise AssertionError(
            f"write P[|Z| > z] of {name!r} from its definition, with mpmath and without our own code: "
            f"def tail(mechanism, z) in tests/mechanisms/test_{name}.py (CONTRIBUTING.md, a mechanism)"
        ) from missing
