"""Whether what is declared of one column is something that the column can hold."""

from datetime import date
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.numerics import rational
from dalenius.queries import Keys
from dalenius.sql.policy.by_table import DeclaredBounds
from dalenius.sql.types.column_types import KEY_TYPES, fits, stored
from dalenius.sql.types.kinds import Kind

FARTHEST = 10**100


def check_keys(name: str, keys: Keys, kind: str) -> None:
    """Refuse keys that the column cannot hold, or of which two are one there."""
    if kind not in KEY_TYPES:
        raise InvalidParameter(f"{name!r} is a column of {kind}: keys must be text, numbers or booleans")
    if bad := [value for value in keys.values if not fits(value, kind)]:
        raise InvalidParameter(f"{name!r} is a column of {kind}: {bad[0]!r} cannot be one of its keys")
    if any(isinstance(value, str) and "\0" in value for value in keys.values):
        raise InvalidParameter(f"keys of {name!r} must have no zero character")
    if len({stored(value, kind) for value in keys.values}) != len(keys):
        raise InvalidParameter(f"{name!r} is a column of {kind}: two of its keys are one number there")


def check_day(day: Any) -> None:
    """Refuse what is no day."""
    try:
        date.fromisoformat(day)
    except (TypeError, ValueError):
        raise InvalidParameter(f"as_of must be a day such as 2024-01-31, got {day!r}") from None


def check_bounds(name: str, ends: DeclaredBounds, kind: Kind | None) -> None:
    """Refuse bounds that bound nothing."""
    if kind in (Kind.DATE, Kind.TIMESTAMP):
        try:
            ordered = date.fromisoformat(str(ends[0])) <= date.fromisoformat(str(ends[1]))
        except ValueError:
            ordered = False
        if not ordered:
            raise InvalidParameter(f"bounds of {name!r} must be two dates such as 2024-01-31, got {ends!r}")
        return
    if kind is not Kind.NUMBER:
        raise InvalidParameter(f"bounds of {name!r} mean nothing: it holds neither numbers nor dates")
    low, high = rational(ends[0], "bounds"), rational(ends[1], "bounds")
    if not low <= high or max(abs(low), abs(high)) > FARTHEST:
        raise InvalidParameter(f"bounds of {name!r} must be (lowest, highest) within ±1e100, got {ends!r}")
