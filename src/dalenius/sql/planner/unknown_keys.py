"""Keys that nobody declared: a search finds those that enough units share."""

from dataclasses import dataclass

from dalenius.errors import InvalidParameter
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind

MOST_GROUPS = 2**20
_MOST_SHOWN = 100
"""Letters of a term that are shown in a sentence about it."""
LONGEST_KEY = 1024
"""Bytes of a text that may be a key: a longer one is in no group, so that what is fetched has a bounded width."""


@dataclass(frozen=True, slots=True)
class KeySearch:
    """How unknown keys are found: a unit counts in at most `groups` of them, fewer than `min_units` units name none.

    Which groups of a unit count is the order of a public hash of `salt`, the unit and the key: the unit's own rows
    decide it, nobody else's.
    """

    groups: int = 1
    min_units: int = 1
    salt: str = ""

    def __post_init__(self) -> None:
        for name, value, most in (("groups", self.groups, MOST_GROUPS), ("min_units", self.min_units, 2**62 - 1)):
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise InvalidParameter(f"{name} must be a whole number ≥ 1, got {value!r}")
        if not isinstance(self.salt, str) or "\0" in self.salt or len(self.salt) > LONGEST_KEY:
            raise InvalidParameter(f"salt must be a text of at most {LONGEST_KEY} characters, none of them zero")


@dataclass(frozen=True, slots=True)
class UnknownKey:
    """One term of GROUP BY whose values are not public: which of the terms it is, and what kind of values it has."""

    name: str
    place: int
    kind: Kind
    time: Kind | None = None
    """What the texts that are found are, where they are dates or times."""
    can_be_null: bool = False
    """Whether it is NULL in some rows, for all that is public: these are in no group."""

    @property
    def column(self) -> str:
        """What the engine calls it."""
        return f"key{self.place}"

    @property
    def shown(self) -> str:
        """The term as people read it, a long one by its beginning."""
        plain = self.name.replace(f'"{SOURCE}".', "")
        return plain if len(plain) <= _MOST_SHOWN else f"{plain[: _MOST_SHOWN - 1]}…"

    @property
    def with_null(self) -> str:
        """A term that gives rows whose key is NULL a group."""
        if self.kind is Kind.NUMBER:
            return f"COALESCE({self.shown}, -1)"
        return f"COALESCE({self.shown if self.time is None else f'CAST({self.shown} AS VARCHAR)'}, 'none')"


@dataclass(frozen=True, slots=True)
class UnknownKeys:
    """The terms of a GROUP BY whose values are not public, of which there is at least one, and how they are found."""

    keys: tuple[UnknownKey, ...]
    search: KeySearch
