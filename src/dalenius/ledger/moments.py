"""Time that never goes back: clocks jump, and an end that has passed stays passed."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from dalenius.errors import InvalidParameter


def written(moment: datetime) -> str:
    """A moment as entries hold it: in UTC and whole seconds, so that texts sort as times do."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def read_moment(value: datetime | str, name: str) -> str:
    """A moment that a caller gave, as entries hold it; a time without a zone is in UTC."""
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        return written(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (TypeError, ValueError, OverflowError):  # in UTC, a time of the last day may be one of the year 10000
        raise InvalidParameter(
            f"{name} must be a time such as 2027-01-01 or 2027-01-01T12:00, got {value!r:.50}"
        ) from None


def later(last: str | None, now: str) -> str:
    """The later of the last entry and the clock."""
    return now if last is None else max(last, now)


def not_before(last: str | None, body: Mapping[str, Any]) -> str | None:
    """The latest time after a link; ValueError if the link is dated before the one that it follows.

    Links of the first two versions hold the clock as it was, so theirs may go back.
    """
    stated = body.get("time")
    if not stated:
        return None
    if body.get("version", 0) < 3:
        return later(last, written(datetime.fromisoformat(stated)))
    if last is not None and stated < last:
        raise ValueError("an entry is dated before the one that it follows")
    return str(stated)
