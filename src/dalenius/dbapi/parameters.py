"""Values in the place of question marks."""

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from numbers import Integral
from typing import Any, NoReturn

from dalenius.dbapi.errors import DataError, ProgrammingError
from dalenius.sql import LONGEST, placeholders, text_literal

_MOST_BITS = 1000


def bound(operation: str, parameters: Sequence[Any] | None) -> str:
    """The text with each `?` outside quotes replaced by a literal; the language then reads it like any text.

    A literal holds one value whatever its letters are, so a parameter cannot become a part of the query.
    """
    if parameters is None or (not isinstance(parameters, str | Mapping) and len(parameters) == 0):
        return operation
    if isinstance(parameters, str | bytes | Mapping) or not isinstance(parameters, Sequence):
        raise ProgrammingError("parameters are a list or tuple, one value for each ? in the query")
    if not isinstance(operation, str) or len(operation) > LONGEST:
        raise ProgrammingError(f"a query is a text of at most {LONGEST} characters")
    places = placeholders(operation)
    if len(places) != len(parameters):
        raise ProgrammingError(f"the query has {len(places)} of ?, and {len(parameters)} values were given")
    parts, start = [], 0
    for place, value in zip(places, parameters, strict=True):
        parts += [operation[start:place], literal(value)]
        start = place + 1
    return "".join([*parts, operation[start:]])


def literal(value: Any) -> str:
    """A value as the language writes it."""
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    if isinstance(value, str):
        return text_literal(value)
    if isinstance(value, datetime) and value.tzinfo is None:
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, date) and not isinstance(value, datetime):
        return f"DATE '{value.isoformat()}'"
    written = _number(value)
    return f"({written})" if written.startswith("-") else written


def _number(value: Any) -> str:
    if isinstance(value, Integral) and int(value).bit_length() <= _MOST_BITS:
        return str(int(value))
    if isinstance(value, float) and math.isfinite(value):
        return repr(float(value))
    return str(value) if isinstance(value, Decimal) and value.is_finite() else _refuse(value)


def _refuse(value: Any) -> NoReturn:
    kind = type(value).__name__
    raise DataError(f"a parameter is text, a finite number, a boolean, a date, a plain time or None, got a {kind}")
