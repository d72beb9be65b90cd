"""CASE and its relatives."""

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.conditions import comparable
from dalenius.sql.rows.literals import null
from dalenius.sql.rows.typed import RowReader, Typed, expect, same_kind, typed
from dalenius.sql.types.kinds import Kind


def case(node: exp.Expr, read: RowReader) -> Typed:
    """CASE WHEN condition THEN result …: as bounded as its results together."""
    if node.this is not None:
        subject = read(node.this)
        pairs = [(subject, read(branch.this)) for branch in node.args["ifs"]]
        tests = [_equals(*comparable(list(pair))) for pair in pairs]
    else:
        tests = [expect(read(branch.this), Kind.BOOLEAN, "WHEN") for branch in node.args["ifs"]]
    results = [read(branch.args["true"]) for branch in node.args["ifs"]]
    default = node.args.get("default")
    return _choice(tests, results, null(node) if default is None else read(default))


def if_(node: exp.Expr, read: RowReader) -> Typed:
    """IF(condition, a, b)."""
    other = node.args.get("false")
    test = expect(read(node.this), Kind.BOOLEAN, "IF")
    return _choice([test], [read(node.args["true"])], null(node) if other is None else read(other))


def coalesce(node: exp.Expr, read: RowReader) -> Typed:
    """The first that is not NULL."""
    parts = [read(term) for term in (node.this, *node.expressions)]
    kind = same_kind(parts, "COALESCE")
    if kind is Kind.NULL:
        raise UnsupportedQuery("COALESCE of nothing but NULL has no type")
    tree = exp.Coalesce(this=parts[0].tree, expressions=[part.tree for part in parts[1:]])
    return typed(kind, tree, *parts, bounds=_bounds(parts), values=_values(parts))


def null_if(node: exp.Expr, read: RowReader) -> Typed:
    """NULL where both are equal, else the first."""
    left, right = comparable([read(node.this), read(node.expression)])
    tree = exp.Case(ifs=[exp.If(this=_equals(left, right).tree, true=exp.null())], default=left.tree.copy())
    return typed(left.kind, tree, left, right, bounds=left.bounds, values=left.values, copies=2)


def _choice(tests: list[Typed], results: list[Typed], default: Typed) -> Typed:
    every = [*results, default]
    kind = same_kind(every, "CASE")
    if kind is Kind.NULL:
        raise UnsupportedQuery("a CASE of nothing but NULL has no type")
    ifs = [exp.If(this=test.tree, true=result.tree) for test, result in zip(tests, results, strict=True)]
    tree = exp.Case(ifs=ifs, default=default.tree)
    return typed(kind, tree, *tests, *every, bounds=_bounds(every), values=_values(every))


def _equals(left: Typed, right: Typed) -> Typed:
    return typed(Kind.BOOLEAN, exp.EQ(this=left.tree, expression=right.tree), left, right)


def _bounds(parts: list[Typed]) -> tuple | None:  # type: ignore[type-arg]
    ends = [part.bounds for part in parts if part.kind is not Kind.NULL]
    if not ends or any(end is None for end in ends):
        return None
    return min(end[0] for end in ends if end), max(end[1] for end in ends if end)


def _values(parts: list[Typed]) -> tuple | None:  # type: ignore[type-arg]
    if any(part.values is None for part in parts):
        return None
    return tuple(dict.fromkeys(value for part in parts for value in part.values or ()))
