"""What one row adds where the owner declared a survey weight: COUNT, SUM and AVG of the population.

A weight w becomes a whole number b = ⌊w·2^j + ½⌋ held in [0, W], W the largest weight; NULL and NaN are 0. So a row
adds b to COUNT(*), and to sums what it adds without a weight times b / 2^k: of a bounded number with the polynomials
(R − a, a) of `row_terms`, ⌊ab / 2^k⌋ and what that leaves of ⌊Rb / 2^k⌋. Both are never negative and sum to no more
than ⌊RW / 2^k⌋, whatever the number and the weight are: one row moves all parts together by the largest weight times as
much as without one  [A Ex 3.4]. All are whole numbers, so sums are exact in whatever order rows come.

A row whose number is NULL adds its weight to a part of its own, if rows are counted too: its whole number is −1 − b.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from dalenius.curator.formula import Cell, Formula, Number, Plus, Times
from dalenius.noise import Lattice
from dalenius.sql.moments import MeasuredMoments
from dalenius.sql.planner.aggregates import WHOLE, AnsweredTerms, ValueCalls, absent_value, bounds_of, formulas_of
from dalenius.sql.planner.row_terms import RowTerms
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import Typed
from dalenius.sql.rows import columns as row_columns
from dalenius.sql.rows.fixed_point import FixedPoint, scale_around, scale_between

Parts = list[tuple[str, exp.Expr]]
"""Terms of a row, or parts that are made of their sums, by name."""
_APART = 31
"""Bits that the weight takes beside the number: each has at most 2³⁰."""


@dataclass(frozen=True, slots=True)
class RowWeight:
    """The declared weight as a row expression, and how it becomes a whole number."""

    value: Typed
    scale: FixedPoint
    bits: int

    @classmethod
    def of(cls, policy: Policy, bits: int) -> "RowWeight | None":
        """The weight that the owner declared, if one was."""
        if policy.weight is None:
            return None
        return cls(row_columns.column(policy.weight.column, policy), scale_between(*policy.weight.bounds, bits), bits)

    def whole(self, name: str) -> exp.Expr:
        """The whole number of a weight, which every row has."""
        return exp.Coalesce(this=self.scale.whole(name), expressions=[exp.Literal.number(0)])

    def star(self, name: Callable[[], str]) -> AnsweredTerms:
        """COUNT(*) alone: each row adds its weight to one part."""
        part, most = name(), self.scale.high
        row_terms = RowTerms(
            *("COUNT(*)", self.value, self.whole("v"), (("s", WHOLE),), ((part, _sum("s")),)),
            *(most, 0, most, Lattice(-self.scale.digits)),
            surveyed=True,
        )
        return AnsweredTerms(row_terms, {"rows": Cell(part)})

    def answer(self, asked: ValueCalls, with_rows: bool, name: Callable[[], str]) -> AnsweredTerms:
        """The cheapest terms that answer all that is asked of one expression, and COUNT(*) too if `with_rows`."""
        if asked.degree == 0:
            return self._counted(asked, with_rows, name)
        if asked.wants == {"sum"} and not with_rows:
            return self._summed(asked, name)
        return self._first(asked, with_rows, name)

    def _counted(self, asked: ValueCalls, with_rows: bool, name: Callable[[], str]) -> AnsweredTerms:
        """Σb over the rows that have a value, and over those that have none."""
        part, parts = name(), []
        absent = absent_value(asked.value)
        terms = [("s", _if_there(WHOLE))]
        parts.append((part, _sum("s")))
        formulas = formulas_of(asked, MeasuredMoments((Fraction(0), Fraction(0)), Cell(part)))
        if with_rows:
            rest = name()
            terms.append(("t", _if_absent(_weight_of_absent())))
            parts.append((rest, _sum("t")))
            formulas["rows"] = Plus(Cell(part), Cell(rest))
        whole = _case(absent, _marked_absent(self.whole("u")), self.whole("u"))
        most = self.scale.high
        return self._answered(asked, whole, terms, parts, (most, 0, most), -self.scale.digits, formulas)

    def _summed(self, asked: ValueCalls, name: Callable[[], str]) -> AnsweredTerms:
        """Σwx alone: a number from 0 on times its weight, cut toward zero."""
        scale, part = scale_around(*bounds_of(asked), self.bits), name()
        product = exp.Mul(this=exp.paren(scale.whole("v")), expression=exp.paren(self.whole("u")))
        whole = exp.IntDiv(this=exp.paren(product), expression=exp.Literal.number(1 << self.bits))
        low, high = -(-scale.low * self.scale.high >> self.bits), scale.high * self.scale.high >> self.bits
        ends = (max(-low, high), min(low, 0), max(high, 0))
        terms: Parts = [("s", WHOLE)]
        parts: Parts = [(part, _sum("s"))]
        return self._answered(asked, whole, terms, parts, ends, self._exponent(scale), {"sum": Cell(part)})

    def _first(self, asked: ValueCalls, with_rows: bool, name: Callable[[], str]) -> AnsweredTerms:
        """Σw(u − x) and Σw(x − l), from which Σw and Σwx follow."""
        ends = bounds_of(asked)
        scale = scale_between(*ends, self.bits)
        full = scale.high * self.scale.high >> self.bits
        number = exp.paren(exp.BitwiseRightShift(this=WHOLE, expression=exp.Literal.number(_APART)))
        weight = exp.paren(exp.BitwiseAnd(this=WHOLE, expression=exp.Literal.number((1 << _APART) - 1)))
        every = self._shifted(exp.Literal.number(scale.high), weight)
        terms = [("s", _if_there(self._shifted(number, weight.copy()))), ("t", _if_there(every))]
        lower, upper = name(), name()
        parts = [(lower, exp.Sub(this=_sum("t"), expression=_sum("s"))), (upper, _sum("s"))]
        width, base, both = scale.width, scale.base, Plus(Cell(lower), Cell(upper))
        count = Times(Number(1 / width), both)
        total = Plus(Times(Number(base / width), Cell(lower)), Times(Number((base + width) / width), Cell(upper)))
        formulas = formulas_of(asked, MeasuredMoments(ends, count, total))
        if with_rows:
            rest = name()
            gap = self._shifted(exp.Literal.number(scale.high), exp.paren(_weight_of_absent()))
            terms.append(("r", _if_absent(gap)))
            parts.append((rest, _sum("r")))
            formulas["rows"] = Times(Number(1 / width), Plus(both, Cell(rest)))
        both_wholes = exp.Add(
            this=exp.Mul(this=exp.paren(scale.whole("v")), expression=exp.Literal.number(1 << _APART)),
            expression=exp.paren(self.whole("u")),
        )
        whole = exp.Coalesce(this=both_wholes, expressions=[_marked_absent(self.whole("u"))])
        return self._answered(asked, whole, terms, parts, (full, 0, full), self._exponent(scale), formulas)

    def _answered(
        self,
        asked: ValueCalls,
        whole: exp.Expr,
        terms: Parts,
        parts: Parts,
        ends: tuple[int, int, int],
        exponent: int,
        formulas: dict[str, Formula],
    ) -> AnsweredTerms:
        row_terms = RowTerms(
            *(asked.word, asked.value, whole, tuple(terms), tuple(parts), *ends, Lattice(exponent)),
            other=self.value,
            surveyed=True,
        )
        return AnsweredTerms(row_terms, formulas)

    def _exponent(self, scale: FixedPoint) -> int:
        """That of the lattice on which products stand: ab / 2^k is worth 2^(k − i − j) of its steps."""
        return self.bits - scale.digits - self.scale.digits

    def _shifted(self, one: exp.Expr, other: exp.Expr) -> exp.Expr:
        product = exp.paren(exp.Mul(this=one, expression=other))
        return exp.paren(exp.BitwiseRightShift(this=product, expression=exp.Literal.number(self.bits)))


def _marked_absent(weight: exp.Expr) -> exp.Expr:
    """The whole number of a row that has a weight and no value."""
    return exp.Sub(this=exp.Neg(this=exp.Literal.number(1)), expression=exp.paren(weight))


def _weight_of_absent() -> exp.Expr:
    return exp.Sub(this=exp.Neg(this=exp.Literal.number(1)), expression=WHOLE.copy())


def _if_there(added: exp.Expr) -> exp.Expr:
    return _case(exp.GTE(this=WHOLE.copy(), expression=exp.Literal.number(0)), added.copy(), exp.Literal.number(0))


def _if_absent(added: exp.Expr) -> exp.Expr:
    return _case(exp.LT(this=WHOLE.copy(), expression=exp.Literal.number(0)), added, exp.Literal.number(0))


def _sum(term: str) -> exp.Expr:
    return exp.column(term, quoted=True)


def _case(test: exp.Expr, then: exp.Expr, otherwise: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=test, true=then)], default=otherwise)
