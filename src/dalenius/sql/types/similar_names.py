"""A name that nobody declared, beside the one that may be meant."""

from collections.abc import Iterable
from difflib import get_close_matches

_ALIKE = 0.7


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like one that is not; None if none is. Names are public, and read from no row."""
    spelled = {one.lower(): one for one in known}
    close = get_close_matches(name.lower()[:80], spelled, 1, _ALIKE)
    return spelled[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question for a refusal, in parentheses, or nothing.

    >>> did_you_mean("amuont", ["amount", "category"])
    " (did you mean 'amount'?)"
    """
    meant = nearest_name(name, known)
    return "" if meant is None else f" (did you mean {meant!r}?)"
