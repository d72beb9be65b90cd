"""The tables that a query may name, and what is made of a query over several."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from dalenius.errors import UnknownName, UnsupportedQuery
from dalenius.sql.policy.policy import Policy
from dalenius.sql.tables.row_conditions import RowConditions
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.quoted import pointing
from dalenius.sql.types.similar_names import did_you_mean

FORM = "write FROM private [LEFT] JOIN other ON private.column = other.column"
MOST_TABLES = 50
"""Tables that a query may read in all: a subquery counts each time that it is named."""
REMEDY = "the owner declares tables= or public=, or write WITH name AS (SELECT …)"


@dataclass(frozen=True, slots=True)
class Joined:
    """The tree over one table, what is known of that table, and the SELECT that gives its rows; None if the owner's."""

    tree: exp.Expr
    policy: Policy
    rows: exp.Select | None = None
    table: QueryTable | None = None
    chooses: bool = False
    """Whether every row meets every row of a public table, to choose among these."""

    @property
    def of_unit(self) -> frozenset[str]:
        """The columns that name people, or are computed from their names."""
        return self.people | (frozenset() if self.table is None else self.table.of_unit)

    @property
    def people(self) -> frozenset[str]:
        """The columns each value of which is one person."""
        unit = self.policy.unit.column
        return (frozenset() if unit is None else frozenset({unit})) | (
            frozenset() if self.table is None else self.table.people
        )

    @property
    def conditions(self) -> RowConditions:
        """What all rows of the table fulfil."""
        return () if self.table is None else self.table.conditions


UNNAMED = "subquery"
"""What a subquery in FROM is called that has no name, of which a query may have one."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Tables by their names in lower case, and the owner's policy; `made` makes a table of a subquery."""

    policy: Policy
    tables: Mapping[str, QueryTable]
    made: Callable[[exp.Expr, str, "Scope"], QueryTable]

    def within(self, tree: exp.Expr) -> "Scope":
        """With what the query's own WITH names; each may name those before it."""
        scope, listed = self, tree.args.get("with_")
        if listed is not None and listed.args.get("recursive"):
            raise UnsupportedQuery("WITH RECURSIVE has no rule: its rows may be made from those of many units")
        for one in [] if listed is None else listed.expressions:
            if any(value for name, value in one.args.items() if name not in ("this", "alias")):
                raise UnsupportedQuery("WITH takes name AS (SELECT …), with nothing between")
            name = _alias(one)
            if name.lower() in scope.tables:
                raise UnsupportedQuery(f"there is a table {name!r} already: give the subquery a name of its own")
            table = self.made(one.this, name, scope)
            scope = replace(scope, tables={**scope.tables, name.lower(): table})
        return scope

    @pointing
    def named(self, node: exp.Expr) -> tuple[QueryTable, str]:
        """The table that FROM or JOIN names or holds, and what the query calls it."""
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select | exp.SetOperation):
            if any(value for name, value in node.args.items() if name not in ("this", "alias")):
                raise UnsupportedQuery("a subquery takes a name and nothing else: FROM (SELECT …) AS name")
            name = _alias(node) if node.alias else UNNAMED
            return self.made(node.this, name, self), name.lower()
        plain = isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier)
        if not plain or any(value for name, value in node.args.items() if name not in ("this", "alias")):
            raise UnsupportedQuery(f"FROM and JOIN take a table's name alone, or a subquery; {FORM}")
        if (alias := node.args.get("alias")) is not None and alias.args.get("columns"):
            raise UnsupportedQuery(f"a table's alias cannot rename its columns; {FORM}")
        table = self.tables.get(node.name.lower())
        if table is None:
            names = [one.name for one in self.tables.values()]
            meant, listed = did_you_mean(node.name, names), ", ".join(map(repr, names))
            raise UnknownName(f"there is no table {node.name!r} in this query{meant}; there is {listed}; {REMEDY}")
        return table, node.alias_or_name.lower()


def _alias(node: exp.Expr) -> str:
    alias = node.args["alias"]
    if alias.args.get("columns"):
        raise UnsupportedQuery("the name of a subquery cannot rename its columns: name them inside, with AS")
    return str(alias.name)
