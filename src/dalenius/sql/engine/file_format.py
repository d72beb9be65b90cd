"""How a file is written: rules that its owner declares, each of which holds for every row by itself.

Nothing is guessed when a table is opened for questions: one odd row would change what all others mean. What is guessed
by `dalenius policy init`, once and for the owner, is written into the policy as one of these rules.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from dalenius.calls import check_mapping
from dalenius.errors import InvalidParameter
from dalenius.sql.types.time_zones import time_zone

ENCODINGS = ("utf-8", "latin-1")
DECIMALS = (".", ",")
DELIMITERS = (",", ";", "\t", "|")
_DATES = re.compile(r"(?=.*%[Yy])(?=.*%m)(?=.*%d)(%[Ymdy]|[-./ ])+")


@dataclass(frozen=True, slots=True)
class FileFormat:
    """What stands between fields and in numbers, how dates are written, what means NULL, and which sheet is read.

    `delimiter` is that of a CSV; None is the one that its name tells: a tab in .tsv, else a comma. With `decimal` = ","
    a number is written 1.234,50 or 1234,50. `dates` is a format such as "%d.%m.%Y", behind which a time of day may
    stand; None is ISO 8601. `nulls` are texts that stand for NULL in every column. `sheet` is one of an Excel file;
    None is its first. `zones` name the zone whose clock a column of times shows: a time with an offset, or of a column
    with a zone, is read on that clock, and a time without one is a time on it.
    """

    delimiter: str | None = None
    decimal: str = "."
    dates: str | None = None
    encoding: str = "utf-8"
    nulls: tuple[str, ...] = ()
    sheet: str | None = None
    zones: tuple[tuple[str, str], ...] = ()

    @classmethod
    def declared(cls, table: str, given: Any) -> "FileFormat":
        """Made of the owner's words, each of which is checked."""
        known = [one.name for one in fields(cls)]
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping) or (unknown := sorted(set(given) - set(known))):
            unknown_word = "" if not isinstance(given, Mapping) else f"; there is no {unknown[0]!r}"
            raise InvalidParameter(f"formats={{{table!r}: {{…}}}} takes {', '.join(known)}{unknown_word}")
        terms = dict(given)
        nulls = terms.get("nulls", ())
        if isinstance(nulls, str) or not all(isinstance(text, str) for text in nulls):
            raise InvalidParameter(f"nulls of {table!r} must be a list of texts such as ['n/a'], got {nulls!r}")
        check_mapping(terms.get("zones"), "zones", "{'arrived': 'Europe/Berlin'}")
        return cls(**{**terms, "nulls": tuple(nulls), "zones": tuple((terms.get("zones") or {}).items())})

    def zone_of(self, column: str) -> str | None:
        """The zone whose clock a column shows, if its owner declared one."""
        return next((zone for name, zone in self.zones if name.lower() == column.lower()), None)

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("delimiter", self.delimiter, (None, *DELIMITERS)),
            ("decimal", self.decimal, DECIMALS),
            ("encoding", self.encoding, ENCODINGS),
        ):
            if value not in allowed:
                listed = ", ".join(repr(one) for one in allowed if one is not None)
                raise InvalidParameter(f"{name} of a file is one of {listed}, got {value!r}")
        if self.delimiter == self.decimal == ",":
            raise InvalidParameter("a comma cannot be both what stands between fields and in numbers")
        if self.dates is not None and not (isinstance(self.dates, str) and _DATES.fullmatch(self.dates)):
            raise InvalidParameter(f"dates of a file are a format such as '%d.%m.%Y', got {self.dates!r}")
        for _, zone in self.zones:
            time_zone(zone)
        if self.sheet is not None and not isinstance(self.sheet, str):
            raise InvalidParameter(f"sheet must be the name of a sheet, got {self.sheet!r}")

    def to_terms(self) -> dict[str, Any]:
        """What a policy file keeps: only what is not as it would be anyway."""
        plain = type(self)()
        kept = {one.name: getattr(self, one.name) for one in fields(self)}
        kept["nulls"], kept["zones"] = list(self.nulls), dict(self.zones)
        return {name: value for name, value in kept.items() if value and value != getattr(plain, name)}


PLAIN = FileFormat()
