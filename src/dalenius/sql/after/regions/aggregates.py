"""Aggregates over rows that are there or may be: every result that is possible."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from sqlglot import exp

from dalenius.curator.formula import Linear
from dalenius.sql.after.regions.dispersion import correlation_of, covariance_of, variance_of, variance_of_some
from dalenius.sql.after.regions.quantiles import quantile, quantile_between
from dalenius.sql.after.regions.region import JointRegion, never_null, nullable
from dalenius.sql.after.regions.rows import Presence
from dalenius.sql.after.regions.values import (
    MISSING,
    Between,
    CombinedValue,
    Exact,
    MadeValue,
    OneOf,
    Unknown,
    Value,
    formula_of,
)
from dalenius.sql.text.words import word

Member = tuple[Presence, Value]


def aggregate(node: exp.Expr, members: Sequence[Member], region: JointRegion, by: Sequence[Value] = ()) -> Value:
    """An aggregate of values, each of a row that is there or may be; `by` is what ARG_MAX looks at."""
    known = [(presence, value) for presence, value in members if not _is_null(value)]
    for _, value in known:
        if isinstance(value, Unknown):
            return Unknown(value.reason, MISSING)
    if isinstance(node, exp.ArgMax | exp.ArgMin):
        return _arg(members, by, isinstance(node, exp.ArgMax), region)
    if type(node) in (*_SQUARES, *_PRODUCTS):
        return _dispersion(node, members if type(node) in _PRODUCTS else known, by, region)
    if isinstance(node, exp.Median | exp.PercentileCont | exp.PercentileDisc):
        return _quantile(node, known, region)
    rule = _RULES.get(type(node))
    if rule is None:
        return Unknown(f"{word(node)} of numbers with noise has no rule for regions")
    return rule(known, region)


def counted(presences: Sequence[Presence]) -> Value:
    """COUNT(*)."""
    if all(presence.exact for presence in presences):
        return Exact(len(presences))
    sure, possible = sum(one.sure for one in presences), sum(one.possible for one in presences)
    return Between(float(sure), float(possible), sum(one.point for one in presences))


def _is_null(value: Value) -> bool:
    return isinstance(value, Exact) and value.point is None


def _points(members: Sequence[Member]) -> list[Any]:
    """The values in what was released, those that are NULL left out."""
    return [value.point for presence, value in members if presence.point and value.point is not None]


def _point(members: Sequence[Member], of: Callable[[list[Any]], Any]) -> Any:
    points = _points(members)
    if MISSING in points:
        return MISSING
    try:
        return of(points) if points else None
    except TypeError:
        return MISSING


def _is_static(members: Sequence[Member]) -> bool:
    """Whether public facts decide which rows there are, and none of their values may be NULL."""
    return all(presence.exact and never_null(value) for presence, value in members)


def _count(members: Sequence[Member], region: JointRegion) -> Value:
    """COUNT(x)."""
    return counted(
        [
            Presence(
                presence.exact and never_null(value),
                presence.sure and not nullable(value),
                presence.possible,
                presence.point and value.point is not None,
            )
            for presence, value in members
        ]
    )


def _sum(members: Sequence[Member], region: JointRegion) -> Value:
    point = _point(members, sum)
    if not members:
        return Exact(None)
    formulas = [formula_of(value) for _, value in members]
    if _is_static(members) and all(isinstance(value, Exact) for _, value in members):
        return Exact(point) if point is not MISSING else Unknown("SUM was computed by the engine alone")
    forms = [None if formula is None else formula.linear() for formula in formulas]
    if _is_static(members) and None not in forms:
        return MadeValue(CombinedValue(added([form for form in forms if form is not None])), point)
    low = high = 0.0
    for (presence, value), ends in zip(members, [region.ends(value) for _, value in members], strict=True):
        if ends is None:
            return Unknown("SUM of what is no number has no rule for regions", point)
        sure = presence.sure and not nullable(value)
        if presence.possible:
            low += ends[0] if sure else min(0.0, ends[0])
            high += ends[1] if sure else max(0.0, ends[1])
    none_sure = not any(presence.sure and not nullable(value) for presence, value in members)
    wide = (abs(low) + abs(high)) * len(members) * 2.0**-50
    wide = wide if math.isfinite(wide) else 0.0
    return Between(low - wide, high + wide, point, none_sure)


def added(forms: Sequence[Linear]) -> Linear:
    """The sum of sums."""
    terms: dict[str, Fraction] = {}
    constant = Fraction(0)
    for form in forms:
        constant += form.constant
        for name, factor in form.terms:
            terms[name] = terms.get(name, Fraction(0)) + factor
    return Linear.of(terms, constant)


def _average(members: Sequence[Member], region: JointRegion) -> Value:
    point = _point(members, lambda points: sum(map(float, points)) / len(points))
    if not members:
        return Exact(None)
    total = _sum(members, region)
    if _is_static(members) and isinstance(total, MadeValue):
        form = total.formula.linear()
        assert form is not None
        return MadeValue(CombinedValue(form.times(Fraction(1, len(members)))), point)
    if isinstance(total, Exact):
        return Exact(point)
    sure, perhaps = _ends_of(members, region)
    if sure is None or perhaps is None:
        return Unknown("AVG of what is no number has no rule for regions", point)
    low = _least_mean([a for a, _ in sure], sorted(a for a, _ in perhaps))
    high = -_least_mean([-b for _, b in sure], sorted(-b for _, b in perhaps))
    slack = 2.0**-48 * max((abs(end) for end in (low, high) if math.isfinite(end)), default=0.0) * len(members)
    return Between(low - slack, high + slack, point, not sure)


def _least_mean(sure: list[float], perhaps: list[float]) -> float:
    """The least mean of all sure numbers and any of the others: those are taken while they lower it."""
    if not sure and not perhaps:
        return -math.inf
    total, size = math.fsum(sure) if sure else perhaps[0], len(sure) or 1
    if any(map(math.isinf, (*sure, *perhaps))):
        return -math.inf
    for number in perhaps if sure else perhaps[1:]:
        if number * size < total:
            total, size = total + number, size + 1
    return total / size


def _ends_of(
    members: Sequence[Member], region: JointRegion
) -> tuple[list[tuple[float, float]] | None, list[tuple[float, float]] | None]:
    """Ends of what is surely there, and of what may be; every member is asked, there or not."""
    sure, perhaps = [], []
    for presence, value in members:
        ends = region.ends(value)
        if ends is None:
            return None, None
        if presence.sure and not nullable(value):
            sure.append(ends)
        elif presence.possible:
            perhaps.append(ends)
    return sure, perhaps


def _extreme(largest: bool) -> Callable[[Sequence[Member], JointRegion], Value]:
    def rule(members: Sequence[Member], region: JointRegion) -> Value:
        point = _point(members, max if largest else min)
        if _is_static(members) and all(isinstance(value, Exact) for _, value in members):
            return Exact(point) if point is not MISSING else Unknown("MAX was computed by the engine alone")
        sure, perhaps = _ends_of(members, region)
        if sure is None or perhaps is None:
            return Unknown("MIN and MAX of texts with noise have no rule for regions", point)
        every = [*sure, *perhaps]
        if not every:
            return Between(-math.inf, math.inf, point, nullable=True)
        if largest:
            low = max(a for a, _ in sure) if sure else min(a for a, _ in perhaps)
            return Between(low, max(b for _, b in every), point, not sure)
        high = min(b for _, b in sure) if sure else max(b for _, b in perhaps)
        return Between(min(a for a, _ in every), high, point, not sure)

    return rule


def _quantile(node: exp.Expr, members: Sequence[Member], region: JointRegion) -> Value:
    """MEDIAN, QUANTILE_CONT and QUANTILE_DISC at a part that is written out."""
    written = exp.Literal.number("0.5") if isinstance(node, exp.Median) else node.expression
    part = Fraction(str(written.this)) if isinstance(written, exp.Literal) and not written.is_string else Fraction(-1)
    discrete = isinstance(node, exp.PercentileDisc)
    if not 0 <= part <= 1:
        return Unknown(f"{word(node)} takes one part that is written out in the rules for regions")
    point = _point(members, lambda points: quantile(list(map(float, points)), part, discrete))
    sure, perhaps = _ends_of(members, region)
    if sure is None or perhaps is None:
        return Unknown(f"{word(node)} of what is no number has no rule for regions", point)
    if _is_static(members) and all(isinstance(value, Exact) for _, value in members):
        return Exact(point)
    between = quantile_between(sure, perhaps, point, part, discrete)
    return Unknown(f"{word(node)} of so many rows that noise picks has no rule", point) if between is None else between


def _dispersion(node: exp.Expr, members: Sequence[Member], by: Sequence[Value], region: JointRegion) -> Value:
    """VARIANCE and STDDEV; COVAR and CORR of public rows."""
    values = [value for _, value in members]
    if type(node) in _SQUARES and not _is_static(members):
        return _variance_of_some(node, members, region)
    pairs = list(by) if type(node) in _PRODUCTS else values
    if not _is_static(members) or not all(map(never_null, pairs)):
        return Unknown(f"{word(node)} of rows that noise picks, or of NULL, has no rule for regions")
    if any(value.point is MISSING for value in (*values, *pairs)):
        return Unknown(f"{word(node)} of what the engine alone has computed has no rule for regions")
    if isinstance(node, exp.Corr):
        return correlation_of(values, pairs, region)
    if type(node) in _PRODUCTS:
        return covariance_of(values, pairs, region, sample=isinstance(node, exp.CovarSamp))
    return variance_of(values, region, *_SQUARES[type(node)])


def _variance_of_some(node: exp.Expr, members: Sequence[Member], region: JointRegion) -> Value:
    """VARIANCE and STDDEV of rows that noise picks, or of numbers that may be NULL."""
    sample, root = _SQUARES[type(node)]
    point = _point(members, lambda points: _variance(list(map(float, points)), sample, root))
    sure, perhaps = _ends_of(members, region)
    if sure is None or perhaps is None:
        return Unknown(f"{word(node)} of what is no number has no rule for regions", point)
    return variance_of_some(sure, perhaps, point, sample, root)


def _variance(points: list[float], sample: bool, root: bool) -> float | None:
    if len(points) - sample < 1:
        return None
    mean = math.fsum(points) / len(points)
    square = math.fsum((point - mean) ** 2 for point in points) / (len(points) - sample)
    return math.sqrt(square) if root else square


def _any(members: Sequence[Member], region: JointRegion) -> Value:
    """The value that all rows share, be it NULL or not."""
    values = {value for _, value in members}
    if len(values) == 1 and all(presence.exact for presence, _ in members):
        return values.pop()
    return Unknown("ANY_VALUE of several rows has no rule for regions")


def _arg(members: Sequence[Member], by: Sequence[Value], largest: bool, region: JointRegion) -> Value:
    """The labels of all rows that may hold the largest number; a row whose label is NULL does not take part."""
    pairs = [(member, value) for member, value in zip(members, by, strict=True) if not _is_null(member[1])]
    members, by = [member for member, _ in pairs], [value for _, value in pairs]
    if not pairs:
        return Exact(None)
    labels = [value.point if isinstance(value, Exact) else MISSING for _, value in members]
    ends = [region.ends(value) for value in by]
    if MISSING in labels or None in ends:
        return Unknown("ARG_MAX takes public labels, by numbers")
    signed = [(pair if largest else (-pair[1], -pair[0])) for pair in ends if pair is not None]
    sure = [presence.sure and not nullable(value) for (presence, _), value in zip(members, by, strict=True)]
    best = max((low for (low, _), there in zip(signed, sure, strict=True) if there), default=-math.inf)
    possible = {
        label
        for label, (_, high), (presence, _) in zip(labels, signed, members, strict=True)
        if high >= best and presence.possible
    }
    shown = [
        (value.point, label)
        for (presence, _), value, label in zip(members, by, labels, strict=True)
        if presence.point and value.point is not None
    ]
    top = None
    if shown:
        points = [point for point, _ in shown]
        top = MISSING if MISSING in points else shown[points.index((max if largest else min)(points))][1]
    return OneOf(frozenset(possible if any(sure) else {*possible, None}), top)


_SQUARES: dict[type[exp.Expr], tuple[bool, bool]] = {
    **{exp.Variance: (True, False), exp.VariancePop: (False, False)},
    **{exp.Stddev: (True, True), exp.StddevSamp: (True, True), exp.StddevPop: (False, True)},
}
"""Whether an aggregate is that of a sample, and whether its root is taken."""
_PRODUCTS = (exp.CovarPop, exp.CovarSamp, exp.Corr)
OF_TWO = (exp.ArgMax, exp.ArgMin, *_PRODUCTS)
"""Aggregates that look at a second expression."""
_RULES: dict[type[exp.Expr], Callable[[Sequence[Member], JointRegion], Value]] = {
    **{exp.Sum: _sum, exp.Avg: _average, exp.Count: _count, exp.Max: _extreme(True), exp.Min: _extreme(False)},
    **{exp.AnyValue: _any, exp.First: _any},
}
