"""Arithmetic and conditions on aggregates: post-processing, which costs nothing."""

from collections.abc import Callable

from sqlglot import exp

from dalenius.curator.formula import (
    Absent,
    Case,
    Compare,
    Every,
    Formula,
    Held,
    IsAbsent,
    Minus,
    Number,
    Opposite,
    Over,
    Plus,
    Root,
    Some,
    Times,
)
from dalenius.errors import UnsupportedQuery
from dalenius.numerics import rational
from dalenius.sql.planner.aggregate_calls import CALLS, argument_of
from dalenius.sql.text.quoted import pointing
from dalenius.sql.text.words import word, written

_SIGNS: dict[type[exp.Expr], str] = {
    **{exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
}
_PAIRS: dict[type[exp.Expr], Callable[[Formula, Formula], Formula]] = {
    **{exp.Add: Plus, exp.Sub: Minus, exp.Mul: Times, exp.Div: Over}
}
_LONGEST_NUMBER = 60


class FormulaReader:
    """Reads what stands around aggregates in SELECT, HAVING and ORDER BY; around columns, where `column` knows them."""

    def __init__(
        self,
        tree: exp.Expr,
        aggregate: Callable[[exp.Expr], Formula],
        column: Callable[[exp.Column], Formula] | None = None,
    ) -> None:
        group = tree.args.get("group")
        self._grouped = [] if group is None else list(group.expressions)
        self._aggregate, self._column = aggregate, column

    def term(self, node: exp.Expr) -> int | Formula:
        """The number of a grouping key, or a formula."""
        inner = node.unnest()
        return self._grouped.index(inner) if inner in self._grouped else self.formula(inner)

    @pointing
    def formula(self, node: exp.Expr) -> Formula:
        """A formula over aggregates and numbers."""
        if isinstance(node, CALLS):
            return self._aggregate(node)
        if isinstance(node, exp.Column) and self._column is not None:
            return self._column(node)
        if type(node) in _PAIRS:
            return _PAIRS[type(node)](self.formula(node.this), self.formula(node.expression))
        if type(node) in _SIGNS:
            return Compare(_SIGNS[type(node)], self.formula(node.this), self.formula(node.expression))
        rule = _RULES.get(type(node))
        if rule is None:
            raise UnsupportedQuery(self._refusal(node))
        return rule(self, node)

    def default_name(self, term: exp.Expr, place: int) -> str:
        """What a column without AS is called."""
        if isinstance(term, exp.Column):
            return term.name
        if isinstance(term, exp.Count) and isinstance(term.this, exp.Star):
            return "count"
        if isinstance(term, exp.PercentileCont | exp.WithinGroup):
            return written(term, "lower")
        if isinstance(term, CALLS) and isinstance(inner := argument_of(term), exp.Column):
            other = term.args.get("expression")
            beside = f"_{other.name}" if isinstance(other, exp.Column) else ""
            # the parser's name, not the analyst's: it stands in the fingerprint of answers that a ledger keeps
            unnamed = isinstance(term, exp.Anonymous | exp.AnonymousAggFunc)
            called = term.sql_name() if isinstance(term, exp.Func) and not unnamed else word(term)
            return f"{called.lower()}_{inner.name}{beside}"
        return word(term).lower() if isinstance(term, exp.AnonymousAggFunc) else f"column_{place}"

    def _refusal(self, node: exp.Expr) -> str:
        if isinstance(node, exp.Column):
            return f"{node.name} stands outside of an aggregate: GROUP BY it, or aggregate it; filter keys with WHERE"
        return f"{word(node)} has no sensitivity rule, and is no arithmetic on aggregates"


def _number(reader: FormulaReader, node: exp.Expr) -> Formula:
    if node.args.get("is_string") or len(str(node.this)) > _LONGEST_NUMBER:
        raise UnsupportedQuery("beside aggregates stand numbers, of at most 60 characters")
    return Number(rational(str(node.this), "a number in a query"))


def _case(reader: FormulaReader, node: exp.Expr) -> Formula:
    if node.this is not None:
        raise UnsupportedQuery("over aggregates write CASE WHEN condition THEN …")
    default = node.args.get("default")
    branches = tuple((reader.formula(one.this), reader.formula(one.args["true"])) for one in node.args["ifs"])
    return Case(branches, Absent() if default is None else reader.formula(default))


def _is(reader: FormulaReader, node: exp.Expr) -> Formula:
    if not isinstance(node.expression, exp.Null):
        raise UnsupportedQuery("over aggregates IS takes NULL")
    return IsAbsent(reader.formula(node.this))


def _between(reader: FormulaReader, node: exp.Expr) -> Formula:
    value = reader.formula(node.this)
    low, high = reader.formula(node.args["low"]), reader.formula(node.args["high"])
    return Every((Compare(">=", value, low), Compare("<=", value, high)))


def _clamp(reader: FormulaReader, node: exp.Expr) -> Formula:
    if node.name.lower() != "clamp" or len(node.expressions) != 3:
        raise UnsupportedQuery(f"{word(node)} has no sensitivity rule, and is no arithmetic on aggregates")
    low, high = (reader.formula(end) for end in node.expressions[1:])
    if not isinstance(low, Number) or not isinstance(high, Number):
        raise UnsupportedQuery("CLAMP(x, lo, hi) takes two numbers lo ≤ hi, written out")
    return Held(reader.formula(node.expressions[0]), low.number, high.number)


def _negative(reader: FormulaReader, node: exp.Expr) -> Formula:
    inner = reader.formula(node.this)
    return Number(-inner.number) if isinstance(inner, Number) else Minus(Number(rational(0, "zero")), inner)


_RULES: dict[type[exp.Expr], Callable[[FormulaReader, exp.Expr], Formula]] = {
    exp.Literal: _number,
    exp.Null: lambda reader, node: Absent(),
    exp.Paren: lambda reader, node: reader.formula(node.this),
    exp.Neg: _negative,
    exp.Sqrt: lambda reader, node: Root(reader.formula(node.this)),
    exp.And: lambda reader, node: Every((reader.formula(node.this), reader.formula(node.expression))),
    exp.Or: lambda reader, node: Some((reader.formula(node.this), reader.formula(node.expression))),
    exp.Not: lambda reader, node: Opposite(reader.formula(node.this)),
    **{exp.Is: _is, exp.Between: _between, exp.Case: _case, exp.Anonymous: _clamp},
}
