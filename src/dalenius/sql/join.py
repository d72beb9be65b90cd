"""JOIN: from several tables to one, before any other rule.

A query over a join is a query over the table that the join is. Its rows belong to the units of the first table: a
public table adds columns, and copies of rows; another private table is joined on the unit, so that a joined row is made
from rows of one unit alone. Hence a unit that comes or goes brings or takes its own joined rows and no others, however
many: the weights are taken over those rows, after the join  [G complaints count]. Where each row is a unit there are no
weights, so that a row may meet at most one of a public table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnknownName, UnsupportedQuery
from dalenius.queries import Keys
from dalenius.sql.columns import UNIT_TYPES, is_whole
from dalenius.sql.names import SOURCE
from dalenius.sql.others import Other
from dalenius.sql.policy import Policy

FORM = "write FROM private [LEFT] JOIN other ON private.column = other.column"
_ALLOWED = frozenset({"this", "on", "using", "side", "kind"})
_TYPES = UNIT_TYPES | {"BOOLEAN"}


@dataclass(frozen=True, slots=True)
class Joined:
    """The tree without JOIN, the policy of the joined table, and the SELECT that gives its rows; None without JOIN."""

    tree: exp.Expr
    policy: Policy
    rows: exp.Select | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """A table of the query: what the query calls it, where its columns lie, and what the joined table calls them."""

    called: str
    place: str
    names: Mapping[str, str]
    other: Other | None = None

    def column(self, name: str) -> str | None:
        """The column as the table spells it, if it has it."""
        return next((found for found in self.names if found.lower() == name.lower()), None)


def join_tables(tree: exp.Expr, policy: Policy, others: Mapping[str, Other]) -> Joined:
    """One table instead of several; a query without JOIN stays as it is."""
    joins = tree.args.get("joins") if isinstance(tree, exp.Select) else None
    if not joins or not others:
        return Joined(tree, policy)
    tree = tree.copy()
    first = _first(tree, policy)
    shared = frozenset(name.name.lower() for join in tree.args["joins"] for name in _using(join))
    sides, rows = [first], exp.select().from_(exp.table_(SOURCE, quoted=True))
    for number, join in enumerate(tree.args["joins"]):
        side = _side(join, f"joined{number}", sides, others)
        pairs = _pairs(join, sides, side, shared)
        _check_bounded(pairs, side, first, policy)
        table = exp.alias_(exp.table_(side.other.place, quoted=True), side.place, table=True, quoted=True)  # type: ignore[union-attr]
        condition = exp.and_(*(_equal(left, right) for left, right in pairs))
        rows = rows.join(table, on=condition, join_type=join.side or "INNER")
        sides.append(side)
    for side in sides:
        for name, joined in side.names.items():
            rows = rows.select(exp.alias_(exp.column(name, table=side.place, quoted=True), joined, quoted=True))
    tree.set("joins", None)
    _rename(tree, sides, shared)
    return Joined(tree, _policy(policy, sides), rows)


Reached = tuple[Side, str]
"""A column of one of the tables."""


def _first(tree: exp.Expr, policy: Policy) -> Side:
    source = tree.args.get("from_")
    table = None if source is None else source.this
    if not isinstance(table, exp.Table) or table.name.lower() != policy.table.lower():
        raise UnsupportedQuery(f"a join starts with the private table {policy.table!r}; {FORM}")
    return Side(table.alias_or_name.lower(), SOURCE, {name: name for name in policy.columns})


def _side(join: exp.Join, place: str, sides: list[Side], others: Mapping[str, Other]) -> Side:
    """The table that a JOIN names, with the joined table's names for its columns."""
    if any(value for name, value in join.args.items() if name not in _ALLOWED):
        raise UnsupportedQuery(f"only plain JOIN and LEFT JOIN have a rule; {FORM}")
    if (join.side or "LEFT") != "LEFT" or (join.kind or "INNER") not in ("INNER", "OUTER"):
        raise UnsupportedQuery(f"{join.side or join.kind} JOIN has no rule; {FORM}")
    table = join.this
    plain = isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier)
    if not plain or any(value for name, value in table.args.items() if name not in ("this", "alias")):
        raise UnsupportedQuery(f"JOIN takes a table's name alone; {FORM}")
    if (alias := table.args.get("alias")) is not None and alias.args.get("columns"):
        raise UnsupportedQuery(f"a table's alias cannot rename its columns; {FORM}")
    other = others.get(table.name.lower())
    if other is None:
        named = ", ".join(repr(one.name) for one in others.values())
        raise UnknownName(f"there is no table {table.name!r} to join; there is {named}")
    called = table.alias_or_name.lower()
    if called in {side.called for side in sides}:
        raise UnsupportedQuery(f"two tables are called {called!r}: give one another name with AS")
    before = sum(side.other is other for side in sides)
    mark = f"{other.name}." if not before else f"{other.name} {before + 1}."
    return Side(called, place, {name: f"{mark}{name}" for name in other.columns}, other)


def _pairs(join: exp.Expr, sides: list[Side], side: Side, shared: frozenset[str]) -> list[tuple[Reached, Reached]]:
    """The columns that must be equal: of an earlier table, and of this one."""
    pairs = [
        (_reached(exp.column(name.name), sides, shared), _reached(exp.column(name.name), [side]))
        for name in _using(join)
    ]
    on = join.args.get("on")
    for term in [] if on is None else list(on.flatten()) if isinstance(on, exp.And) else [on]:
        equal = term.unnest()
        if not isinstance(equal, exp.EQ):
            raise UnsupportedQuery(f"ON takes equalities of columns, joined by AND; {FORM}")
        pairs.append(_pair(equal.this.unnest(), equal.expression.unnest(), sides, side))
    if not pairs:
        raise UnsupportedQuery(f"a JOIN without ON has no rule; {FORM}")
    return pairs


def _using(join: exp.Expr) -> list[exp.Expr]:
    return list(join.args.get("using") or [])


def _pair(one: exp.Expr, two: exp.Expr, sides: list[Side], side: Side) -> tuple[Reached, Reached]:
    left, right = (_reached(node, [*sides, side]) for node in (one, two))
    if left[0] is side:
        left, right = right, left
    if left[0] is side or right[0] is not side:
        raise UnsupportedQuery(f"ON takes a column of an earlier table and one of the joined table; {FORM}")
    return left, right


def _reached(node: exp.Expr, sides: list[Side], shared: frozenset[str] = frozenset()) -> Reached:
    """The column that a name means; one that USING names is the first table's that has it."""
    if not isinstance(node, exp.Column) or not isinstance(node.this, exp.Identifier) or node.args.get("db"):
        raise UnsupportedQuery(f"ON takes equalities of columns, joined by AND; {FORM}")
    called = node.table.lower()
    if called and called not in {side.called for side in sides}:
        raise UnknownName(f"there is no table {node.table!r} in this query")
    found = [(side, name) for side in sides if called in ("", side.called) and (name := side.column(node.name))]
    if not found:
        raise UnknownName(f"no table of this query has a column {node.name!r}")
    if len(found) > 1 and not (not called and node.name.lower() in shared):
        named = " or ".join(f"{side.called}.{name}" for side, name in found)
        raise UnsupportedQuery(f"{node.name!r} may be {named}: write which")
    return found[0]


def _check_bounded(pairs: list[tuple[Reached, Reached]], side: Side, first: Side, policy: Policy) -> None:
    """Every joined row must be of one unit; and where rows are units, each must meet at most one other."""
    assert side.other is not None
    for (left, name), (_, joined) in pairs:
        kinds = (left.other.columns if left.other else policy.columns)[name], side.other.columns[joined]
        if not set(kinds) <= _TYPES or (kinds[0] != kinds[1] and not all(map(is_whole, kinds))):
            raise UnsupportedQuery(
                f"a join compares whole numbers, texts, dates or booleans of one type, got {kinds[0]} and {kinds[1]}"
            )
    if side.other.unit is not None:
        own = (first.place, policy.unit.column, side.other.unit)
        if all((left.place, name, joined) != own for (left, name), (_, joined) in pairs):
            raise UnboundedQuery(
                f"{side.other.name!r} holds people too: join it ON {first.called}.{policy.unit.column} = "
                f"{side.called}.{side.other.unit}, so that each row is one person's"
            )
    elif policy.unit.column is None and not any(joined in side.other.unique for _, (_, joined) in pairs):
        raise UnboundedQuery(
            f"a row could meet many rows of {side.other.name!r} and count for each: join on a column that holds no "
            "value twice, or let the owner declare who is protected with unit="
        )


def _equal(left: Reached, right: Reached) -> exp.Expr:
    one, two = (exp.column(name, table=side.place, quoted=True) for side, name in (left, right))
    return exp.EQ(this=one, expression=two)


def _rename(tree: exp.Expr, sides: list[Side], shared: frozenset[str]) -> None:
    """Every column by its name in the joined table; the answer's columns keep the names that were written."""
    aliases = {term.alias.lower() for term in tree.expressions if isinstance(term, exp.Alias)}
    selected = [term for term in tree.expressions if isinstance(term, exp.Column)]
    for column in list(tree.find_all(exp.Column)):
        if not isinstance(column.this, exp.Identifier) or column.args.get("db"):
            continue  # refused by name later
        if _names_the_answer(column, aliases, sides):
            continue
        side, name = _reached(column, sides, shared)
        plain = exp.column(side.names[name], quoted=True)
        kept = any(column is term for term in selected) and side.names[name] != name
        column.replace(exp.alias_(plain, name, quoted=True) if kept else plain)
    tree.args["from_"].this.set("alias", None)


def _names_the_answer(column: exp.Column, aliases: set[str], sides: list[Side]) -> bool:
    """Whether a name is that of a column of the answer: in ORDER BY before any other, in GROUP BY and HAVING after."""
    if column.table or column.name.lower() not in aliases:
        return False
    if column.find_ancestor(exp.Order) is not None:
        return True
    known = any(side.column(column.name) for side in sides)
    return column.find_ancestor(exp.Group, exp.Having) is not None and not known


def _policy(policy: Policy, sides: list[Side]) -> Policy:
    """What is known of the joined table: all that is known of each, by the joined table's names."""
    columns, keys = dict(policy.columns), dict(policy.keys)
    bounds, fill = dict(policy.bounds), dict(policy.fill)
    for side in sides[1:]:
        other, names = side.other, side.names
        assert other is not None
        columns |= {names[name]: kind for name, kind in other.columns.items()}
        keys |= {names[name]: Keys(names[name], values.values) for name, values in other.keys.items()}
        bounds |= {names[name]: ends for name, ends in other.bounds.items()}
        fill |= {names[name]: value for name, value in other.fill.items()}
    if len({name.lower() for name in columns}) != sum(len(side.names) for side in sides):
        raise UnsupportedQuery(f"a column of {policy.table!r} is called like table.column of a joined table: rename it")
    return replace(policy, columns=columns, keys=keys, bounds=bounds, fill=fill)
