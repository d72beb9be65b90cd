"""Whether a SELECT over rows is in the language for tables as it stands: keys, and formulas over aggregates."""

from collections.abc import Mapping

from sqlglot import exp

from dalenius.curator.formula import Cell, Formula
from dalenius.errors import UnsupportedQuery
from dalenius.sql.after.blocks import BlockScope, aggregates_of, comparable, resolved
from dalenius.sql.catalog import MeasuredBy, by_name, nodes_of
from dalenius.sql.planner.formulas import FormulaReader
from dalenius.sql.tables.table import QueryTable

_CHOSEN = (*nodes_of(MeasuredBy.RANKS), *nodes_of(MeasuredBy.MODE))
_BY_NAME = by_name()
_SIMPLE = frozenset({"expressions", "from_", "group", "where"})
_SUM, _CHOICE = "a sum", "a choice"


def is_one_select(tree: exp.Expr, tables: Mapping[str, QueryTable]) -> bool:
    """Whether a statement is beyond doubt one private SELECT: keys by name, COUNT, SUM and AVG of columns, one table.

    Of these `split` makes nothing: their only source is a table of rows, and every term is a key or an aggregate. What
    else is one private SELECT is left to `split` to see.
    """
    if not isinstance(tree, exp.Select) or any(value for name, value in tree.args.items() if name not in _SIMPLE):
        return False
    source, group, where = (tree.args.get(name) for name in ("from_", "group", "where"))
    table = None if source is None else source.this
    if not isinstance(table, exp.Table) or any(value for name, value in table.args.items() if name != "this"):
        return False
    if not isinstance(table.this, exp.Identifier) or table.name.lower() not in tables:
        return False
    if group is not None and any(value for name, value in group.args.items() if name != "expressions"):
        return False
    terms = [] if group is None else group.expressions
    keys = {term.name.lower() for term in terms if _is_name(term)}
    if len(keys) != len(terms) or (where is not None and where.find(exp.Query, exp.AggFunc, exp.Window) is not None):
        return False
    return all(
        (_is_name(term) and term.name.lower() in keys)
        or (_is_simple_aggregate(term.unalias()) and term.alias.lower() not in keys)
        for term in tree.expressions
    )


def _is_name(term: exp.Expr) -> bool:
    return isinstance(term, exp.Column) and isinstance(term.this, exp.Identifier) and not term.table


def _is_simple_aggregate(node: exp.Expr) -> bool:
    counts = type(node) is exp.Count and isinstance(node.this, exp.Star) and not any(node.this.args.values())
    plain = type(node) in (exp.Count, exp.Sum, exp.Avg) and _is_name(node.this) and not node.expressions
    return counts or plain


def is_plain(select: exp.Expr, scope: BlockScope) -> bool:
    """Whether nothing stands above the private SELECT but formulas, HAVING, ORDER BY and LIMIT."""
    if not isinstance(select, exp.Select) or any(select.args.get(name) for name in ("qualify", "windows")):
        return False
    if select.args.get("distinct"):
        return select.args.get("group") is None and not any(map(aggregates_of, select.expressions))
    limit = select.args.get("limit")
    if limit is not None and (not isinstance(limit, exp.Limit) or limit.args.get("limit_options")):
        return False
    group = select.args.get("group")
    if group is not None and any(
        isinstance(term, exp.Rollup | exp.Cube | exp.GroupingSets) for term in group.expressions
    ):
        return False
    tree = _resolved(select, scope)
    reader = FormulaReader(tree, _aggregate)
    try:
        terms = [reader.term(term.unalias()) for term in tree.expressions]
        if tree.args.get("having") is not None:
            reader.formula(tree.args["having"].this)
        for term in [] if tree.args.get("order") is None else tree.args["order"].expressions:
            reader.term(term.this)
    except UnsupportedQuery:
        return False
    return not any(isinstance(term, Formula) and not isinstance(term, Cell) and _CHOICE in term.names for term in terms)


def default_name(term: exp.Expr, place: int) -> str:
    """What a column of an answer without AS is called."""
    return FormulaReader(exp.Select(), _aggregate).default_name(term, place)


def _aggregate(node: exp.Expr) -> Formula:
    return Cell(_CHOICE if isinstance(node, _CHOSEN) else _SUM)


def _resolved(select: exp.Select, scope: BlockScope) -> exp.Select:
    """With what numbers and aliases stand for, conditions on aggregates read as one aggregate, and names alike."""
    tree = select.copy()
    sources = scope.sources(select)
    aliases = {term.alias.lower(): term.this for term in tree.expressions if isinstance(term, exp.Alias)}
    group, order, having = (tree.args.get(name) for name in ("group", "order", "having"))
    if group is not None:
        terms = [resolved(term, tree, scope).copy() for term in group.expressions]
        group.set("expressions", [comparable(term.unnest(), sources) for term in terms])
    for term in [] if order is None else order.expressions:
        term.set("this", resolved(term.this, tree, scope).copy())
    for place in (having, order):
        for column in [] if place is None else list(place.find_all(exp.Column)):
            if not column.table and column.name.lower() in aliases:
                column.replace(exp.paren(aliases[column.name.lower()].copy(), copy=False))
        if place is not None:
            tree.set(place.key, comparable(place, sources))
    for node in list(tree.find_all(exp.Filter)):
        if isinstance(node.this, exp.AggFunc):
            node.replace(node.this.copy())
    for call in [one for one in tree.find_all(exp.Anonymous) if one.name.upper() in _BY_NAME]:
        call.replace(exp.AnonymousAggFunc(this=call.name.upper(), expressions=call.expressions))
    for counted in list(tree.find_all(exp.CountIf)):
        counted.replace(exp.Count(this=exp.Star(), big_int=True))
    tree.set("expressions", [comparable(term, sources) for term in tree.expressions])
    return tree
