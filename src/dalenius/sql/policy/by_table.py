"""What the owner says column by column, of all tables."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dalenius.numerics import Number
from dalenius.queries import Key

DeclaredBounds = tuple[Number, Number] | tuple[str, str]


class BoundsByRows(tuple[Number, Number]):
    """Bounds that nobody wrote: of what T rows of a unit add up to. Where an analyst bounds it too, that holds."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Declared:
    """The owner's terms that are told by column, for the tables beside the first written `table.column`."""

    keys: Mapping[str, Iterable[Key]]
    bounds: Mapping[str, DeclaredBounds]
    fill: Mapping[str, Number]
    attributes: tuple[str, ...] = ()
    null_keys: tuple[str, ...] = ()

    def of(self, table: str) -> "Declared":
        """The terms of one of the tables beside the first."""
        start = (f"{table.lower()}.",)
        cut = len(start[0])
        return Declared(
            {name[cut:]: keys for name, keys in self.keys.items() if name.lower().startswith(start)},
            {name[cut:]: ends for name, ends in self.bounds.items() if name.lower().startswith(start)},
            {name[cut:]: value for name, value in self.fill.items() if name.lower().startswith(start)},
            tuple(name[cut:] for name in self.attributes if name.lower().startswith(start)),
            tuple(name[cut:] for name in self.null_keys if name.lower().startswith(start)),
        )

    def without(self, tables: Iterable[str]) -> "Declared":
        """The terms of the first table."""
        starts = tuple(f"{table.lower()}." for table in tables)
        return Declared(
            {name: keys for name, keys in self.keys.items() if not name.lower().startswith(starts)},
            {name: ends for name, ends in self.bounds.items() if not name.lower().startswith(starts)},
            {name: value for name, value in self.fill.items() if not name.lower().startswith(starts)},
            tuple(name for name in self.attributes if not name.lower().startswith(starts)),
            tuple(name for name in self.null_keys if not name.lower().startswith(starts)),
        )

    def beside(self, tables: Iterable[str]) -> "Declared":
        """The terms of all tables but the first, as they were written."""
        own = self.without(tables)
        return Declared(
            {name: keys for name, keys in self.keys.items() if name not in own.keys},
            {name: ends for name, ends in self.bounds.items() if name not in own.bounds},
            {name: value for name, value in self.fill.items() if name not in own.fill},
            tuple(name for name in self.attributes if name not in own.attributes),
            tuple(name for name in self.null_keys if name not in own.null_keys),
        )
