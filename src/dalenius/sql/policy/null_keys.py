"""Columns whose NULL is a group of its own: None among their keys in Python, `null_keys` in a file."""

from collections.abc import Iterable, Mapping
from typing import Any

from dalenius.calls import shown
from dalenius.errors import InvalidParameter
from dalenius.queries import Key


def split_nulls(
    keys: Mapping[str, Iterable[Key]] | None, null_keys: Iterable[str] | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The keys without None, and the columns that have NULL as a key by either spelling.

    >>> split_nulls({"diagnosis": ["A", None], "discharged": [None]}, ["sex"])
    ({'diagnosis': ['A']}, ('sex', 'diagnosis', 'discharged'))
    """
    names = null_keys if isinstance(null_keys, Iterable) else ()
    columns = list(names)
    wrong = isinstance(null_keys, str) or not isinstance(null_keys, Iterable | None)
    if wrong or not all(isinstance(name, str) for name in columns):
        raise InvalidParameter(f"null_keys must be a list of columns such as ['diagnosis'], got {shown(null_keys)}")
    values: dict[str, Any] = {}
    for name, given in (keys or {}).items():
        listed = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else given
        if not isinstance(listed, list) or not any(value is None for value in listed):
            values[name] = listed
            continue
        columns.append(name)
        if sum(value is None for value in listed) > 1:
            raise InvalidParameter(f"keys of {name!r} must differ from each other: name None once")
        if present := [value for value in listed if value is not None]:
            values[name] = present
    return values, tuple(dict.fromkeys(columns))
