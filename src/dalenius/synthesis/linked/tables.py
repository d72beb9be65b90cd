"""A parent table with one row for each person, and a child table of their rows: what is counted of the two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.queries import Contributions, Table, View
from dalenius.queries.identity import NOBODY, identities
from dalenius.queries.view import row_values
from dalenius.synthesis.data.attributes import Attribute, Codes, Levels
from dalenius.synthesis.data.domain import Domain
from dalenius.synthesis.data.marginals import Marginals

_NONE = np.iinfo(np.int64).max


@runtime_checkable
class HoldsTables(Protocol):
    """A view that can hand columns of several tables to a plan which has been paid for."""

    def named_table(self, name: str, columns: Sequence[str]) -> Table:
        """The columns of all rows of one of its tables, in memory."""


class LinkedTables(View):
    """Tables in memory by name, for a `Curator`: `LinkedTables({"patients": frame, "visits": frame})`."""

    __slots__ = ("_tables",)

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._tables = {name: Table.of(data) for name, data in tables.items()}

    def named_table(self, name: str, columns: Sequence[str]) -> Table:
        """The columns of all rows of one of the tables."""
        if name not in self._tables:
            raise UnknownName(f"there is no table {name!r}; there are {', '.join(self._tables)}")
        return Table({column: self._tables[name].column(column) for column in columns})


@dataclass(frozen=True, slots=True)
class Linked:
    """Which columns of which tables are copied, and how many rows of a person count in full.

    Both tables name people in the column `bound.column`. A person with several parent rows has the least level of
    each column. A child row whose person has no parent row is left out, as an inner join leaves it out.
    """

    parent: str
    child: str
    parents: Domain
    children: Domain
    bound: Contributions

    def __post_init__(self) -> None:
        if self.parent == self.child:
            raise InvalidParameter(f"parent and child must be two tables, got {self.parent!r} twice")
        if self.counter.name in self.parents.names:
            raise InvalidParameter(
                f"{self.counter.name!r} is the name of how many rows a person has: rename the column"
            )

    @property
    def counter(self) -> Levels:
        """How many child rows a person has, up to the bound."""
        return Levels(f"number of {self.child}", tuple(range(self.bound.most + 1)))

    @property
    def people(self) -> Marginals:
        """The tables of persons: every parent column, and how many child rows each has; a person counts once."""
        domain = Domain((*self.parents.attributes, self.counter))
        return Marginals(domain, None, Contributions(self.bound.column, 1))

    @property
    def joined(self) -> Marginals:
        """The tables of child rows with their person's columns; rows of one person weigh as much as the bound."""
        mine, others = (
            tuple(_called(attribute, f"{table}.{attribute.name}") for attribute in domain.attributes)
            for table, domain in ((self.parent, self.parents), (self.child, self.children))
        )
        return Marginals(Domain((*mine, *others)), None, self.bound)

    def counted(self, view: View) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
        """Every table of persons, and every table of child rows, exactly; it must not leave the curator.

        Codes, counts and weights of a person are functions of that person's rows alone, in both tables.
        """
        if not isinstance(view, HoldsTables):
            raise InvalidParameter(f"linked tables are held by a session or by LinkedTables, not by {view!r}")
        held = [
            view.named_table(name, [*domain.names, self.bound.column])
            for name, domain in ((self.parent, self.parents), (self.child, self.children))
        ]
        owners, whose, size = _numbered(*(table.column(self.bound.column) for table in held))
        own, rows = self.parents.codes(held[0]), self.children.codes(held[1])
        least, present = _least(own, owners, size)
        final = (rows >= 0).all(axis=1) & (whose >= 0)
        times = np.minimum(np.bincount(whose[final], minlength=size)[:size], self.bound.most)
        persons = np.where(present, np.arange(size), NOBODY)
        of_person = np.concatenate([least, np.full((1, own.shape[1]), -1)])[whose]  # nobody's is the last row
        return (
            self.people.counted(np.column_stack([least, times]), persons),
            self.joined.counted(np.concatenate([of_person, rows], axis=1), whose),
        )

    def facts(self) -> dict[str, Any]:
        """All of it, as JSON holds it."""
        tables = {"parent": self.parent, "child": self.child, "bound": self.bound.facts()}
        return tables | {"parents": self.parents.facts(), "children": self.children.facts()}

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> "Linked":
        """The inverse of `facts`."""
        parents, children = (Domain.from_facts(facts[name]) for name in ("parents", "children"))
        return cls(facts["parent"], facts["child"], parents, children, Contributions(**facts["bound"]))


def _called(attribute: Attribute, name: str) -> Attribute:
    renamed: Attribute = replace(attribute, name=name)  # type: ignore[type-var]
    return renamed


def _numbered(owners: NDArray[Any], whose: NDArray[Any]) -> tuple[Codes, Codes, int]:
    """A number for each person, the same in both columns, −1 for nobody; and how many numbers there are.

    Columns of unlike types are compared value by value: numpy would make one float of two large whole numbers.
    """
    if owners.dtype != whose.dtype:
        owners, whose = (np.array([*row_values(column), None], object)[:-1] for column in (owners, whose))
    both = identities(np.concatenate([owners, whose]))
    return both[: len(owners)], both[len(owners) :], int(both.max(initial=NOBODY)) + 1


def _least(codes: Codes, owners: Codes, size: int) -> tuple[Codes, NDArray[np.bool_]]:
    """The least level of each person's rows in each column, −1 where there is none; and who has a row."""
    named = owners >= 0
    least_codes = np.full((size, codes.shape[1]), _NONE)
    np.minimum.at(least_codes, owners[named], np.where(codes < 0, _NONE, codes)[named])
    present = np.zeros(size, np.bool_)
    present[owners[named]] = True
    return np.where(least_codes == _NONE, -1, least_codes), present
