"""What is written out in a query."""

from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.numerics import rational
from dalenius.sql.rows.typed import Typed
from dalenius.sql.types.kinds import Kind

_LONGEST_NUMBER = 60
_LONGEST_TEXT = 10_000


def literal(node: exp.Expr) -> Typed:
    """A number or a text."""
    if node.args.get("is_string"):
        return text(str(node.this))
    written = str(node.this)
    if len(written) > _LONGEST_NUMBER:
        raise UnsupportedQuery(f"a number may have {_LONGEST_NUMBER} characters, got {len(written)}")
    value = rational(written, "a number in a query")
    if abs(value) > Fraction(10) ** 300:
        raise UnsupportedQuery("a number in a query must lie between -1e300 and 1e300")
    return number(value)


def number(value: Fraction) -> Typed:
    """A number, as the double nearest to it."""
    near = float(value)
    whole = near.is_integer() and abs(near) < 2**53
    tree = _double(near)
    held = Fraction(near)
    return Typed(Kind.NUMBER, tree, (held, held), (int(near) if whole else near,), constant=True, whole=whole)


def number_of(part: Typed) -> Fraction | None:
    """The number that a constant is; None of anything that depends on a row."""
    if part.kind is Kind.NUMBER and part.constant and part.bounds is not None and part.bounds[0] == part.bounds[1]:
        return part.bounds[0]
    return None


def text(value: str) -> Typed:
    """A text; the engine's own parser stops at a zero character."""
    if "\0" in value or len(value) > _LONGEST_TEXT:
        raise UnsupportedQuery(f"a text in a query may have {_LONGEST_TEXT} characters, none of them zero")
    return Typed(Kind.TEXT, exp.Literal.string(value), None, (value,), constant=True)


def text_of(part: Typed) -> str | None:
    """The text that a constant is; None of anything that depends on a row."""
    if part.kind is Kind.TEXT and isinstance(part.tree, exp.Literal):
        return str(part.tree.this)
    return None


def boolean(node: exp.Expr) -> Typed:
    """TRUE or FALSE."""
    return Typed(Kind.BOOLEAN, exp.Boolean(this=bool(node.this)), None, (bool(node.this),), constant=True)


def null(node: exp.Expr) -> Typed:
    """NULL, which has every type."""
    return Typed(Kind.NULL, exp.null(), None, (), constant=True)


def _double(near: float) -> exp.Expr:
    """A literal that the engine reads as a double and nothing narrower, whatever its digits."""
    size = exp.Literal.number(f"{abs(near):.17g}" if "e" in f"{abs(near):.17g}" else f"{abs(near):.17g}e0")
    return exp.paren(exp.Neg(this=size), copy=False) if near < 0 else size
