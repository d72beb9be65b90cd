"""Dates and times held in a range in which no function of them fails: the years 1 to 9999."""

from datetime import date, datetime
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.typed import Typed
from dalenius.sql.types.kinds import Kind

TIMES = (Kind.DATE, Kind.TIMESTAMP)
_ENDS = {
    Kind.DATE: ("0001-01-01", "9999-12-31"),
    Kind.TIMESTAMP: ("0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"),
}


def time_of(part: Typed, where: str) -> Typed:
    """The part, if it is a date or a timestamp."""
    if part.kind not in TIMES:
        raise UnsupportedQuery(f"{where} takes a date or a timestamp, got a {part.kind.value}; CAST it")
    return part


def held(part: Typed) -> exp.Expr:
    """The date or time of the years 1 to 9999, NULL of any other.

    It stands inside of a function and not around it: what the function is given is never out of range, also where the
    engine computes it for values that no row has.
    """
    first, last = (exp.cast(exp.Literal.string(end), part.kind.name) for end in _ENDS[part.kind])
    inside = exp.Between(this=part.tree.copy(), low=first, high=last)
    return exp.Case(ifs=[exp.If(this=inside, true=part.tree.copy())])


def as_date(tree: exp.Expr) -> exp.Expr:
    """The date of a time that is held."""
    return exp.cast(tree, "DATE")


def day_of(part: Typed) -> exp.Expr:
    """The date of a part, held."""
    return held(part) if part.kind is Kind.DATE else as_date(held(part))


def day_literal(day: date) -> Typed:
    """A date that is written out."""
    tree, place = exp.cast(exp.Literal.string(day.isoformat()), "DATE"), Fraction(day.toordinal())
    return Typed(Kind.DATE, tree, (place, place), (day.isoformat(),), constant=True)


def time_literal(when: datetime) -> Typed:
    """A time that is written out."""
    text, place = when.isoformat(sep=" "), Fraction(when.toordinal())
    tree = exp.cast(exp.Literal.string(text), "TIMESTAMP")
    return Typed(Kind.TIMESTAMP, tree, (place, place), (text,), constant=True)
