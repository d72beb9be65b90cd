"""Aggregates inside a subquery: exact, of one unit's rows alone.

Their values stand in rows that are private in their turn, so that they are not randomized here. But they must be a
function of the unit's rows as a set with multiplicities: an order of rows that hangs on other units would let these
move them. COUNT, MIN and MAX are one; a sum of doubles is not, since it is rounded by the order, so that sums are taken
over fixed-point numbers: a = ⌊x·2^k + ½⌋ held inside of the bounds, of at most 52 bits, in integers of 128. They are
total too: 2⁶² rows of 52 bits fit. MEDIAN looks at values in order, where equal ones are the same. MODE is given its
values in order too, and takes the least of those that are equally frequent: as rows come, it would be any of them.

A sum of at most T rows between l and u lies between the least of l and T·l and the largest of u and T·u: these are its
bounds where T is declared. Whoever relies on bounds clamps, so a unit with more rows moves nothing by more.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.sql.catalog import Exactly, nodes_exactly, there_are_in_subqueries
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import Typed, held_columns, row_expression
from dalenius.sql.rows.casts import cast_to
from dalenius.sql.rows.fixed_point import scale_around
from dalenius.sql.rows.literals import number
from dalenius.sql.rows.typed import ValueRange, expect, typed
from dalenius.sql.text.words import word
from dalenius.sql.types.kinds import Kind

BITS = 50
MOST_COUNTED = 1_000
"""The contribution bound up to which it bounds the rows of a unit: beyond it a number that is chosen serves better."""


@dataclass(frozen=True, slots=True)
class UnitAggregate:
    """One aggregate of a unit's rows: of which value "v" (none for COUNT(*)), how, and what is known of the result.

    `others` are further values of the same rows that it reads, such as those that put them in order.
    """

    value: Typed | None
    aggregate: Callable[..., exp.Expr]
    result: Typed
    declared: str
    others: tuple[Typed, ...] = ()


def unit_aggregate(node: exp.Expr, policy: Policy) -> UnitAggregate:
    """The aggregate as the engine computes it, or a refusal by name."""
    exactly = _NODES.get(type(node))
    if exactly is None:
        raise UnsupportedQuery(
            f"{word(node)} has no rule in a subquery: it must not hang on the order of rows; "
            f"{there_are_in_subqueries()}"
        )
    inner = node.this
    distinct = isinstance(inner, exp.Distinct)
    extra = [name for name, value in node.args.items() if value and name not in ("this", "big_int")]
    if extra or (distinct and (len(inner.expressions) != 1 or inner.args.get("on"))):
        raise UnsupportedQuery(f"{word(node)} takes one expression and nothing else")
    if inner is None or isinstance(inner, exp.Star):
        if not isinstance(node, exp.Count) or (inner is not None and any(inner.args.values())):
            raise UnsupportedQuery(f"{word(node)} takes one expression and nothing else")
        return UnitAggregate(None, lambda _: exp.Count(this=exp.Star()), counted(policy.contributions, 1), "UBIGINT")
    inner = inner.expressions[0] if distinct else inner
    if inner.find(exp.AggFunc):
        raise UnsupportedQuery(f"{word(node)} has an aggregate inside an aggregate")
    numbers = exactly in (Exactly.SUMMED, Exactly.AVERAGED, Exactly.MIDDLE)
    value = row_expression(held_columns(inner, policy) if numbers else inner, policy)
    one = _RULES[exactly](node, value, distinct)
    if exactly is Exactly.COUNTED:
        return replace(one, result=counted(policy.contributions))
    return replace(one, result=_summed(value, policy.contributions)) if exactly is Exactly.SUMMED else one


def canonical_number(value: exp.Expr) -> exp.Expr:
    """A number with one zero and no NaN, so that equal numbers are the same: −0 is 0, and NaN is NULL."""
    nan = exp.If(this=exp.IsNan(this=value.copy()), true=exp.null())
    zero = exp.If(this=exp.EQ(this=value.copy(), expression=number(Fraction(0)).tree), true=number(Fraction(0)).tree)
    return exp.Case(ifs=[nan, zero], default=value.copy())


def _count(node: exp.Expr, value: Typed, distinct: bool) -> UnitAggregate:
    if value.kind is Kind.NULL:
        raise UnsupportedQuery("COUNT(NULL) is 0: there is nothing to ask")

    def aggregate(column: exp.Expr) -> exp.Expr:
        counted = canonical_number(column) if value.kind is Kind.NUMBER else column
        return exp.Count(this=exp.Distinct(expressions=[counted]) if distinct else counted)

    return UnitAggregate(value, aggregate, counted(None), "UBIGINT")


def counted(contributions: int | None, least: int = 0) -> Typed:
    """A whole number of rows or values; up to T where that is declared, else its type says no more than from 0 on."""
    if contributions is None or contributions > MOST_COUNTED:
        return typed(Kind.NUMBER, exp.null(), whole=True, least=Fraction(0))
    bounds = Fraction(least if least < contributions else 0), Fraction(contributions)
    return typed(Kind.NUMBER, exp.null(), bounds=bounds, whole=True, by_rows=True)


def _summed(value: Typed, contributions: int | None) -> Typed:
    """What is known of the sum of a unit's rows."""
    ends = (cast_to(Kind.NUMBER, value) if value.kind is Kind.BOOLEAN else value).bounds
    if contributions is None or ends is None:
        return typed(Kind.NUMBER, exp.null())
    bounds = min(ends[0], contributions * ends[0]), max(ends[1], contributions * ends[1])
    return typed(Kind.NUMBER, exp.null(), bounds=bounds, by_rows=True)


def _sum(node: exp.Expr, value: Typed, distinct: bool) -> UnitAggregate:
    low, high = _ends(node, value, distinct)
    value = _number(node, value)
    return UnitAggregate(value, lambda column: _total(column, low, high), typed(Kind.NUMBER, exp.null()), "DOUBLE")


def _average(node: exp.Expr, value: Typed, distinct: bool) -> UnitAggregate:
    low, high = _ends(node, value, distinct)
    value = _number(node, value)

    def aggregate(column: exp.Expr) -> exp.Expr:
        rows = exp.cast(exp.Count(this=_whole(column, low, high)), "DOUBLE")
        mean = exp.Div(this=exp.paren(_total(column, low, high)), expression=rows)
        least, most = (kind(this=canonical_number(column)) for kind in (exp.Min, exp.Max))
        return exp.Case(
            ifs=[exp.If(this=exp.EQ(this=least, expression=most), true=_held(least, low, high))], default=mean
        )

    return UnitAggregate(value, aggregate, typed(Kind.NUMBER, exp.null(), bounds=(low, high)), "DOUBLE")


def _held(value: exp.Expr, low: Fraction, high: Fraction) -> exp.Expr:
    """A number between the bounds: the mean of equal numbers is that number, to its last digit."""
    ends = [number(end).tree for end in (low, high)]
    above = exp.Anonymous(this="GREATEST", expressions=[value.copy(), ends[0]])
    return exp.Anonymous(this="LEAST", expressions=[above, ends[1]])


def _ends(node: exp.Expr, value: Typed, distinct: bool) -> ValueRange:
    number_like = cast_to(Kind.NUMBER, value) if value.kind is Kind.BOOLEAN else value
    expect(number_like, Kind.NUMBER, word(node))
    _refuse_distinct(node, distinct)
    if number_like.bounds is None:
        raise UnboundedQuery(
            f"{word(node)} in a subquery needs bounds: the owner declares bounds= for its columns, or write "
            "CLAMP(…, lo, hi) inside"
        )
    scale_around(*number_like.bounds, BITS)  # refuses bounds that are too near to 0
    return number_like.bounds


def _number(node: exp.Expr, value: Typed) -> Typed:
    return cast_to(Kind.NUMBER, value) if value.kind is Kind.BOOLEAN else value


def _whole(column: exp.Expr, low: Fraction, high: Fraction) -> exp.Expr:
    """The fixed-point number of the column; NULL of NULL and NaN."""
    whole = scale_around(low, high, BITS).whole()
    for node in list(whole.find_all(exp.Column)):
        node.replace(column.copy())
    return whole


def _total(column: exp.Expr, low: Fraction, high: Fraction) -> exp.Expr:
    scale = scale_around(low, high, BITS)
    total = exp.cast(exp.Sum(this=exp.cast(_whole(column, low, high), "HUGEINT")), "DOUBLE")
    return exp.Mul(this=total, expression=number(scale.step).tree)


def _extreme(node: exp.Expr, value: Typed, distinct: bool) -> UnitAggregate:
    if value.kind is Kind.NULL:
        raise UnsupportedQuery(f"{word(node)}(NULL) is NULL: there is nothing to ask")

    def aggregate(column: exp.Expr) -> exp.Expr:
        return type(node)(this=canonical_number(column) if value.kind is Kind.NUMBER else column)

    result = typed(value.kind, exp.null(), bounds=value.bounds, values=value.values)
    return UnitAggregate(value, aggregate, result, ENGINE_TYPES[value.kind])


def _middle(node: exp.Expr, value: Typed, distinct: bool) -> UnitAggregate:
    expect(value, Kind.NUMBER, word(node))
    _refuse_distinct(node, distinct)
    result = typed(Kind.NUMBER, exp.null(), bounds=value.bounds)

    def aggregate(column: exp.Expr) -> exp.Expr:
        plain = canonical_number(column)
        if value.bounds is None:
            return exp.Median(this=plain)
        absent = exp.If(this=exp.paren(plain.copy()).is_(exp.null()), true=exp.null())
        return exp.Median(this=exp.Case(ifs=[absent], default=_held(plain, *value.bounds)))

    return UnitAggregate(value, aggregate, result, "DOUBLE")


def _oftenest(node: exp.Expr, value: Typed, distinct: bool) -> UnitAggregate:
    if value.kind is Kind.NULL:
        raise UnsupportedQuery(f"{word(node)}(NULL) is NULL: there is nothing to ask")
    _refuse_distinct(node, distinct)

    def aggregate(column: exp.Expr) -> exp.Expr:
        plain = canonical_number(column) if value.kind is Kind.NUMBER else column.copy()
        return exp.Mode(this=exp.Order(this=plain, expressions=[exp.Ordered(this=plain.copy(), nulls_first=False)]))

    result = typed(value.kind, exp.null(), bounds=value.bounds, values=value.values)
    return UnitAggregate(value, aggregate, result, ENGINE_TYPES[value.kind])


def _refuse_distinct(node: exp.Expr, distinct: bool) -> None:
    if distinct:
        raise UnsupportedQuery(f"{word(node)}(DISTINCT x) has no rule; {there_are_in_subqueries()}")


def _logical(node: exp.Expr, value: Typed, distinct: bool) -> UnitAggregate:
    expect(value, Kind.BOOLEAN, word(node))
    name = "BOOL_OR" if isinstance(node, exp.LogicalOr) else "BOOL_AND"
    result = typed(Kind.BOOLEAN, exp.null(), values=(False, True))
    return UnitAggregate(value, lambda column: exp.Anonymous(this=name, expressions=[column]), result, "BOOLEAN")


ENGINE_TYPES = {
    **{Kind.NUMBER: "DOUBLE", Kind.TEXT: "VARCHAR", Kind.BOOLEAN: "BOOLEAN"},
    **{Kind.DATE: "DATE", Kind.TIMESTAMP: "TIMESTAMP"},
}
"""The engine's types of what a subquery computes."""
_NODES = nodes_exactly()
_RULES: dict[Exactly, Callable[[exp.Expr, Typed, bool], UnitAggregate]] = {
    **{Exactly.COUNTED: _count, Exactly.SUMMED: _sum, Exactly.AVERAGED: _average},
    **{Exactly.ENDS: _extreme, Exactly.MIDDLE: _middle, Exactly.OFTENEST: _oftenest, Exactly.LOGICAL: _logical},
}
