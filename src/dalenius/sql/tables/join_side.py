"""A table among those that a query joins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from dalenius.errors import UnknownName, UnsupportedQuery
from dalenius.sql.tables.scope import FORM
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.quoted import pointing
from dalenius.sql.types.similar_names import did_you_mean


@dataclass(frozen=True, slots=True)
class JoinSide:
    """What the query calls a table, where its columns lie, and what the joined table calls them.

    One without a name is there because another refers to it. `whole` ones give every joined row a row of theirs; of
    others, by LEFT JOIN, it may be all NULL.
    """

    called: str | None
    place: str
    names: Mapping[str, str]
    table: QueryTable
    whole: bool = True

    def column(self, name: str) -> str | None:
        """The column as the table spells it, if the analyst may name it."""
        same_name = (one for one in self.table.columns if one.lower() == name.lower() and one not in self.table.hidden)
        return next(same_name, None)

    def of(self, name: str) -> exp.Expr:
        """One of its columns."""
        return exp.column(name, table=self.place, quoted=True)


Reached = tuple[JoinSide, str]
"""A column of one of the tables."""


@pointing
def resolve_column(node: exp.Expr, sides: Sequence[JoinSide], shared: frozenset[str] = frozenset()) -> Reached:
    """The column that a name means; one that USING names is the first table's that has it."""
    if not isinstance(node, exp.Column) or not isinstance(node.this, exp.Identifier) or node.args.get("db"):
        raise UnsupportedQuery(f"ON takes equalities of columns, joined by AND; {FORM}")
    called = node.table.lower()
    if called and called not in {side.called for side in sides}:
        known = [side.called for side in sides if side.called is not None]
        raise UnknownName(f"there is no table {node.table!r} in this query{did_you_mean(node.table, known)}")
    seen = [side for side in sides if side.called is not None]
    matches = [(side, name) for side in seen if called in ("", side.called) and (name := side.column(node.name))]
    if not matches:
        listed = [name for side in seen for name in side.table.columns if side.column(name)]
        meant = did_you_mean(node.name, listed)
        raise UnknownName(f"no table of this query has a column {node.name!r}{meant}; there is {', '.join(listed)}")
    if len(matches) > 1 and not (not called and node.name.lower() in shared):
        named = " or ".join(f"{side.called}.{name}" for side, name in matches)
        raise UnsupportedQuery(f"{node.name!r} may be {named}: write which")
    return matches[0]


def shown(side: JoinSide, called: str) -> JoinSide:
    """A table that was there without a name, now with one."""
    return replace(side, called=called)
