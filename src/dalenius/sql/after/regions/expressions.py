"""Scalar expressions over what is known of a row."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sqlglot import exp

from dalenius.sql.after.regions import dates
from dalenius.sql.after.regions.arithmetic import absolute, extreme, monotone, negative, operate, rounded
from dalenius.sql.after.regions.logic import compare, conjunction, disjunction, is_null, negated, same, truths
from dalenius.sql.after.regions.region import JointRegion, nullable
from dalenius.sql.after.regions.rows import Context
from dalenius.sql.after.regions.subqueries import InnerQueries, among, exists
from dalenius.sql.after.regions.values import (
    MISSING,
    Between,
    Exact,
    MadeValue,
    NoRule,
    OneOf,
    Unknown,
    Value,
    choices,
    hull,
)
from dalenius.sql.text.words import word

_SIGNS: dict[type[exp.Expr], str] = {
    **{exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.IntDiv: "//"}
}
_COMPARISONS: dict[type[exp.Expr], str] = {
    **{exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
}
_REALS = ("DOUBLE", "FLOAT")
_TEXTS: dict[type[exp.Expr], Callable[[str], Any]] = {exp.Upper: str.upper, exp.Lower: str.lower, exp.Length: len}


class Expressions:
    """Evaluates expressions of one statement, with the queries inside of them."""

    def __init__(self, region: JointRegion, inner: InnerQueries) -> None:
        self.region, self.inner = region, inner

    def value(self, node: exp.Expr, row: Context) -> Value:
        """What is known of an expression in a row; what has no rule is unknown, and says so."""
        if id(node) in row.computed:
            return row.computed[id(node)]
        for key, known in row.keys:
            if node == key:
                return known
        if isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval):
            return dates.moved(self.value(node.this, row), node)
        if type(node) in _SIGNS:
            return operate(
                _SIGNS[type(node)], self.value(node.this, row), self.value(node.expression, row), self.region
            )
        if type(node) in _COMPARISONS:
            return compare(
                _COMPARISONS[type(node)], self.value(node.this, row), self.value(node.expression, row), self.region
            )
        rule = _RULES.get(type(node))
        if rule is None:
            return self._engine_alone(node, row)
        return rule(self, node, row)

    def _engine_alone(self, node: exp.Expr, row: Context) -> Value:
        """What the engine computes and no rule follows: unknown."""
        return Unknown(f"{word(node)} has no rule for regions")


def _column(of: Expressions, node: exp.Expr, row: Context) -> Value:
    assert isinstance(node, exp.Column)
    known = row.column(node)
    if known is not None:
        return known
    alias = row.aliases.get(node.name.lower()) if not node.table else None
    outer = of.inner.outer(node) if row.names else None
    if (alias is None) == (outer is None):
        raise NoRule(f"{node.name} may mean several things, or none, in a query inside: it has no rule for regions")
    return outer if alias is None and outer is not None else of.value(alias or node, row)


def _literal(of: Expressions, node: exp.Expr, row: Context) -> Value:
    text = str(node.this)
    if node.args.get("is_string"):
        return Exact(text)
    return Exact(int(text) if text.isdigit() else Fraction(text))


def _case(of: Expressions, node: exp.Expr, row: Context) -> Value:
    """All branches that are possible: the hull of their numbers, or a list of what they are."""
    default = node.args.get("default")
    conditions, results = [], []
    for branch in node.args["ifs"]:
        condition = of.value(branch.this, row)
        if node.this is not None:
            condition = compare("=", of.value(node.this, row), condition, of.region)
        conditions.append(condition)
        results.append(of.value(branch.args["true"], row))
    results.append(Exact(None) if default is None else of.value(default, row))
    return chosen(conditions, results, of.region)


def chosen(conditions: list[Value], results: list[Value], region: JointRegion) -> Value:
    """The first result whose condition holds, over all that is possible; the last one if none does."""
    reachable: list[Value] = []
    point: Any = None
    is_open, is_exact, has_point = True, True, False
    for condition, result in zip([*conditions, Exact(True)], results, strict=True):
        region.ends(result)  # asked of every branch, so that what is asked does not depend on what was released
        listed = truths(condition)
        if not has_point and condition.point is MISSING:
            point, has_point = MISSING, True
        elif not has_point and condition.point is True:
            point, has_point = result.point, True
        if is_open and True in listed:
            if is_exact and isinstance(condition, Exact):
                return result
            reachable.append(result)
        is_open = is_open and listed != frozenset({True})
        is_exact = is_exact and isinstance(condition, Exact)
    return one_of(reachable, point, region)


def one_of(reachable: list[Value], point: Any, region: JointRegion) -> Value:
    """Any of several values."""
    for value in reachable:
        if isinstance(value, Unknown):
            return Unknown(value.reason, point)
    listed = [choices(value) for value in reachable]
    if all(one is not None for one in listed):
        return OneOf(frozenset().union(*(one for one in listed if one is not None)), point)
    maybe_null = any(map(nullable, reachable))
    ends = [region.ends(value) for value in reachable if not (isinstance(value, Exact) and value.point is None)]
    if None in ends:
        return Unknown("CASE of texts and numbers has no rule for regions", point)
    return Between(*hull(pair for pair in ends if pair is not None), point, maybe_null)


def _coalesce(of: Expressions, node: exp.Expr, row: Context) -> Value:
    values = [of.value(one, row) for one in (node.this, *node.expressions)]
    conditions = [negated(is_null(value)) for value in values[:-1]]
    bare = [MadeValue(value.formula, value.point) if isinstance(value, MadeValue) else value for value in values[:-1]]
    without = [Between(v.low, v.high, v.point) if isinstance(v, Between) else v for v in bare]
    return chosen(conditions, [*without, values[-1]], of.region)


def _nullif(of: Expressions, node: exp.Expr, row: Context) -> Value:
    """A number that may be NULL now: its formula stays, so that a ratio over it does."""
    value, other = of.value(node.this, row), of.value(node.expression, row)
    same = compare("=", value, other, of.region)
    if isinstance(same, Exact):
        return Exact(None) if same.point is True else value
    point = MISSING if same.point is MISSING else None if same.point is True else value.point
    if isinstance(value, MadeValue):
        return MadeValue(value.formula, point, nullable=True)
    if isinstance(value, Between):
        return Between(value.low, value.high, point, nullable=True)
    return one_of([value, Exact(None)], point, of.region)


def _between(of: Expressions, node: exp.Expr, row: Context) -> Value:
    value = of.value(node.this, row)
    low = compare(">=", value, of.value(node.args["low"], row), of.region)
    return conjunction(low, compare("<=", value, of.value(node.args["high"], row), of.region))


def _in(of: Expressions, node: exp.Expr, row: Context) -> Value:
    query = node.args.get("query")
    if query is not None:
        return among(of.value(node.this, row), of.inner.relation(query.unnest(), row), of.region)
    value, result = of.value(node.this, row), None
    for one in node.expressions:
        same = compare("=", value, of.value(one, row), of.region)
        result = same if result is None else disjunction(result, same)
    return Exact(False) if result is None else result


def _is(of: Expressions, node: exp.Expr, row: Context) -> Value:
    if not isinstance(node.expression, exp.Null):
        return Unknown("IS takes NULL in the rules for regions")
    return is_null(of.value(node.this, row))


def _cast(of: Expressions, node: exp.Expr, row: Context) -> Value:
    value, kind = of.value(node.this, row), str(node.args["to"].this).rpartition(".")[2].upper()
    if kind in dates.TIMES:
        return dates.cast(value, kind)
    if kind in _REALS and not isinstance(value, Exact):
        return value
    if kind in _REALS and isinstance(value, Exact) and isinstance(value.point, int | float | Fraction):
        return Exact(float(value.point))
    if kind in ("INT", "BIGINT"):
        return rounded(value, 0, of.region)
    if isinstance(value, Exact) and isinstance(value.point, str) and kind in ("TEXT", "VARCHAR"):
        return value
    return Unknown(f"a cast to {kind} has no rule for regions")


def _round(of: Expressions, node: exp.Expr, row: Context) -> Value:
    places = node.args.get("decimals")
    digits = Exact(0) if places is None else of.value(places, row)
    if not isinstance(digits, Exact) or not isinstance(digits.point, int):
        return Unknown("ROUND takes a number of places that is written out")
    return rounded(of.value(node.this, row), digits.point, of.region)


def _stepped(step: Callable[[Any], int]) -> "_Rule":
    def rule(of: Expressions, node: exp.Expr, row: Context) -> Value:
        return monotone(of.value(node.this, row), of.region, step, lambda x: float(step(x)), lambda x: float(step(x)))

    return rule


def _grown(function: Callable[[float], float], bottom: float) -> "_Rule":
    """A function that grows above 0, where it comes from `bottom`; below 0 the engine has no value."""

    def down(x: float) -> float:
        return bottom if x <= 0 else math.nextafter(math.nextafter(function(x), -math.inf), -math.inf)

    def up(x: float) -> float:
        return bottom if x <= 0 else math.nextafter(math.nextafter(function(x), math.inf), math.inf)

    def rule(of: Expressions, node: exp.Expr, row: Context) -> Value:
        known = monotone(of.value(node.this, row), of.region, lambda x: function(float(x)), down, up)
        if isinstance(known, Between) and math.isinf(known.low):
            return Between(bottom, known.high, known.point, known.nullable)
        return known

    return rule


def _text(of: Expressions, node: exp.Expr, row: Context) -> Value:
    value = of.value(node.this, row)
    if isinstance(value, Exact) and isinstance(value.point, str | None):
        return Exact(None if value.point is None else _TEXTS[type(node)](value.point))
    return Unknown(f"{word(node)} has no rule for regions")


def _extract(of: Expressions, node: exp.Expr, row: Context) -> Value:
    return dates.part(of.value(node.expression, row), str(node.this.name).lower(), "EXTRACT")


def _part(of: Expressions, node: exp.Expr, row: Context) -> Value:
    return dates.part(of.value(node.this, row), dates.PARTS[type(node)], word(node))


def _anonymous(of: Expressions, node: exp.Expr, row: Context) -> Value:
    """DATE_PART('dow', d), which the parser knows by its name alone; of other names there is no rule."""
    terms = node.expressions
    if node.name.upper() != "DATE_PART" or len(terms) != 2 or not isinstance(terms[0], exp.Literal):
        return Unknown(f"{word(node)} has no rule for regions")
    return dates.part(of.value(terms[1], row), str(terms[0].this).lower(), "DATE_PART")


def _if(of: Expressions, node: exp.Expr, row: Context) -> Value:
    otherwise = node.args.get("false")
    last = Exact(None) if otherwise is None else of.value(otherwise, row)
    return chosen([of.value(node.this, row)], [of.value(node.args["true"], row), last], of.region)


_Rule = Callable[[Expressions, exp.Expr, Context], Value]
_RULES: dict[type[exp.Expr], _Rule] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Null: lambda of, node, row: Exact(None),
    exp.Boolean: lambda of, node, row: Exact(bool(node.this)),
    exp.Paren: lambda of, node, row: of.value(node.this, row),
    exp.Alias: lambda of, node, row: of.value(node.this, row),
    exp.Neg: lambda of, node, row: negative(of.value(node.this, row), of.region),
    exp.And: lambda of, node, row: conjunction(of.value(node.this, row), of.value(node.expression, row)),
    exp.Or: lambda of, node, row: disjunction(of.value(node.this, row), of.value(node.expression, row)),
    exp.NullSafeEQ: lambda of, node, row: same(of.value(node.this, row), of.value(node.expression, row), of.region),
    exp.NullSafeNEQ: lambda of, node, row: negated(
        same(of.value(node.this, row), of.value(node.expression, row), of.region)
    ),
    exp.Not: lambda of, node, row: negated(of.value(node.this, row)),
    exp.Abs: lambda of, node, row: absolute(of.value(node.this, row), of.region),
    exp.Greatest: lambda of, node, row: extreme(
        [of.value(one, row) for one in (node.this, *node.expressions)], True, of.region
    ),
    exp.Least: lambda of, node, row: extreme(
        [of.value(one, row) for one in (node.this, *node.expressions)], False, of.region
    ),
    **{exp.Case: _case, exp.If: _if, exp.Coalesce: _coalesce, exp.Nullif: _nullif, exp.Between: _between, exp.In: _in},
    **{exp.Is: _is, exp.Cast: _cast, exp.Round: _round, exp.Floor: _stepped(math.floor), exp.Ceil: _stepped(math.ceil)},
    **{exp.Sqrt: _grown(math.sqrt, 0.0), exp.Ln: _grown(math.log, -math.inf)},
    **dict.fromkeys(_TEXTS, _text),
    **{exp.Extract: _extract, exp.Anonymous: _anonymous, **dict.fromkeys(dates.PARTS, _part)},
    **dict.fromkeys(dates.NAMES, lambda of, node, row: dates.name(of.value(node.this, row), node)),
    **dict.fromkeys(
        (exp.TimestampTrunc, exp.DateTrunc), lambda of, node, row: dates.period(of.value(node.this, row), node)
    ),
    exp.Subquery: lambda of, node, row: of.inner.scalar(node.this, row),
    exp.Exists: lambda of, node, row: exists(of.inner.relation(node.this.unnest(), row)),
}
