"""Enclosures of real numbers by python-flint's arb, and their ends as floats with a direction.

An `arb` is a ball that is proved to hold the number. The working precision of flint is one global setting, so every use
goes through `precision`, which holds a lock: without it another thread could change the precision midway. (The balls
would stay true, only wider.)
"""

import math
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx, fmpq, fmpz

_LOCK = threading.RLock()
if hasattr(os, "register_at_fork"):  # a child must not inherit a lock that a thread it does not have is holding
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)
_LARGEST = math.nextafter(math.inf, 0.0)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with balls of `bits` bits inside the block."""
    with _LOCK:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


def ball(number: Fraction | int | float) -> arb:
    """An enclosure of a number at the working precision; a float stands for its exact binary value."""
    if isinstance(number, Fraction):
        return arb(fmpq(number.numerator, number.denominator))
    if isinstance(number, int):
        return arb(fmpz(number))
    return arb(number)


def exact(end: arb) -> Fraction:
    """The value of an exact ball."""
    mantissa, exponent = (int(part) for part in end.man_exp())
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def upper(enclosure: arb) -> float:
    """Smallest float that is provably ≥ the number; +inf if none is known."""
    return 0.0 - lower(-enclosure)  # not −lower: zero has no sign here


def lower(enclosure: arb) -> float:
    """Largest float that is provably ≤ the number; −inf if none is known."""
    if enclosure.is_nan() or not enclosure.is_finite():
        return _lower_of_infinite(enclosure)
    end = enclosure.lower()
    near = float(end)
    if math.isinf(near):
        return _LARGEST if near > 0 else -math.inf
    return near + 0.0 if arb(near) <= end else math.nextafter(near, -math.inf)


def _lower_of_infinite(enclosure: arb) -> float:
    if enclosure.is_nan():
        return -math.inf
    return math.inf if enclosure > arb(_LARGEST) and enclosure.is_exact() else -math.inf


def floor_of(enclosure: arb) -> tuple[int, int]:
    """Floors of the two ends: equal when the floor of the number is settled."""
    return _floor(enclosure.lower()), _floor(enclosure.upper())


def _floor(end: arb) -> int:
    mantissa, exponent = (int(part) for part in end.man_exp())
    return mantissa << exponent if exponent >= 0 else mantissa >> -exponent  # which takes no room for exp(−10¹²)


def erfc(x: arb) -> arb:
    """The complementary error function.

    Where flint's ball is void or reaches 0 (|x| beyond some 10⁵, unless x is exact), from the two ends of x, since erfc
    falls; where that is void too, from 0 < erfc(x) < exp(−x²) for x > 1 and erfc(−x) = 2 − erfc(x).
    """
    value = x.erfc()
    if value.is_nan() or value.contains(0):
        value = x.lower().erfc().union(x.upper().erfc())
    if not value.is_nan():
        return value
    if x > 1:
        return arb(0).union((-x * x).exp())
    return 2 - erfc(-x) if x < -1 else value


def decide(question: Callable[[], bool | None], start: int = 128) -> bool:
    """Ask `question` at doubling precision until it answers; it returns None while its balls overlap.

    Ends only if the numbers compared differ; callers ask about numbers that do, or change them (with fresh random bits)
    between calls.
    """
    bits = start
    while True:
        with precision(bits):
            answer = question()
        if answer is not None:
            return answer
        bits *= 2
