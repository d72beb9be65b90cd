"""What one row adds to the parts of two numbers that are asked about together.

Each number becomes a whole one as in `row_terms`, and has Bernstein polynomials of the degree that is asked: Q₀ … Qₘ of
the first and R₀ … Rₖ of the second, whole numbers ≥ 0 that sum to F and G in every row. The parts are the products
⌊QᵢRⱼ / 2^b⌋, and the first of them gets what rounding took from the others: they are never negative and sum to
⌊FG / 2^b⌋, whatever both numbers are. So one row moves all parts together by that in ℓ1, and all moments of both up to
these degrees follow at the price of one  [A Ex 3.4]. A row that lacks one of the numbers adds to none of them.

Both whole numbers are kept in one, a = a₁·2³¹ + a₂: each has at most 2³⁰, and a product of two polynomials 2⁶⁰.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from sqlglot import exp

from dalenius.curator.formula import Cell, Formula, Held, Number, Plus, Times, covariance, variance
from dalenius.errors import UnboundedQuery
from dalenius.noise import Lattice
from dalenius.sql.catalog import CATALOG
from dalenius.sql.moments import MeasuredMoments, PairMoments
from dalenius.sql.planner.aggregates import COUNTED, WHOLE, AnsweredTerms
from dalenius.sql.planner.row_terms import RowTerms
from dalenius.sql.rows import Typed
from dalenius.sql.rows.fixed_point import FixedPoint, scale_between, scale_of_none

_PAIRS = {one.want: (one.degrees, one.of_pair) for one in CATALOG if one.of_pair is not None}
_APART = 31
"""Bits that the second whole number takes."""
_NAMES = "defhijkl"
"""Names of the sums of all parts but the first."""
_POWERS: dict[int, tuple[tuple[Fraction, ...], ...]] = {
    0: ((Fraction(1),),),
    1: ((Fraction(1), Fraction(1)), (Fraction(0), Fraction(1))),
    2: (
        (Fraction(1), Fraction(1), Fraction(1)),
        (Fraction(0), Fraction(1, 2), Fraction(1)),
        (Fraction(0), Fraction(0), Fraction(1)),
    ),
}
"""1, t and t² as sums of the Bernstein polynomials of each degree."""


@dataclass(slots=True)
class PairCalls:
    """All that a query asks of two expressions: each want, and whether it names them in the other order."""

    first: Typed
    second: Typed
    word: str
    wants: set[tuple[str, bool]] = field(default_factory=set)

    @property
    def degrees(self) -> tuple[int, int]:
        """The least degrees that answer all of it."""
        asked = [_PAIRS[want][0][:: -1 if swapped else 1] for want, swapped in self.wants]
        return max(one[0] for one in asked), max(one[1] for one in asked)


@dataclass(frozen=True, slots=True)
class _Side:
    """One of two numbers: how it becomes whole, and the degree of its polynomials."""

    scale: FixedPoint
    degree: int
    bits: int
    ends: tuple[Fraction, Fraction]

    @property
    def full(self) -> int:
        """What the polynomials sum to in every row."""
        return (1 << self.bits, self.scale.high, self.scale.high**2 >> self.bits)[self.degree]

    def polynomials(self, whole: exp.Expr) -> tuple[exp.Expr, ...]:
        """Those of a whole number; of degree 2 the middle one is what the others leave."""
        if self.degree == 0:
            return (exp.Literal.number(self.full),)
        rest = exp.paren(exp.Sub(this=exp.Literal.number(self.scale.high), expression=whole))
        if self.degree == 1:
            return rest, whole
        low, high = (_shifted(exp.Mul(this=one, expression=one.copy()), self.bits) for one in (rest, whole))
        middle = exp.Sub(this=exp.Sub(this=exp.Literal.number(self.full), expression=low), expression=high.copy())
        return low, exp.paren(middle), high


def answer_pair(
    asked: PairCalls, fixed_point_bits: int, with_rows: bool, name: Callable[[], str]
) -> tuple[AnsweredTerms, dict[tuple[str, bool], Formula]]:
    """The cheapest terms that answer all that is asked of two numbers, and a formula for each."""
    one, other = (
        _side(value, degree, fixed_point_bits, asked.word)
        for value, degree in zip((asked.first, asked.second), asked.degrees, strict=True)
    )
    full = one.full * other.full >> fixed_point_bits
    places = list(product(range(one.degree + 1), range(other.degree + 1)))
    cells = {place: name() for place in places}
    terms, parts = _parts(one, other, full, cells)
    moments = _moments(one, other, Fraction(full, 1 << fixed_point_bits), cells)
    formulas: dict[str, Formula] = {}
    if with_rows:
        gaps = name()
        absent = exp.paren(exp.Sub(this=exp.column("n", quoted=True), expression=_sum("c")))
        parts.append((gaps, exp.Mul(this=exp.Literal.number(full), expression=absent)))
        counted = Number(Fraction(1 << fixed_point_bits, full))
        formulas["rows"] = Times(counted, Plus(_every(cells), Cell(gaps)))
    row_terms = RowTerms(
        *(asked.word, asked.first, _packed(one.scale, other.scale), (COUNTED, *terms), tuple(parts)),
        *(full, 0, full, Lattice(-fixed_point_bits)),
        other=asked.second,
    )
    wanted = {(want, swapped): _formula(want, moments.swapped if swapped else moments) for want, swapped in asked.wants}
    return AnsweredTerms(row_terms, formulas), wanted


def _formula(want: str, moments: PairMoments) -> Formula:
    of_pair = _PAIRS[want][1]
    return of_pair(moments)


def _side(value: Typed, degree: int, bits: int, word: str) -> _Side:
    if degree == 0:
        return _Side(scale_of_none(), 0, bits, (Fraction(0), Fraction(0)))
    if value.bounds is None:
        raise UnboundedQuery(
            f"{word} needs bounds of both: the owner declares bounds= for their columns, or write CLAMP(…, lo, hi)"
        )
    return _Side(scale_between(*value.bounds, bits), degree, bits, value.bounds)


def _packed(one: FixedPoint, other: FixedPoint) -> exp.Expr:
    """Both whole numbers in one; NULL where a row lacks one of them."""
    high = exp.Mul(this=exp.paren(one.whole("v")), expression=exp.Literal.number(1 << _APART))
    return exp.Add(this=high, expression=exp.paren(other.whole("u")))


def _parts(
    one: _Side, other: _Side, full: int, cells: dict[tuple[int, int], str]
) -> tuple[list[tuple[str, exp.Expr]], list[tuple[str, exp.Expr]]]:
    """The products of polynomials as terms of a row, all but the first, and the parts that are made of their sums."""
    first = one.polynomials(exp.paren(exp.BitwiseRightShift(this=WHOLE, expression=exp.Literal.number(_APART))))
    kept = exp.paren(exp.BitwiseAnd(this=WHOLE, expression=exp.Literal.number((1 << _APART) - 1)))
    second = other.polynomials(kept)
    terms, parts = [], []
    rest: exp.Expr = exp.Mul(this=exp.Literal.number(full), expression=_sum("c"))
    for term, (place, part) in zip(_NAMES, list(cells.items())[1:], strict=False):
        both = exp.Mul(this=first[place[0]].copy(), expression=second[place[1]].copy())
        terms.append((term, _shifted(both, one.bits)))
        parts.append((part, _sum(term)))
        rest = exp.Sub(this=rest, expression=_sum(term))
    return terms, [(next(iter(cells.values())), rest), *parts]


def _moments(one: _Side, other: _Side, unit: Fraction, cells: dict[tuple[int, int], str]) -> PairMoments:
    """The moments of both numbers from the sums of products of powers of their places in the bounds."""
    sums = {
        (i, j): _linear(cells, _POWERS[one.degree][i], _POWERS[other.degree][j])
        for i, j in product(range(one.degree + 1), range(other.degree + 1))
    }
    every = sums[0, 0]
    first = _marginal(one, unit, every, [sums[i, 0] for i in range(one.degree + 1)])
    second = _marginal(other, unit, every, [sums[0, j] for j in range(other.degree + 1)])
    if not (one.degree and other.degree):
        return PairMoments(first, second, Number(Fraction(0)))
    most = (one.ends[1] - one.ends[0]) * (other.ends[1] - other.ends[0]) / 4
    together = covariance(every, sums[1, 0], sums[0, 1], sums[1, 1])
    width, base = (one.scale.width, other.scale.width), (one.scale.base, other.scale.base)
    scaled = (
        *((base[0] * base[1], every), (width[0] * base[1], sums[1, 0])),
        *((base[0] * width[1], sums[0, 1]), (width[0] * width[1], sums[1, 1])),
    )
    products: Formula = Number(Fraction(0))
    for factor, part in scaled:
        products = Plus(products, Times(Number(factor / unit), part))
    of_both = Held(Times(Number(width[0] * width[1]), together), -most, most)
    return PairMoments(first, second, of_both, products)


def _marginal(side: _Side, unit: Fraction, every: Formula, sums: list[Formula]) -> MeasuredMoments:
    """Count, sum and variance of one of the numbers, as far as its degree goes."""
    count, width, base = Times(Number(1 / unit), every), side.scale.width, side.scale.base
    if side.degree == 0:
        return MeasuredMoments(side.ends, count)
    total = Plus(Times(Number(base / unit), every), Times(Number(width / unit), sums[1]))
    if side.degree == 1:
        return MeasuredMoments(side.ends, count, total)
    most = (side.ends[1] - side.ends[0]) ** 2 / 4
    return MeasuredMoments(
        *(side.ends, count, total),
        Held(Times(Number(width**2), variance(every, sums[1], sums[2])), Fraction(0), most),
    )


def _linear(cells: dict[tuple[int, int], str], first: tuple[Fraction, ...], second: tuple[Fraction, ...]) -> Formula:
    """Σ first[i]·second[j]·part[i, j]."""
    added: Formula | None = None
    for (i, j), part in cells.items():
        if factor := first[i] * second[j]:
            term: Formula = Cell(part) if factor == 1 else Times(Number(factor), Cell(part))
            added = term if added is None else Plus(added, term)
    assert added is not None
    return added


def _every(cells: dict[tuple[int, int], str]) -> Formula:
    ones = (Fraction(1),) * 3
    return _linear(cells, ones, ones)


def _sum(term: str) -> exp.Expr:
    return exp.column(term, quoted=True)


def _shifted(number: exp.Expr, bits: int) -> exp.Expr:
    return exp.paren(exp.BitwiseRightShift(this=exp.paren(number), expression=exp.Literal.number(bits)), copy=False)
