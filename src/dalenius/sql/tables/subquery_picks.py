"""A value of one of a unit's rows, inside a subquery: ARG_MAX(x, y), ARG_MIN(x, y), FIRST(x ORDER BY y), LAST.

Which row that is must be the doing of the unit's own rows alone, as a set with multiplicities. Rows are put in order by
what is written and then by x itself: rows that are equal in all of these hold the same x, so that it does not matter
which of them the engine takes. Texts are ordered by their bytes, of numbers there is one zero, and NaN is NULL.

As in DuckDB, ARG_MAX and ARG_MIN pass over rows in which x or y is NULL, and FIRST and LAST take rows with NULL too,
which stand last.
"""

from collections.abc import Sequence

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import Typed, row_expression
from dalenius.sql.rows.typed import typed
from dalenius.sql.tables.subquery_aggregates import ENGINE_TYPES, UnitAggregate, canonical_number
from dalenius.sql.text.words import word
from dalenius.sql.types.kinds import Kind

PICKS = (exp.ArgMax, exp.ArgMin, exp.First, exp.Last)


def picked(node: exp.Expr, policy: Policy) -> UnitAggregate:
    """The value of the row that comes first or last, or a refusal by name."""
    extra = [name for name, value in node.args.items() if value and name not in ("this", "expression")]
    if isinstance(node, exp.ArgMax | exp.ArgMin):
        if extra or node.expression is None:
            raise UnsupportedQuery(f"{word(node)} takes a value and what decides, and nothing else")
        taken, by = node.this, [exp.Ordered(this=node.expression, desc=isinstance(node, exp.ArgMax))]
    else:
        order = node.this
        if extra or not isinstance(order, exp.Order) or node.expression:
            raise UnsupportedQuery(
                f"{word(node)} in a subquery needs an order of its own, so that it does not hang on how rows are "
                f"stored: {word(node)}(x ORDER BY y)"
            )
        taken, by = order.this, list(order.expressions)
    if any(one.find(exp.AggFunc) for one in (taken, *by)):
        raise UnsupportedQuery(f"{word(node)} has an aggregate inside an aggregate")
    value, *keys = (_read(one, policy) for one in (taken, *(term.this for term in by)))
    result = typed(value.kind, exp.null(), bounds=value.bounds, values=value.values)
    terms = [(bool(term.args.get("desc")), bool(term.args.get("nulls_first"))) for term in by]

    def aggregate(column: exp.Expr, *others: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.ArgMax | exp.ArgMin):
            return _argument(_plain(column, value), _plain(others[0], keys[0]), descending=isinstance(node, exp.ArgMax))
        ordered = [
            exp.Ordered(this=_plain(other, key), desc=desc, nulls_first=nulls_first)
            for other, key, (desc, nulls_first) in zip(others, keys, terms, strict=True)
        ]
        return type(node)(this=_in_order(_plain(column, value), ordered))

    return UnitAggregate(value, aggregate, result, ENGINE_TYPES[value.kind], tuple(keys))


def _read(node: exp.Expr, policy: Policy) -> Typed:
    value = row_expression(node, policy)
    if value.kind is Kind.NULL:
        raise UnsupportedQuery("NULL decides nothing, and is no value of a row: name a column")
    return value


def _plain(column: exp.Expr, value: Typed) -> exp.Expr:
    return canonical_number(column) if value.kind is Kind.NUMBER else column.copy()


def _argument(value: exp.Expr, by: exp.Expr, *, descending: bool) -> exp.Expr:
    """The value where `by` is largest or smallest, of rows that have both."""
    there = exp.Case(ifs=[exp.If(this=by.copy().is_(exp.null()).not_(), true=value)])
    missing = exp.Ordered(this=exp.paren(there.copy()).is_(exp.null()), desc=False, nulls_first=False)
    return exp.First(this=_in_order(there, [missing, exp.Ordered(this=by, desc=descending, nulls_first=False)]))


def _in_order(value: exp.Expr, terms: Sequence[exp.Expr]) -> exp.Expr:
    """Rows in an order that tells apart all that differ in what is taken."""
    own = exp.Ordered(this=value.copy(), desc=False, nulls_first=False)
    return exp.Order(this=value, expressions=[*terms, own])
