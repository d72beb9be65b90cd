"""UNION, EXCEPT and INTERSECT of rows inside a subquery.

A row of a UNION is a row of one of its sides, with its unit; so a unit that comes or goes brings or takes its own rows
of both sides and no others, and the rules for a table hold over them, however many [G complaints count]. EXCEPT and
INTERSECT of people are conditions on each person, `unit NOT IN (SELECT unit …)` and `unit IN (…)`, which read that
person's rows alone; of any other column they would let one person decide over another, and are refused as those are.
"""

from dataclasses import replace
from itertools import chain

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.queries import Key, Keys
from dalenius.sql.policy.by_table import BoundsByRows, DeclaredBounds
from dalenius.sql.tables.row_conditions import of_either, renamed
from dalenius.sql.tables.scope import Scope
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.types.column_types import is_whole

_FORM = "(SELECT unit, a FROM one UNION ALL SELECT unit, b FROM two)"
_ASKED = frozenset({"this", "expression", "distinct"})
_LEFT, _RIGHT, _BOTH = "left rows", "right rows", "both"


def set_table(tree: exp.SetOperation, name: str, scope: Scope) -> QueryTable:
    """The table that a UNION of rows is, or an EXCEPT or INTERSECT of people."""
    if any(value for clause, value in tree.args.items() if clause not in _ASKED):
        raise UnsupportedQuery(
            f"{tree.key.upper()} in a subquery stands without ORDER BY, LIMIT, WITH and BY NAME; {_FORM}"
        )
    if not isinstance(tree, exp.Union):
        return scope.made(_by_condition(tree), name, scope)
    left = _side(tree.this, f"{name} 1", scope)
    right = _side(_named_like(tree.expression, left), f"{name} 2", scope)
    table = _together(left, right, name)
    if not tree.args.get("distinct"):
        return table
    shown = [exp.column(one, quoted=True) for one in table.columns if one not in table.hidden]
    source = exp.table_(_BOTH, quoted=True)
    within = replace(scope, tables={**scope.tables, _BOTH: table})
    return scope.made(exp.select(*shown).from_(source).distinct(), name, within)


def _side(node: exp.Expr, name: str, scope: Scope) -> QueryTable:
    inner = node.unnest() if isinstance(node, exp.Subquery) else node
    return set_table(inner, name, scope) if isinstance(inner, exp.SetOperation) else scope.made(inner, name, scope)


def _named_like(node: exp.Expr, left: QueryTable) -> exp.Expr:
    """The second SELECT with the names of the first's columns, where it gives none."""
    select, names = node.copy(), [one for one in left.columns if one not in left.hidden]
    stars = any(term.is_star for term in select.expressions)
    if isinstance(select, exp.Select) and not stars and len(select.expressions) == len(names):
        terms = [
            exp.alias_(term, name, quoted=True) if not term.alias and not isinstance(term, exp.Column) else term
            for term, name in zip(select.expressions, names, strict=True)
        ]
        select.set("expressions", terms)
    return select


def _by_condition(tree: exp.SetOperation) -> exp.Select:
    """The people of the first SELECT who are, or are not, among those of the second."""
    sides = [one.unnest() if isinstance(one, exp.Subquery) else one for one in (tree.this, tree.expression)]
    if not tree.args.get("distinct") or any(
        not isinstance(one, exp.Select) or len(one.expressions) != 1 for one in sides
    ):
        raise UnsupportedQuery(f"{tree.key.upper()} in a subquery takes two SELECTs of the unit alone, without ALL")
    first, second = (exp.column(one.expressions[0].alias_or_name) for one in sides)
    inner = exp.select(second).from_(exp.Subquery(this=sides[1].copy(), alias=_alias(_RIGHT)))
    member: exp.Expr = exp.In(this=first.copy(), query=exp.Subquery(this=inner))
    member = exp.Not(this=member) if isinstance(tree, exp.Except) else member
    return exp.select(first).from_(exp.Subquery(this=sides[0].copy(), alias=_alias(_LEFT))).where(member).distinct()


def _alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True))


def _together(left: QueryTable, right: QueryTable, name: str) -> QueryTable:
    """Rows of both sides, column by column, with what is known of both."""
    pairs = _pairs(left, right)
    unlike = [one for one, two in pairs if not _alike(left.columns[one], right.columns[two])]
    if unlike:
        raise UnsupportedQuery(f"both sides of a UNION have columns of one type: CAST {unlike[0]!r} in one of them")
    odd = left.weight or right.weight or any(left.fill.get(a) != right.fill.get(b) for a, b in pairs)
    if odd or any(left.zones.get(a) != right.zones.get(b) for a, b in pairs):
        raise UnsupportedQuery("a UNION of rows with other rules for NULL, zones or survey weights has no rule")
    kinds = {a: left.columns[a] if left.columns[a] == right.columns[b] else "BIGINT" for a, b in pairs}
    union = exp.Union(
        this=_listed(left, [(a, a) for a, _ in pairs], kinds),
        expression=_listed(right, [(b, a) for a, b in pairs], kinds),
        distinct=False,
    )
    rows = exp.select(*(exp.column(one, quoted=True) for one in kinds)).from_(
        exp.Subquery(this=union, alias=_alias(_BOTH))
    )
    return replace(
        left,
        name=name,
        place="",
        columns=kinds,
        keys={a: Keys(a, both) for a, b in pairs if (both := _keys(left, right, a, b))},
        bounds={a: ends for a, b in pairs if (ends := _bounds(left, right, a, b)) is not None},
        attributes=frozenset(),
        null_keys=frozenset(a for a, b in pairs if a in left.null_keys or b in right.null_keys),
        unique=frozenset(),
        rows=rows,
        single=False,
        rows_per_unit=None,
        counted_by=None,
        size=left.size + right.size,
        sum_bounds={},
        conditions=tuple(chain(*(of_either(left.conditions, renamed(right.conditions, {b: a}), a) for a, b in pairs))),
        names_people=frozenset(a for a, b in pairs if a in left.people or b in right.people) - {left.unit},
        computed_from_unit=frozenset(a for a, b in pairs if a in left.of_unit or b in right.of_unit) - {left.unit},
    )


def _pairs(left: QueryTable, right: QueryTable) -> list[tuple[str, str]]:
    """The columns in order, the unit beside the unit; refused where a row of one side is nobody's, or another's."""
    shown = [[one for one in table.columns if one not in table.hidden] for table in (left, right)]
    if len(shown[0]) != len(shown[1]):
        raise UnsupportedQuery(f"both sides of a UNION have as many columns: {_FORM}")
    pairs = list(zip(*shown, strict=True))
    if left.unit is None or right.unit is None:
        raise UnboundedQuery(f"both sides of a UNION in a subquery are rows of people, who are told apart: {_FORM}")
    hidden = left.unit in left.hidden and right.unit in right.hidden
    if not hidden and (left.unit, right.unit) not in pairs:
        raise UnboundedQuery(f"both sides of a UNION name the unit in the same place, or neither does: {_FORM}")
    return [*pairs, *([(left.unit, right.unit)] if hidden else [])]


def _alike(one: str, two: str) -> bool:
    return one == two or (is_whole(one) and is_whole(two) and "U" not in (one[0], two[0]))


def _listed(table: QueryTable, columns: list[tuple[str, str]], kinds: dict[str, str]) -> exp.Select:
    place = table.read("side", frozenset())
    terms = [
        exp.alias_(column if table.columns[own] == kinds[name] else exp.cast(column, kinds[name]), name, quoted=True)
        for own, name in columns
        for column in [exp.column(own, table="side", quoted=True)]
    ]
    return exp.select(*terms).from_(place)


def _keys(left: QueryTable, right: QueryTable, a: str, b: str) -> tuple[Key, ...]:
    if a not in left.keys or b not in right.keys:
        return ()
    return tuple(dict.fromkeys((*left.keys[a].values, *right.keys[b].values)))


def _bounds(left: QueryTable, right: QueryTable, a: str, b: str) -> DeclaredBounds | None:
    one, two = left.bounds.get(a), right.bounds.get(b)
    if one is None or two is None or isinstance(one, BoundsByRows) or isinstance(two, BoundsByRows):
        return None
    return min(one[0], two[0]), max(one[1], two[1])
