"""Audits as assertions: for a test, and for a suite of tests that shares one level."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from dalenius.audit.bound import draws_missing, lower_bound
from dalenius.audit.report import Report
from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.guarantees import Guarantee
from dalenius.noise import Bits

Function = TypeVar("Function", bound=Callable[..., Any])

SUITE_ALPHA = 1e-3
"""The level of an assertion, and of a whole run of tests: small enough that a sound suite does not flake."""
MARK = "dalenius_private"


@named_arguments
def assert_private(
    mechanism: Any,
    claim: Guarantee,
    *,
    x: Any,
    x2: Any,
    draws: int = 20_000,
    alpha: float = SUITE_ALPHA,
    bits: Bits | None = None,
    seconds: float | None = None,
) -> Report:
    """Fail, with the pair, the event, its counts and the bound, if a claim is refuted at level alpha.

    A mechanism that keeps its claim fails with probability at most alpha. Too few draws to refute the claim by any
    event is refused: such a test could not fail.

    >>> from dalenius.guarantees import PureDP
    >>> assert_private(sum, PureDP(1), x=[1, 1], x2=[1], draws=1000)
    Traceback (most recent call last):
    AssertionError: the claim PureDP(1) does not hold ...
    """
    missing = draws_missing(claim, draws, alpha)
    if missing is not None:
        raise InvalidParameter(missing)
    report = lower_bound(mechanism, x, x2, claim=claim, draws=draws, alpha=alpha, bits=bits, seconds=seconds)
    if report.rejects:
        raise AssertionError(failure(report, x, x2, bits))
    return report


def failure(report: Report, x: Any, x2: Any, bits: Bits | None = None) -> str:
    """All that someone needs to see the failure again."""
    source = "fresh bits; pass seeded ones to repeat it" if bits is None else repr(bits)
    return "\n".join(
        [f"the claim {report.claim!r} does not hold", f"x  = {_short(x)}", f"x2 = {_short(x2)}", str(report), source]
    )


@dataclass(frozen=True, slots=True)
class Promise:
    """What `private` notes on a function: its claim, the pairs to try it on, and the draws that each takes."""

    claim: Guarantee
    pairs: tuple[tuple[Any, Any], ...]
    draws: int | None


@named_arguments
def private(
    claim: Guarantee, *, x: Any = None, x2: Any = None, pairs: Any = None, draws: int | None = None
) -> Callable[[Function], Function]:
    """Declare what a mechanism promises; the pytest plugin audits it wherever it is collected.

    The function stays as it is. One level is shared by a whole run of tests, so that a clean suite does not flake.
    """
    given = tuple((a, b) for a, b in pairs) if pairs is not None else ((x, x2),)

    def note(function: Function) -> Function:
        setattr(function, MARK, Promise(claim, given, draws))
        return function

    return note


def promise_of(function: Any) -> Promise | None:
    """What `private` noted, if anything."""
    promise = getattr(function, MARK, None)
    return promise if isinstance(promise, Promise) else None


def holm(p_values: list[float], alpha: float) -> list[bool]:
    """Which claims are rejected when the whole family has level alpha  [Hol79]."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    rejected = [False] * len(p_values)
    for rank, index in enumerate(order):
        if p_values[index] > alpha / (len(p_values) - rank):
            break
        rejected[index] = True
    return rejected


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 400 else f"{shown[:380]}… ({len(shown)} characters)"
