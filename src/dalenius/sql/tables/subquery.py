"""WITH and subqueries in FROM: a SELECT whose rows are asked like those of a table.

A row of it is made from rows of one unit alone: from one row, or, with GROUP BY, from those of one unit, for the unit
is among what is grouped by. So a unit that comes or goes brings or takes the rows that are made from its own, and moves
no other; the rules for a table hold over those rows, and weights count them. Without further keys a unit has one row,
which counts in full at the price of one.
"""

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from dalenius.errors import UnknownName, UnsupportedQuery
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import row_expression
from dalenius.sql.tables.join import join_tables
from dalenius.sql.tables.row_conditions import renamed
from dalenius.sql.tables.row_subquery import inner_queries
from dalenius.sql.tables.scope import Joined, Scope
from dalenius.sql.tables.subquery_group_by import FORM, grouped_by_unit
from dalenius.sql.tables.subquery_select import SubqueryColumns, SubquerySelect
from dalenius.sql.tables.subquery_sets import set_table
from dalenius.sql.tables.subquery_windows import has_windows, inlined, windowed
from dalenius.sql.tables.table import QueryTable, reading
from dalenius.sql.text.qualify import qualify_names
from dalenius.sql.text.quoted import keep_words
from dalenius.sql.text.words import word
from dalenius.sql.types.column_types import is_read

_KNOWN = frozenset({"expressions", "from_", "joins", "where", "group", "having", "distinct", "with_", "qualify"})
_REFUSED = (exp.Filter, exp.Lambda, exp.Placeholder, exp.Parameter)


def resolve(tree: exp.Expr, policy: Policy, others: Mapping[str, QueryTable]) -> Joined:
    """The query over one table; one over the owner's table alone stays as it is."""
    source = tree.args.get("from_") if isinstance(tree, exp.Select) else None
    if source is None:
        return Joined(tree, policy)
    first = QueryTable.first(policy)
    table = source.this
    used = frozenset(column.name.lower() for column in tree.find_all(exp.Column))
    alone = isinstance(table, exp.Table) and not tree.args.get("joins") and not tree.args.get("with_")
    if alone and table.name.lower() not in others and not first.enforced(used) and not inner_queries(tree):
        # none is asked for, and none enforced
        return Joined(tree, replace(policy, attributes=()) if policy.attributes else policy)
    return join_tables(tree, Scope(policy, {first.name.lower(): first, **others}, subquery_table))


def subquery_table(tree: exp.Expr, name: str, scope: Scope) -> QueryTable:
    """The table that a subquery is."""
    if isinstance(tree, exp.SetOperation):
        return set_table(tree, name, scope)
    if not isinstance(tree, exp.Select) or tree.args.get("from_") is None:
        raise UnsupportedQuery(f"{word(tree)} has no rule as a subquery; {FORM}")
    tree = inlined(_apart(_unordered(_least_of_any(tree))))
    for clause, value in tree.args.items():
        if value and clause not in _KNOWN:
            raise UnsupportedQuery(f"{clause.strip('_').upper()} in a subquery has no sensitivity rule; {FORM}")
    for node in _expressions(tree):
        if isinstance(node, _REFUSED):
            raise UnsupportedQuery(f"{word(node)} in a subquery has no sensitivity rule; {FORM}")
    joined = join_tables(_with_columns(tree, scope), scope, public=True)
    assert joined.table is not None
    names = [_name(term) for term in joined.tree.expressions]
    step = SubquerySelect(qualify_names(joined.tree, joined.policy), joined.table, joined.policy, joined.rows)
    if has_windows(step.tree):
        if _aggregates(step.tree):
            raise UnsupportedQuery(
                "a window beside GROUP BY, DISTINCT or an aggregate has no rule: group in a subquery of its own, and "
                "write the window over that"
            )
        step = windowed(step)
    if _aggregates(step.tree):
        if step.table.weight is not None:
            raise UnsupportedQuery(
                f"GROUP BY in a subquery has no rule with the survey weight {step.table.weight.column}: a row that is "
                "made of several has no weight; ask COUNT, SUM or AVG of the table itself"
            )
        step = grouped_by_unit(step)
    return _rows(step, names, name)


def _unordered(tree: exp.Select) -> exp.Select:
    """Without an ORDER BY that picks nothing: a table has no order, and a subquery is one."""
    if not tree.args.get("order") or tree.args.get("limit") or tree.args.get("offset"):
        return tree
    plain = tree.copy()
    plain.set("order", None)
    return plain


def _least_of_any(tree: exp.Select) -> exp.Select:
    """With MIN for ANY_VALUE: it is one of the values, NULL aside, and hangs on no order of rows."""
    if tree.find(exp.AnyValue) is None:
        return tree
    plain = tree.copy()
    for node in [one for one in plain.find_all(exp.AnyValue) if one.find_ancestor(exp.Select) is plain]:
        if not isinstance(node.parent, exp.Window | exp.IgnoreNulls) and not isinstance(node.this, exp.Order):
            node.replace(keep_words(exp.Min(this=node.this.copy()), node))
    return plain


def _apart(tree: exp.Select) -> exp.Select:
    """SELECT DISTINCT over windows as the distinct rows of a subquery with these windows, which it is."""
    distinct = tree.args.get("distinct")
    if distinct is None or distinct.args.get("on") or tree.args.get("group") or not has_windows(tree):
        return tree
    if any(term.is_star for term in tree.expressions):
        return tree
    inner, names = tree.copy(), [_name(term) for term in tree.expressions]
    inner.set("distinct", None)
    named = [
        exp.alias_(term.unalias().copy(), name, quoted=True) for term, name in zip(tree.expressions, names, strict=True)
    ]
    inner.set("expressions", named)
    columns = [exp.column(name, quoted=True) for name in names]
    return exp.select(*columns).distinct().from_(exp.alias_(inner.subquery(), "(windows)", table=True, quoted=True))


def _expressions(tree: exp.Select) -> list[exp.Expr]:
    places = [*tree.expressions, *(tree.args.get(name) for name in ("where", "group", "having", "qualify"))]
    return [
        node
        for place in places
        if place is not None
        for node in place.walk(prune=lambda one: isinstance(one, exp.Exists | exp.Subquery | exp.Select))
    ]


def _with_columns(tree: exp.Select, scope: Scope) -> exp.Select:
    """With every column in the place of SELECT *, and with every column of one table in the place of t.*."""
    stars = [term for term in tree.expressions if term.is_star]
    if not stars:
        return tree
    if any(_changes(term) for term in stars):
        raise UnsupportedQuery(f"SELECT * stands without EXCLUDE, REPLACE or RENAME; {FORM}")
    inner = scope.within(tree)
    columns = []
    for node in (tree.args["from_"].this, *(join.this for join in tree.args.get("joins") or [])):
        table, called = inner.named(node)
        columns += [(called, one) for one, kind in table.columns.items() if one not in table.hidden and is_read(kind)]
    using = {name.name.lower() for join in tree.args.get("joins") or [] for name in join.args.get("using") or []}
    plain = tree.copy()
    listed: list[exp.Expr] = []
    for term in plain.expressions:
        listed += _columns_of_star(term, columns, using) if term.is_star else [term]
    plain.set("expressions", listed)
    return plain


def _changes(star: exp.Expr) -> bool:
    """Whether a star leaves columns out or gives them other values or names."""
    return any((star.this if isinstance(star, exp.Column) else star).args.values())


def _columns_of_star(star: exp.Expr, columns: list[tuple[str, str]], using: set[str]) -> list[exp.Expr]:
    """The columns that a star stands for, out of those of all tables; a column of USING comes once."""
    owner = star.text("table").lower()
    if owner:
        columns = [(called, name) for called, name in columns if called.lower() == owner]
        if not columns:
            raise UnknownName(f"there is no table {star.text('table')!r} in this query")
    kept: dict[str, exp.Expr] = {}
    for called, name in columns:
        if name.lower() in kept and name.lower() not in using:
            raise UnsupportedQuery(f"SELECT * would give two columns {name!r}: name the columns instead")
        kept.setdefault(name.lower(), exp.column(name, table=called, quoted=True))
    return list(kept.values())


def _name(term: exp.Expr) -> str:
    if not term.alias and not isinstance(term, exp.Column):
        raise UnsupportedQuery("a column of a subquery that is computed needs a name: write expression AS name")
    return str(term.alias or term.name)


def _aggregates(tree: exp.Expr) -> bool:
    asked = [*tree.expressions, *filter(None, [tree.args.get("having")])]
    grouped = tree.args.get("group") or tree.args.get("having") or tree.args.get("distinct")
    return bool(grouped) or any(_is_aggregate(call) for term in asked for call in term.find_all(exp.AggFunc))


def _is_aggregate(call: exp.Expr) -> bool:
    """Whether a call aggregates rows; over a window it gives one value to each."""
    return call.find_ancestor(exp.Window) is None


def _rows(step: SubquerySelect, names: list[str], called: str) -> QueryTable:
    """The rows that a SELECT makes of rows, one of each, and what is known of them."""
    if len({name.lower() for name in names}) != len(names):
        raise UnsupportedQuery("the columns of a subquery need names that differ; give one another name with AS")
    outputs, rows, table = SubqueryColumns(), step.source, step.table
    attributes, plain = set(), {}
    for name, term in zip(names, step.tree.expressions, strict=True):
        node = term.unalias().unnest()
        if isinstance(node, exp.Column):
            plain[name] = node.name
            tree = outputs.column(name, node.name, step)
        else:
            value = row_expression(node, step.policy)
            tree = outputs.expression(name, value)
            outputs.public_keys(name, node, value, step)
        rows.select(exp.alias_(tree, name, quoted=True), copy=False)
        if all(one.name in (*table.attributes, table.unit) for one in node.find_all(exp.Column)):
            attributes.add(name)
    unit, hidden = next((name for name in plain if plain[name] == table.unit), None), frozenset[str]()
    if unit is None and table.unit is not None:
        unit = "(unit)"
        while unit.lower() in {name.lower() for name in names}:
            unit = f"({unit})"
        rows.select(exp.alias_(outputs.column(unit, table.unit, step), unit, quoted=True), copy=False)
        hidden = frozenset({unit})
    weight = table.weight
    if weight is not None:
        name = "(weight)"
        while name.lower() in {one.lower() for one in outputs.columns}:
            name = f"({name})"
        rows.select(exp.alias_(outputs.column(name, weight.column, step), name, quoted=True), copy=False)
        weight, hidden = replace(weight, column=name), hidden | {name}
    return QueryTable(
        *(called, "", outputs.columns, unit, outputs.keys, outputs.bounds, outputs.fill),
        unique=frozenset(name for name, column in plain.items() if column in table.unique),
        attributes=(frozenset(outputs.columns) if table.single else frozenset(attributes)) - {unit},
        rows=rows,
        owned=table.private,
        single=table.single,
        rows_per_unit=table.rows_per_unit,
        counted_by=table.counted_by,
        hidden=hidden,
        size=table.size + 1,
        weight=weight,
        zones=outputs.zones,
        copies=table.copies,
        null_keys=frozenset(outputs.null_keys),
        names_people=frozenset(name for name, column in plain.items() if column in table.people) - {unit},
        computed_from_unit=reading(table.of_unit, dict(zip(names, step.tree.expressions, strict=True))) - {unit},
        conditions=renamed(step.conditions, {column: name for name, column in plain.items()}),
    )
