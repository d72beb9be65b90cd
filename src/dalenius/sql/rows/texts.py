"""Functions of texts."""

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.casts import cast_to
from dalenius.sql.rows.literals import number_of, text_of
from dalenius.sql.rows.typed import RowReader, Typed, expect, typed
from dalenius.sql.types.kinds import Kind

_LONGEST = 500
"""Characters of a text that is put together with others: a text that could grow at each step would fill the memory,
and the failure would tell of a row that has it."""
_MOST_PARTS = 10
_LONGEST_OTHER = 10
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


def end(node: exp.Expr, read: RowReader) -> Typed:
    """LEFT(text, n) and RIGHT(text, n): the first or last n characters, n written out."""
    word = node.key.upper()
    part, size = expect(read(node.this), Kind.TEXT, word), number_of(read(node.expression))
    if size is None or size.denominator != 1 or not 0 <= size < _FAR:
        raise UnsupportedQuery(f"{word}(text, n) takes a whole number n from 0 to 2^31, written out")
    tree = exp.Anonymous(this=word, expressions=[part.tree, exp.Literal.number(int(size))])
    return typed(Kind.TEXT, tree, part)


def part_of(node: exp.Expr, read: RowReader) -> Typed:
    """SPLIT_PART(text, separator, n): what stands before the n-th separator, the last of them aside; '' if nothing."""
    part, separator = expect(read(node.this), Kind.TEXT, "SPLIT_PART"), read(node.args["delimiter"])
    place = number_of(read(node.args["part_index"]))
    if not text_of(separator) or place is None or place.denominator != 1 or not 1 <= place < _FAR:
        raise UnsupportedQuery("SPLIT_PART(text, separator, n) takes a text and a whole number from 1, written out")
    parts = [part.tree, separator.tree, exp.Literal.number(int(place))]
    return typed(Kind.TEXT, exp.Anonymous(this="SPLIT_PART", expressions=parts), part)


def concatenate(node: exp.Expr, read: RowReader) -> Typed:
    """Texts one after the other, the first 500 characters of each: CONCAT passes over NULL, || is NULL with one."""
    plain = isinstance(node, exp.DPipe)
    if not plain and len(node.expressions) > _MOST_PARTS:
        raise UnsupportedQuery(f"CONCAT takes {_MOST_PARTS} texts at most")
    parts = [read(term) for term in ((node.this, node.expression) if plain else node.expressions)]
    texts = [part if part.kind is Kind.TEXT else cast_to(Kind.TEXT, _whole_text(part)) for part in parts]
    if plain:
        tree: exp.Expr = exp.paren(exp.DPipe(this=_start(texts[0]), expression=_start(texts[1])), copy=False)
    else:
        tree = exp.Anonymous(this="CONCAT", expressions=[_start(part) for part in texts])
    return typed(Kind.TEXT, tree, *texts)


def _start(part: Typed) -> exp.Expr:
    """The first characters of a text, so that what is made of it has a bounded length."""
    return exp.Anonymous(this="LEFT", expressions=[part.tree, exp.Literal.number(_LONGEST)])


def _whole_text(part: Typed) -> Typed:
    """A whole number is written without a decimal point."""
    if part.kind is not Kind.NUMBER or not part.whole:
        return part
    return typed(part.kind, exp.TryCast(this=part.tree, to=exp.DataType.build("BIGINT"), safe=True), part)


def replace_text(node: exp.Expr, read: RowReader) -> Typed:
    """REPLACE(text, sought, other) in the first 500 characters, with texts that are written out."""
    part, sought, other = (read(node.args[name]) for name in ("this", "expression", "replacement"))
    if not text_of(sought) or text_of(other) is None:
        raise UnsupportedQuery("REPLACE(text, sought, other) takes texts that are written out, the first not empty")
    if len(text_of(other) or "") > _LONGEST_OTHER:
        raise UnsupportedQuery(f"REPLACE puts in {_LONGEST_OTHER} characters at most for each text that it finds")
    text = _start(expect(part, Kind.TEXT, "REPLACE"))
    tree = exp.Anonymous(this="REPLACE", expressions=[text, sought.tree, other.tree])
    return typed(Kind.TEXT, tree, part)


def find(node: exp.Expr, read: RowReader) -> Typed:
    """CONTAINS and STARTS_WITH with a text that is written out."""
    part, sought = expect(read(node.this), Kind.TEXT, node.key.upper()), read(node.expression)
    if text_of(sought) is None:
        raise UnsupportedQuery(f"{node.key.upper()} takes a text that is written out")
    return typed(Kind.BOOLEAN, type(node)(this=part.tree, expression=sought.tree), part, values=(False, True))
