"""What the owner has declared of the data: all that a plan may know."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dalenius.calls import shown
from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Relation, Unit
from dalenius.numerics import rational
from dalenius.queries import Key, Keys
from dalenius.queries.bounds import Ends


@dataclass(frozen=True, slots=True)
class Facts:
    """Public facts: who is protected, and what bounds what one of them can do.

    Nothing here is read off the data: a bound that is, tells of the person who sets it.

    >>> Facts.declare(bounds={"age": (0, 100)}).bounds_of("age")
    (Fraction(0, 1), Fraction(100, 1))
    """

    unit: Unit = field(default_factory=Unit.row)
    bounds: Mapping[str, tuple[Fraction, Fraction]] = field(default_factory=dict)
    keys: Mapping[str, Keys] = field(default_factory=dict)
    contributions: int | None = None
    rows: int | None = None

    @classmethod
    def declare(
        cls,
        *,
        unit: Unit | str = "row",
        bounds: Mapping[str, Ends] | None = None,
        keys: Mapping[str, Iterable[Key]] | None = None,
        contributions: int | None = None,
        rows: int | None = None,
    ) -> "Facts":
        """The facts, each of them checked.

        `contributions` is how many rows of a unit count in full; `rows` is the number of rows where that is public,
        which it is under CHANGE_ONE only.
        """
        who = Unit.of(unit)
        for name, number in (("contributions", contributions), ("rows", rows)):
            if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
                raise InvalidParameter(f"{name} must be a whole number ≥ 1, got {number!r}")
        if who.column is None and contributions not in (None, 1):
            raise InvalidParameter(f"each row is one contribution, got contributions={contributions!r}; leave it out")
        if rows is not None and (who.relation is not Relation.CHANGE_ONE or who.column is not None):
            raise InvalidParameter(
                "the number of rows is public for change-one neighbors that are rows only: leave rows= out"
            )
        return cls(
            who,
            {column: ordered(column, ends) for column, ends in (bounds or {}).items()},
            {column: Keys(column, values) for column, values in (keys or {}).items()},
            contributions,
            rows,
        )

    def bounds_of(self, column: str, given: Ends | None = None) -> tuple[Fraction, Fraction]:
        """The given bounds, or the declared ones, or a refusal."""
        if given is not None:
            return ordered(column, given)
        if column not in self.bounds:
            raise UnboundedQuery(
                f"{column!r} needs bounds: declare (lowest, highest) from what is publicly known, "
                'or pay for them with bounds="private"'
            )
        return self.bounds[column]

    def keys_of(self, column: str, given: Iterable[Key] | None = None) -> Keys:
        """The given keys, or the declared ones, or a refusal."""
        if given is not None:
            return Keys(column, given)
        if column not in self.keys:
            raise UnboundedQuery(f"{column!r} needs public keys: declare them, or ask for unknown ones and pay δ")
        return self.keys[column]


def ordered(column: str, ends: Any) -> tuple[Fraction, Fraction]:
    """Bounds that are two numbers, the lower one first."""
    if isinstance(ends, str) or not isinstance(ends, Iterable) or len(pair := tuple(ends)) != 2:
        raise InvalidParameter(f"bounds of {column!r} must be (lowest, highest), got {shown(ends)}")
    low, high = (rational(end, f"a bound of {column!r}") for end in pair)
    if low > high:
        raise InvalidParameter(f"bounds of {column!r} must not be reversed, got ({low}, {high})")
    return low, high
