"""All columns of a copy, side by side."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.calls import shown
from dalenius.errors import InvalidParameter, UnboundedQuery, UnknownName
from dalenius.queries import Key, Table
from dalenius.synthesis.data.attributes import MOST_LEVELS, Attribute, Cells, Codes, Kind, Levels, attribute_of
from dalenius.synthesis.data.possible_row import possible_row
from dalenius.synthesis.model.mixture import Shape

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Domain:
    """The columns, and which pairs of levels cannot occur: all of it declared, nothing read off the data."""

    attributes: tuple[Attribute, ...]
    impossible: tuple[tuple[int, int, tuple[tuple[int, int], ...]], ...] = ()
    """(column, column, pairs of levels that no row holds)."""

    def __post_init__(self) -> None:
        names = [attribute.name for attribute in self.attributes]
        if len(names) < 1 or len(set(names)) != len(names):
            raise InvalidParameter("columns of a copy must be at least one, each named once")
        if self.shape.total > MOST_LEVELS:
            raise InvalidParameter(
                f"the columns have {self.shape.total} levels together, and a copy holds at most {MOST_LEVELS}: take "
                "fewer bins, group levels, or leave a column out"
            )
        possible_row(self.sizes, self.impossible)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of each column."""
        return tuple(attribute.size for attribute in self.attributes)

    @property
    def shape(self) -> Shape:
        """How the levels lie side by side."""
        return Shape(self.sizes, tuple(attribute.ordered for attribute in self.attributes))

    def place(self, name: str) -> int:
        """The number of a column."""
        if name not in self.names:
            raise UnknownName(f"the copy has no column {name!r}; it has {', '.join(self.names)}")
        return self.names.index(name)

    def codes(self, view: Table) -> Codes:
        """The level of each row in each column, −1 where it has none."""
        return np.stack([attribute.codes(view) for attribute in self.attributes], axis=1)

    def facts(self) -> dict[str, Any]:
        """All of it, as JSON holds it."""
        pairs = [[i, j, [list(pair) for pair in cells]] for i, j, cells in self.impossible]
        return {"columns": [attribute.facts() for attribute in self.attributes], "impossible": pairs}

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> "Domain":
        """The inverse of `facts`."""
        pairs = tuple((i, j, tuple((a, b) for a, b in cells)) for i, j, cells in facts["impossible"])
        return cls(tuple(map(attribute_of, facts["columns"])), pairs)


@dataclass(frozen=True, slots=True)
class DeclaredColumns:
    """What is publicly known of the columns."""

    keys: Mapping[str, Iterable[Key]]
    bounds: Mapping[str, tuple[Any, Any]]
    bins: int | Mapping[str, int] = 32
    kinds: Mapping[str, Kind] | None = None
    nulls: Iterable[str] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.nulls, str) or not isinstance(self.nulls, Iterable | None):
            raise InvalidParameter(f"nulls must be a list of columns in which NULL is a level, got {shown(self.nulls)}")

    def attribute(self, name: str) -> Attribute:
        """A column by its declared keys or bounds; refused where it has neither."""
        nullable = True if self.nulls is None else name in set(self.nulls)
        if name in self.keys:
            return Levels(name, tuple(self.keys[name]), nullable)
        if name not in self.bounds:
            raise UnboundedQuery(
                f"{name!r} needs declared keys or bounds: give keys={{{name!r}: [...]}} or bounds={{{name!r}: (lowest, "
                f'highest)}}; or bounds={{{name!r}: "private"}} or keys={{{name!r}: "private"}} to have them found'
            )
        kind = (self.kinds or {}).get(name, "number")
        cells = self.bins.get(name, 32) if isinstance(self.bins, Mapping) else self.bins
        return Cells.between(name, self.bounds[name], cells, kind, nullable)


def impossible_pairs(
    attributes: Sequence[Attribute],
    impossible: Mapping[Pair, Iterable[tuple[Key | None, Key | None]]] | None,
    allowed: Mapping[Pair, Iterable[tuple[Key | None, Key | None]]] | None,
) -> tuple[tuple[int, int, tuple[tuple[int, int], ...]], ...]:
    """Structural zeros by levels: pairs that cannot occur, and all but those that are allowed.

    A public functional dependency is a list of allowed pairs: each level of the first column with the one it implies.
    """
    forbidden_cells: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for given, inverse in ((impossible, False), (allowed, True)):
        if not isinstance(given, Mapping | None) or not all(
            isinstance(one, tuple) and len(one) == 2 for one in given or ()
        ):
            raise InvalidParameter(
                "pairs of levels are told by two columns: {('sex', 'role'): [('Female', 'Husband')]}"
            )
        for (first, second), pairs in (given or {}).items():
            (i, one), (j, other) = _column(attributes, first), _column(attributes, second)
            listed = [tuple(pair) if isinstance(pair, tuple | list) else () for pair in pairs]
            if i == j or any(len(pair) != 2 for pair in listed):
                raise InvalidParameter(f"give pairs of a level of {first!r} and one of another column, as two values")
            named = {(_level(one, a), _level(other, b)) for a, b in listed}
            everything = set(itertools.product(range(one.size), range(other.size)))
            zeros = everything - named if inverse else named
            if zeros >= everything:
                raise InvalidParameter(f"no pair of {first!r} and {second!r} would be possible")
            place, cells = ((i, j), zeros) if i < j else ((j, i), {(b, a) for a, b in zeros})
            forbidden_cells.setdefault(place, set()).update(cells)
    return tuple((i, j, tuple(sorted(cells))) for (i, j), cells in sorted(forbidden_cells.items()))


def _column(attributes: Sequence[Attribute], name: str) -> tuple[int, Attribute]:
    for place, attribute in enumerate(attributes):
        if attribute.name == name:
            return place, attribute
    raise UnknownName(f"impossible and allowed pairs are of columns of the copy, which has no {name!r}")


def _level(attribute: Attribute, value: Any) -> int:
    if not isinstance(attribute, Levels):
        raise InvalidParameter(f"pairs are of declared keys; {attribute.name!r} has bounds")
    if value is None and attribute.nulls:
        return len(attribute.values)
    if value not in attribute.values:
        raise UnknownName(f"{value!r} is none of the declared keys of {attribute.name!r}")
    return attribute.values.index(value)
