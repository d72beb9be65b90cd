"""Numbers with the digits that their error leaves meaning to, for people."""

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

from dalenius.curator.answer.measured import Value
from dalenius.escape import terminal

_PLACES = 3
_LEAST, _LARGEST = Decimal("1e-6"), Decimal("1e15")


def radius_above(radius: Value | None) -> str:
    """An error radius with two digits, rounded up.

    >>> radius_above(4512.3), radius_above(0.0123), radius_above(None)
    ('4,600', '0.013', '–')
    """
    if radius is None or math.isinf(radius):
        return "–" if radius is None else "∞"
    rounded = Context(prec=2, rounding=ROUND_CEILING).create_decimal(Decimal(radius))
    return f"{rounded:,f}" if rounded == 0 or _LEAST <= rounded < _LARGEST else f"{rounded:e}"


def places_of(errors: Sequence[Value | None]) -> int:
    """How many decimals the smallest error of a column leaves meaning to."""
    known = [error for error in errors if error is not None and 0 < error < math.inf]
    if not known:
        return _PLACES
    rounded = Context(prec=2, rounding=ROUND_CEILING).create_decimal(Decimal(min(known)))
    return min(max(0, 1 - rounded.adjusted()), 2 * _PLACES)


def number_shown(value: Any, places: int) -> str:
    """A number with this many decimals, and thousands apart; a text as a terminal may show it."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return terminal(str(value))
    if abs(value) >= _LARGEST:
        return f"{value:.4g}" if isinstance(value, float) else f"{value:,}"
    return f"{value:,}" if isinstance(value, int) else f"{round(value, places) + 0.0:,.{places}f}"
