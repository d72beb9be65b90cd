"""Numbers with the digits that their error leaves meaning to, for people."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
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
    if radius is None or not math.isfinite(radius):
        return "∞" if radius is not None and math.isinf(radius) else "–"
    rounded = Context(prec=2, rounding=ROUND_CEILING).create_decimal(Decimal(radius))
    return f"{rounded:,f}" if rounded == 0 or _LEAST <= rounded < _LARGEST else f"{rounded:e}"


def places_of(errors: Sequence[Value | None]) -> int:
    """How many decimals the smallest error of a column leaves meaning to."""
    known = [error for error in errors if error is not None and 0 < error < math.inf]
    if not known:
        return _PLACES
    rounded = Context(prec=2, rounding=ROUND_CEILING).create_decimal(Decimal(min(known)))
    return min(max(0, 1 - rounded.adjusted()), 2 * _PLACES)


@dataclass(frozen=True, slots=True)
class Digits:
    """How the numbers of a column are written: with how many decimals, and whether as the whole numbers they count.

    A count of which some are weighted down lies on a fine grid, and its fraction says nothing beside an error of 1 and
    more: then it is rounded to a whole number, and what rounding moved, a half at most, is added to the error.
    """

    places: int
    whole: bool = False

    @classmethod
    def of(cls, errors: Sequence[Value | None], counts: bool = False) -> "Digits":
        """Those that the smallest error of a column leaves meaning to; `counts` says that it counts rows or people."""
        known = [error for error in errors if error is not None and error > 0]
        if counts and known and all(error >= 1 for error in known):
            return cls(0, whole=True)
        return cls(places_of(errors))

    def number(self, value: Any) -> str:
        """A number of the column."""
        return number_shown(value, self.places)

    def radius(self, error: Value | None) -> str:
        """An error of the column, with two digits, rounded up; of a count that is rounded, a whole number."""
        if not self.whole or not isinstance(error, float) or not math.isfinite(error):
            return radius_above(error)
        return radius_above(math.ceil(Fraction(error) + Fraction(1, 2)))


def number_shown(value: Any, places: int) -> str:
    """A number with this many decimals, and thousands apart; a text as a terminal may show it."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return terminal(str(value))
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{value:.4g}"
    if abs(value) >= _LARGEST:
        return f"{value:.4g}" if isinstance(value, float) else f"{value:,}"
    return f"{value:,}" if isinstance(value, int) else f"{round(value, places) + 0.0:,.{places}f}"
