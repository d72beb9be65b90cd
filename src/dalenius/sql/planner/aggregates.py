"""The aggregates of a query, gathered by what they aggregate, as terms of rows and formulas over parts."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from sqlglot import exp

from dalenius.curator.formula import Cell, Formula, Held, Number, Plus, Times, variance
from dalenius.errors import UnboundedQuery
from dalenius.noise import Lattice
from dalenius.sql.catalog import CATALOG
from dalenius.sql.moments import MeasuredMoments
from dalenius.sql.planner.row_terms import RowTerms
from dalenius.sql.rows import Kind, Typed
from dalenius.sql.rows.fixed_point import MOST_BITS, FixedPoint, scale_around, scale_between

_SUMS = {one.want: (one.degree, one.formula) for one in CATALOG if one.formula is not None}
"""The degree of what each aggregate needs to know, and its formula."""

_SUM_BITS = 42

WHOLE = exp.column("a", quoted=True)
COUNTED = (
    "c",
    exp.Case(
        ifs=[exp.If(this=WHOLE.copy().is_(exp.null()), true=exp.Literal.number(0))], default=exp.Literal.number(1)
    ),
)
"""1 for a row with a number, 0 for one without."""


@dataclass(slots=True)
class ValueCalls:
    """All that a query asks of one expression."""

    value: Typed
    word: str
    wants: set[str] = field(default_factory=set)
    most_of_person: Fraction | None = None
    """The most that one unit's sum may be, where the owner has bounded it."""
    finds: str = ""
    """The column of which that is to be found."""

    @property
    def degree(self) -> int:
        """The least degree of sums that answers all of it."""
        return max(_SUMS[want][0] for want in self.wants)


@dataclass(frozen=True, slots=True)
class AnsweredTerms:
    """What each row adds, and the formulas that it answers; "rows" is COUNT(*)."""

    terms: RowTerms
    formulas: dict[str, Formula]


def star(name: Callable[[], str]) -> AnsweredTerms:
    """COUNT(*) alone: each row adds 1 to one part."""
    part = name()
    row_terms = RowTerms("COUNT(*)", None, None, (), ((part, exp.column("n", quoted=True)),), 1, 0, 1, plain=True)
    return AnsweredTerms(row_terms, {"rows": Cell(part)})


def people(name: Callable[[], str], word: str) -> AnsweredTerms:
    """COUNT(DISTINCT unit): a unit adds 1 to the part of each cell that it has rows in."""
    part = name()
    row_terms = RowTerms(word, None, None, (), ((part, exp.Literal.number(1)),), 1, 0, 1, plain=True, people=True)
    return AnsweredTerms(row_terms, {"people": Cell(part)})


def answer(asked: ValueCalls, bits: int, with_rows: bool, name: Callable[[], str]) -> AnsweredTerms:
    """The cheapest terms that answer all that is asked of one expression, and COUNT(*) too if `with_rows`."""
    degree = asked.degree
    if degree == 0:
        return _counted(asked, with_rows, name)
    low, high = bounds_of(asked)
    if asked.wants == {"sum"} and not with_rows:
        return _summed(asked, scale_around(low, high, _sum_bits(asked, bits)), name)
    scale = scale_between(low, high, bits)
    build = _first if degree == 1 else _second
    return build(asked, scale, (low, high), bits, with_rows, name)


def bounds_of(asked: ValueCalls) -> tuple[Fraction, Fraction]:
    """The bounds of what is asked about, or a refusal."""
    if asked.value.bounds is None:
        raise UnboundedQuery(
            f"{asked.word} needs bounds: the owner declares bounds= for its columns, or write CLAMP(…, lo, hi) inside"
        )
    return asked.value.bounds


def _counted(asked: ValueCalls, with_rows: bool, name: Callable[[], str]) -> AnsweredTerms:
    absent = absent_value(asked.value)
    part = name()
    parts = [(part, _sum("c"))]
    formulas = formulas_of(asked, MeasuredMoments((Fraction(0), Fraction(0)), Cell(part)))
    if with_rows:
        rest = name()
        parts.append((rest, exp.Sub(this=exp.column("n", quoted=True), expression=_sum("c"))))
        formulas["rows"] = Plus(Cell(part), Cell(rest))
    whole = _case(absent, exp.null(), exp.Literal.number(1))
    row_terms = RowTerms(asked.word, asked.value, whole, (COUNTED,), tuple(parts), 1, 0, 1, plain=True)
    return AnsweredTerms(row_terms, formulas)


def absent_value(value: Typed) -> exp.Expr:
    """Whether a row has no value "v"."""
    column = exp.column("v", quoted=True)
    absent: exp.Expr = column.is_(exp.null())
    if value.kind is Kind.NUMBER:
        absent = exp.Or(this=absent, expression=exp.IsNan(this=column.copy()))
    return absent


def _sum_bits(asked: ValueCalls, bits: int) -> int:
    """Digits of a number, so that a person's sum of them stays below 2⁴², and weighted by 2²⁰ below 2⁶³."""
    if asked.most_of_person is None:
        return bits
    reach = max(map(abs, bounds_of(asked))) or Fraction(1)
    return min(MOST_BITS, _SUM_BITS - math.ceil(asked.most_of_person / reach).bit_length())


def _summed(asked: ValueCalls, scale: FixedPoint, name: Callable[[], str]) -> AnsweredTerms:
    part = name()
    row_terms = RowTerms(
        asked.word,
        asked.value,
        scale.whole(),
        (("s", WHOLE),),
        ((part, _sum("s")),),
        max(-scale.low, scale.high),
        min(scale.low, 0),
        max(scale.high, 0),
        Lattice(-scale.digits),
        person=None if asked.most_of_person is None else max(1, math.ceil(asked.most_of_person / scale.step)),
        finds=asked.finds,
    )
    return AnsweredTerms(row_terms, {"sum": Cell(part)})


def _first(
    asked: ValueCalls,
    scale: FixedPoint,
    ends: tuple[Fraction, Fraction],
    bits: int,
    with_rows: bool,
    name: Callable[[], str],
) -> AnsweredTerms:
    """Σ(u − x) and Σ(x − l)."""
    full, width, base = scale.high, scale.width, scale.base
    terms = (COUNTED, ("s", WHOLE))
    lower, upper = name(), name()
    parts = [(lower, exp.Sub(this=_times(full, _sum("c")), expression=_sum("s"))), (upper, _sum("s"))]
    both = Plus(Cell(lower), Cell(upper))
    count = Times(Number(1 / width), both)
    total = Plus(Times(Number(base / width), Cell(lower)), Times(Number((base + width) / width), Cell(upper)))
    formulas = formulas_of(asked, MeasuredMoments(ends, count, total))
    if with_rows:
        rest = name()
        parts.append((rest, _times(full, exp.Sub(this=exp.column("n", quoted=True), expression=_sum("c")))))
        formulas["rows"] = Times(Number(1 / width), Plus(both, Cell(rest)))
    row_terms = RowTerms(
        asked.word, asked.value, scale.whole(), terms, tuple(parts), full, 0, full, Lattice(-scale.digits)
    )
    return AnsweredTerms(row_terms, formulas)


def _second(
    asked: ValueCalls,
    scale: FixedPoint,
    ends: tuple[Fraction, Fraction],
    bits: int,
    with_rows: bool,
    name: Callable[[], str],
) -> AnsweredTerms:
    """Σ(1 − t)², Σ2t(1 − t) and Σt² for t = (x − l) / (u − l), the middle one as what the others leave of a row."""
    full = (scale.high**2) >> bits
    rest_of = exp.paren(exp.Sub(this=exp.Literal.number(scale.high), expression=WHOLE))
    terms = (
        COUNTED,
        ("q", _shifted(exp.Mul(this=rest_of, expression=rest_of.copy()), bits)),
        ("r", _shifted(exp.Mul(this=WHOLE, expression=WHOLE.copy()), bits)),
    )
    p0, p1, p2 = name(), name(), name()
    middle = exp.Sub(this=exp.Sub(this=_times(full, _sum("c")), expression=_sum("q")), expression=_sum("r"))
    parts = [(p0, _sum("q")), (p1, middle), (p2, _sum("r"))]
    every = Plus(Plus(Cell(p0), Cell(p1)), Cell(p2))
    unit = full * Fraction(2) ** -bits
    first = Plus(Times(Number(Fraction(1, 2)), Cell(p1)), Cell(p2))
    formulas = formulas_of(asked, _moments(scale, ends, unit, every, first, Cell(p2)))
    if with_rows:
        rest = name()
        parts.append((rest, _times(full, exp.Sub(this=exp.column("n", quoted=True), expression=_sum("c")))))
        formulas["rows"] = Times(Number(1 / unit), Plus(every, Cell(rest)))
    return AnsweredTerms(
        RowTerms(asked.word, asked.value, scale.whole(), terms, tuple(parts), full, 0, full, Lattice(-bits)), formulas
    )


def _moments(
    scale: FixedPoint, ends: tuple[Fraction, Fraction], unit: Fraction, every: Formula, first: Formula, second: Formula
) -> MeasuredMoments:
    """Count, sum and variance of x from the sums of 1, t and t²."""
    width, base = scale.width, scale.base
    count = Times(Number(1 / unit), every)
    total = Plus(Times(Number(base / unit), every), Times(Number(width / unit), first))
    most = (ends[1] - ends[0]) ** 2 / 4
    population = Held(Times(Number(width**2), variance(every, first, second)), Fraction(0), most)
    return MeasuredMoments(ends, count, total, population)


def formulas_of(asked: ValueCalls, moments: MeasuredMoments) -> dict[str, Formula]:
    """The formulas that were asked for, of all that the moments give at no further price."""
    return {want: _SUMS[want][1](moments) for want in asked.wants}


def _sum(term: str) -> exp.Expr:
    return exp.column(term, quoted=True)


def _times(factor: int, part: exp.Expr) -> exp.Expr:
    return exp.Mul(this=exp.Literal.number(factor), expression=exp.paren(part))


def _shifted(square: exp.Expr, bits: int) -> exp.Expr:
    return exp.BitwiseRightShift(this=exp.paren(square), expression=exp.Literal.number(bits))


def _case(test: exp.Expr, then: exp.Expr, otherwise: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=test, true=then)], default=otherwise)
