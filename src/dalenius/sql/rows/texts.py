"""Functions of texts."""

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.literals import number_of, text_of
from dalenius.sql.rows.typed import RowReader, Typed, expect, typed
from dalenius.sql.types.kinds import Kind

_FAR = 2**31  # the engine raises on positions beyond 2³²


def change(node: exp.Expr, read: RowReader) -> Typed:
    """LOWER, UPPER, TRIM: a text of a text."""
    if any(value for name, value in node.args.items() if name != "this"):
        raise UnsupportedQuery(f"{node.key.upper()} takes one text")
    part = expect(read(node.this), Kind.TEXT, node.key.upper())
    return typed(Kind.TEXT, type(node)(this=part.tree), part)


def length(node: exp.Expr, read: RowReader) -> Typed:
    """The number of characters."""
    part = expect(read(node.this), Kind.TEXT, "LENGTH")
    return typed(Kind.NUMBER, exp.cast(exp.Length(this=part.tree), "DOUBLE"), part)


def slice_(node: exp.Expr, read: RowReader) -> Typed:
    """SUBSTR(text, start, length) with numbers that are written out."""
    part = expect(read(node.this), Kind.TEXT, "SUBSTR")
    ends = [number_of(read(node.args[name])) for name in ("start", "length") if node.args.get(name) is not None]
    if not ends or any(end is None or end.denominator != 1 or not 0 <= end < _FAR for end in ends):
        raise UnsupportedQuery("SUBSTR(text, start, length) takes whole numbers from 0 to 2^31, written out")
    wholes = [exp.Literal.number(int(end)) for end in ends if end is not None]
    tree = exp.Substring(this=part.tree, start=wholes[0], length=wholes[1] if len(wholes) > 1 else None)
    return typed(Kind.TEXT, tree, part)


def find(node: exp.Expr, read: RowReader) -> Typed:
    """CONTAINS and STARTS_WITH with a text that is written out."""
    part, sought = expect(read(node.this), Kind.TEXT, node.key.upper()), read(node.expression)
    if text_of(sought) is None:
        raise UnsupportedQuery(f"{node.key.upper()} takes a text that is written out")
    return typed(Kind.BOOLEAN, type(node)(this=part.tree, expression=sought.tree), part, values=(False, True))
