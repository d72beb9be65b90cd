"""The aggregates that a query holds."""

from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.numerics import rational
from dalenius.sql.catalog import CATALOG, Aggregate, Argument, ByWeight, MeasuredBy, by_name, nodes_of
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import Typed, held_columns, row_expression
from dalenius.sql.rows.casts import cast_to
from dalenius.sql.rows.typed import typed
from dalenius.sql.text.quoted import pointing
from dalenius.sql.text.words import word, written
from dalenius.sql.types.kinds import Kind

_SUMS = nodes_of(MeasuredBy.SUMS)
_RANKS = tuple(nodes_of(MeasuredBy.RANKS))
_ENDS = {node: one.level for node, one in nodes_of(MeasuredBy.RANKS).items() if one.level is not None}
AGGREGATES: tuple[type[exp.Expr], ...] = (*_SUMS, *_RANKS, *nodes_of(MeasuredBy.MODE))
_BY_NODE = {**_SUMS, **nodes_of(MeasuredBy.RANKS), **nodes_of(MeasuredBy.MODE)}
CALLS = (*AGGREGATES, exp.AnonymousAggFunc)
"""The nodes of all aggregates; one that the parser does not know is read by its name."""
_BY_NAME = by_name()
_PLAIN = ("this", "big_int", "expressions")
_SHOWN = 60
_TIMES = (Kind.DATE, Kind.TIMESTAMP)


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """One aggregate: how it is measured, which formula is wanted of the sums, and of what value.

    A sum may be one of no value: "rows" is COUNT(*), "people" COUNT(DISTINCT unit). A quantile has a `level`, a
    covariance an `other` value.
    """

    measured: MeasuredBy
    want: str
    value: Typed | None
    word: str
    level: Fraction | None = None
    other: Typed | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AggregateCall) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        texts = (None if value is None else value.text for value in (self.value, self.other))
        return self.measured, self.want, self.level, *texts


def needs_own_scan(asked: AggregateCall) -> bool:
    """Whether no sum over rows answers it."""
    return asked.measured is not MeasuredBy.SUMS


def aggregate_calls(tree: exp.Expr, policy: Policy) -> list[AggregateCall]:
    """The aggregates of SELECT, HAVING and ORDER BY, each once, in reading order."""
    return list(dict.fromkeys(calls_by_node(tree, policy).values()))


def calls_by_node(tree: exp.Expr, policy: Policy) -> dict[int, AggregateCall]:
    """What each aggregate of SELECT, HAVING and ORDER BY asks, by the identity of its node, in reading order."""
    places = [*tree.expressions, tree.args.get("having"), tree.args.get("order")]
    nodes = [node for place in places if place is not None for node in place.find_all(*CALLS, bfs=False)]
    outer = [node for node in nodes if not isinstance(node.parent, exp.WithinGroup)]
    return {id(node): aggregate_call(node, policy) for node in outer}


@pointing
def aggregate_call(node: exp.Expr, policy: Policy) -> AggregateCall:
    """What one aggregate asks."""
    entry, shown = _BY_NODE.get(type(node)) or _BY_NAME[word(node)], _shown(node)
    if policy.weight is not None and entry.by_weight is ByWeight.REFUSED:
        known = ", ".join(one.name for one in CATALOG if one.by_weight is ByWeight.POPULATION)
        raise UnsupportedQuery(
            f"{shown} has no rule with the survey weight {policy.weight.column}; {known} are of the population, and "
            "WEIGHTED_AVG(x, w) of a weight that is named"
        )
    if isinstance(node, _RANKS):
        return _rank(node, policy, shown)
    if isinstance(node, exp.Mode):
        return _mode(node, policy, shown)
    if entry.takes is Argument.PAIR:
        return _pair(node, entry, policy, shown)
    inner = argument_of(node)
    if isinstance(inner, exp.Distinct):
        return _people(node, inner, policy, shown)
    if isinstance(node, exp.Count) and (isinstance(inner, exp.Star) or inner is None):
        return _rows(node, shown)
    if inner is None or any(value for name, value in node.args.items() if name not in _PLAIN):
        raise UnsupportedQuery(f"{word(node)} takes one expression and nothing else")
    if inner.find(exp.AggFunc):
        raise UnsupportedQuery(f"{shown} has an aggregate inside an aggregate")
    value = row_expression(held_columns(inner, policy), policy)
    if entry.takes is Argument.ANY:
        want = "rows" if value.constant and value.kind is not Kind.NULL else entry.want
        return AggregateCall(MeasuredBy.SUMS, want, _kept(value), shown)
    return AggregateCall(MeasuredBy.SUMS, entry.want, _number(node, value), shown)


def argument_of(node: exp.Expr) -> exp.Expr | None:
    """What an aggregate is taken of; None of one that is read by its name and has not one argument."""
    if not isinstance(node, exp.AnonymousAggFunc):
        return node.this  # type: ignore[no-any-return]
    return node.expressions[0] if len(node.expressions) == 1 else None


def _number(node: exp.Expr, value: Typed) -> Typed:
    if value.kind is Kind.BOOLEAN:
        value = cast_to(Kind.NUMBER, value)
    if value.kind is not Kind.NUMBER:
        of_time = "; ask it of a part such as YEAR(…), or count rows by day" if value.kind in _TIMES else ""
        raise UnsupportedQuery(f"{word(node)} takes a number, got a {value.kind.value}{of_time}")
    return value


def _pair(node: exp.Expr, entry: Aggregate, policy: Policy, shown: str) -> AggregateCall:
    """An aggregate of two numbers."""
    named = isinstance(node, exp.AnonymousAggFunc)
    inner = list(node.expressions) if named else [node.this, node.args.get("expression")]
    known = ("this", "expressions") if named else ("this", "expression")
    if len(inner) != 2 or any(value for name, value in node.args.items() if name not in known):
        raise UnsupportedQuery(f"{word(node)} takes two expressions and nothing else")
    if any(one is None or isinstance(one, exp.Distinct | exp.Star) for one in inner):
        raise UnsupportedQuery(f"{word(node)} takes two expressions and nothing else")
    if any(one.find(exp.AggFunc) for one in inner):
        raise UnsupportedQuery(f"{shown} has an aggregate inside an aggregate")
    first, second = (_number(node, row_expression(held_columns(one, policy), policy)) for one in inner)
    return AggregateCall(MeasuredBy.SUMS, entry.want, first, shown, other=second)


def _rank(node: exp.Expr, policy: Policy, shown: str) -> AggregateCall:
    """A quantile."""
    value, level = _ranked(node)
    if value is None or level is None or not 0 <= level <= 1:
        raise UnsupportedQuery(
            f"{shown} has no rule: ask MEDIAN(x), MIN(x), MAX(x), QUANTILE_CONT(x, q) or "
            "PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x), with q from 0 to 1 written out"
        )
    if value.find(exp.AggFunc):
        raise UnsupportedQuery(f"{shown} has an aggregate inside an aggregate")
    number = _number(node, row_expression(held_columns(value, policy), policy))
    return AggregateCall(MeasuredBy.RANKS, "quantile", number, shown, level)


def _mode(node: exp.Expr, policy: Policy, shown: str) -> AggregateCall:
    """The most frequent of values that are public."""
    inner = node.this
    if inner is None or isinstance(inner, exp.Distinct) or any(v for name, v in node.args.items() if name != "this"):
        raise UnsupportedQuery(f"{shown} has no rule: ask MODE(x)")
    if inner.find(exp.AggFunc):
        raise UnsupportedQuery(f"{shown} has an aggregate inside an aggregate")
    value = row_expression(inner, policy)
    if value.kind not in (Kind.NUMBER, Kind.TEXT, Kind.BOOLEAN):
        raise UnsupportedQuery(f"MODE of a {value.kind.value} has no rule: ask for its parts, such as MONTH(d)")
    if not value.values:
        raise UnboundedQuery(
            f"{shown} needs public values to choose from: the owner declares keys= for its columns, "
            "or write CASE with values written out inside"
        )
    return AggregateCall(MeasuredBy.MODE, "mode", value, shown)


def _ranked(node: exp.Expr) -> tuple[exp.Expr | None, Fraction | None]:
    """What is ranked, and the level; None where it is asked for in a way that has no rule."""
    if isinstance(node, exp.WithinGroup):
        order, inner = node.expression, node.this
        if not isinstance(inner, exp.PercentileCont) or inner.args.get("expression") or len(order.expressions) != 1:
            return None, None
        term, level = order.expressions[0], _level(inner.this)
        return term.this, level if level is None or not term.args.get("desc") else 1 - level
    known = {"this", "expression"} if isinstance(node, exp.PercentileCont) else {"this"}
    if any(value for name, value in node.args.items() if name not in known) or isinstance(node.this, exp.Distinct):
        return None, None
    return node.this, _ENDS[type(node)] if type(node) in _ENDS else _level(node.args.get("expression"))


def _level(node: exp.Expr | None) -> Fraction | None:
    if not isinstance(node, exp.Literal) or node.is_string or len(str(node.this)) > _SHOWN:
        return None
    return rational(str(node.this), "a level")


def _kept(value: Typed) -> Typed | None:
    """COUNT of a constant counts rows; of NULL, nothing, which is not worth a question."""
    if value.kind is Kind.NULL:
        raise UnsupportedQuery("COUNT(NULL) is 0: there is nothing to ask")
    return None if value.constant else value


def _rows(node: exp.Expr, shown: str) -> AggregateCall:
    if node.this is None or any(node.this.args.values()) or node.args.get("expressions"):
        raise UnsupportedQuery("COUNT(*) takes no EXCLUDE, REPLACE or RENAME")
    return AggregateCall(MeasuredBy.SUMS, "rows", None, "COUNT(*)")


def _people(node: exp.Expr, inner: exp.Distinct, policy: Policy, shown: str) -> AggregateCall:
    terms = [one for term in inner.expressions for one in (term.expressions if isinstance(term, exp.Tuple) else [term])]
    whose = policy.unit.column
    is_unit = len(terms) == 1 and isinstance(terms[0], exp.Column) and terms[0].name == whose
    if not isinstance(node, exp.Count) or not terms or inner.args.get("on"):
        raise UnsupportedQuery(f"{shown} has no sensitivity rule; COUNT(DISTINCT x) has one")
    if is_unit:
        return AggregateCall(MeasuredBy.SUMS, "people", None, shown)
    if any(term.find(exp.AggFunc) for term in terms):
        raise UnsupportedQuery(f"{shown} has an aggregate inside an aggregate")
    a_row = any(isinstance(term, exp.Tuple) for term in inner.expressions)
    value = _together([row_expression(term, policy) for term in terms], a_row)
    if value.constant:
        raise UnsupportedQuery(f"{shown} counts a constant: there is nothing to ask")
    return AggregateCall(MeasuredBy.DISTINCT, "distinct", value, shown)


def _together(values: list[Typed], a_row: bool) -> Typed:
    """Several values of a row as one text, from which each could be read again.

    NULL where one is; but `a_row` of values, as in COUNT(DISTINCT (a, b)), is there whatever it holds.
    """
    if len(values) == 1:
        return values[0]
    joined: exp.Expr | None = None
    for value in values:
        text = exp.cast(value.tree.copy(), "VARCHAR")
        size = exp.cast(exp.Length(this=text.copy()), "VARCHAR")
        one: exp.Expr = exp.DPipe(this=exp.DPipe(this=size, expression=exp.Literal.string(":")), expression=text)
        if a_row:
            absent = exp.If(this=text.copy().is_(exp.null()), true=exp.Literal.string("-"))
            one = exp.Case(ifs=[absent], default=one)
        joined = one if joined is None else exp.DPipe(this=joined, expression=one)
    assert joined is not None
    return typed(Kind.TEXT, exp.paren(joined), *values, copies=3)


def _shown(node: exp.Expr) -> str:
    text = written(node)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
