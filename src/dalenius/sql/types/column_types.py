"""Column types: which of the language they are, and what keys and units they may hold."""

import numpy as np

from dalenius.queries import Key
from dalenius.sql.types.kinds import Kind

_INTEGERS = {
    **{"TINYINT": (-(2**7), 2**7), "SMALLINT": (-(2**15), 2**15), "INTEGER": (-(2**31), 2**31)},
    **{"BIGINT": (-(2**63), 2**63), "HUGEINT": (-(2**127), 2**127)},
    **{"UTINYINT": (0, 2**8), "USMALLINT": (0, 2**16), "UINTEGER": (0, 2**32), "UBIGINT": (0, 2**64)},
}
REALS = frozenset({"FLOAT", "DOUBLE"})
_KINDS = {
    **dict.fromkeys((*_INTEGERS, *REALS, "DECIMAL"), Kind.NUMBER),
    **{"VARCHAR": Kind.TEXT, "BOOLEAN": Kind.BOOLEAN, "DATE": Kind.DATE},
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), Kind.TIMESTAMP),
}

KEY_TYPES = frozenset({"VARCHAR", "BOOLEAN"}) | REALS | _INTEGERS.keys()
UNIT_TYPES = frozenset({"VARCHAR", "UUID", "DATE"}) | _INTEGERS.keys()
"""No floats: what counts as one person must not hang on rounding.

No timestamps: a row whose milliseconds do not fit into DuckDB's microseconds would make the query fail.
"""
_BOOLEANS = {"true": True, "false": False}
FILE_TYPES = ("BIGINT", "BOOLEAN", "DATE", "DOUBLE", "FLOAT", "INTEGER", "TIMESTAMP", "VARCHAR")
"""What a column of a CSV file may be declared as."""


def type_name(declared: str) -> str:
    """An engine's type without what stands in its parentheses: an ENUM lists values there, a DECIMAL tells digits.

    Both may have been taken from rows, so neither is shown to anyone or needed by a rule.
    """
    name, mark, rest = declared.partition("(")
    return f"{name}[]" if mark and rest.endswith("]") else name


def kind_of(declared: str) -> Kind | None:
    """The type that an engine's type is in the language; None if it has none."""
    return _KINDS.get(type_name(declared))


def is_read(declared: str) -> bool:
    """Whether a column of this type may be read at all: one of another may make the scan fail at a row."""
    return kind_of(declared) is not None or declared in UNIT_TYPES


def is_decimal(declared: str) -> bool:
    """Whether a column holds decimal fractions."""
    return type_name(declared) == "DECIMAL"


def is_whole(declared: str) -> bool:
    """Whether a column of this type holds whole numbers only."""
    return declared in _INTEGERS


def stored(value: Key, kind: str) -> Key:
    """The value as a column of this type holds it: single precision rounds, so that two keys may become one."""
    return float(np.float32(value)) if kind == "FLOAT" else value


def fits(value: Key, kind: str) -> bool:
    """Whether a declared key is a value that a column of this type can hold, so that its typed literal never fails."""
    if kind in _INTEGERS:
        low, high = _INTEGERS[kind]
        return isinstance(value, int) and not isinstance(value, bool) and low <= value < high
    if kind in REALS:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, bool if kind == "BOOLEAN" else str)


def written(text: str, kind: str) -> Key:
    """A key of this type that someone wrote down as text; what is none stays text, and does not fit."""
    try:
        if kind in _INTEGERS:
            return int(text)
        if kind in REALS:
            return float(text)
    except ValueError:
        return text
    return _BOOLEANS.get(text.lower(), text) if kind == "BOOLEAN" else text
