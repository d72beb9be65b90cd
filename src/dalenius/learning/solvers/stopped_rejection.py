"""Rejection that stops by chance, so that the number of tries it may take costs nothing.

A cap of N tries cannot be paid for. With p the chance that a try is accepted, all N fail with chance (1 − p)^N, and for
some data p is about 1/N: there a neighbor whose p is half as large fails e^½ times as often and more, in probability
that is nowhere near a δ. Stopping before each try with a public chance γ instead gives

    P[S] = a(S) / (g + a(Θ)),    P[no answer] = g / (g + a(Θ)),    g = γ/(1 − γ),

where a(S) is the chance that one try is accepted in S. Both are ratios of quantities that neighbors change by bounded
factors, so the draw with its stop is as private as those factors say, for every γ, and no δ is spent; what γ does is
bound the expected number of tries by 1/γ  [LT19].
"""

from collections.abc import Callable
from typing import TypeVar

from dalenius.noise import Bits

T = TypeVar("T")
STOP_EXPONENT = 13
"""γ = 2⁻¹³: a draw whose tries are accepted half the time goes unanswered once in 4000."""


def tried(attempt: Callable[[], T | None], bits: Bits, stop_exponent: int | None = None) -> T | None:
    """The first attempt that succeeds, or None when chance stops before; attempts must be independent.

    The exponent of γ is public: STOP_EXPONENT if it is left out.
    """
    mask = (1 << (STOP_EXPONENT if stop_exponent is None else stop_exponent)) - 1
    while bits.integer(4) & mask:
        draw = attempt()
        if draw is not None:
            return draw
    return None
