"""A query over the prepared table: a plain GROUP BY, in which no row needs a weight."""

from dataclasses import replace

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.catalog import MeasuredBy
from dalenius.sql.engine import language
from dalenius.sql.engine.statements import kept_sums
from dalenius.sql.planner.bounding_view import BoundingView, Weighting, numbered, whole_text
from dalenius.sql.planner.compile import Compiled, finished, row_source
from dalenius.sql.planner.conditional_aggregates import parse_question
from dalenius.sql.planner.rules import RULES, bind_keys, bind_unit, bound_contribution
from dalenius.sql.planner.rules.bound_contribution import whole_measurements
from dalenius.sql.planner.rules.count_distinct import distinct_counts
from dalenius.sql.planner.rules.rank_values import asked_quantiles, quantiles
from dalenius.sql.planner.stages import Aggregated, Bounded, Question, Rules
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.policy.policy import Policy
from dalenius.sql.prepared.recipe import Preparation, joined_text
from dalenius.sql.tables.types_read import types_read
from dalenius.sql.types.engine_names import CELL, SOURCE

_INNER = ("with_", "with", "joins", "laterals")


def compile_prepared(
    text: str, preparation: Preparation, unknown: KeySearch | None = None, *, asked: bool = False
) -> Compiled | None:
    """The query over the kept rows; None if it is answered from the source.

    That is so of a JOIN and of keys that are to be found, and of a query that asks for nothing but numbers of units or
    of distinct values: a unit's kept rows tell less of them than all of its rows do, so they stay as they are, also
    beside sums. A WHERE is answered from kept rows only if that was `asked`: they were chosen before it.
    """
    tree, policy = parse_question(text), preparation.policy
    if reason := _unfit(tree, asked, preparation):
        return _left(reason, asked)
    rules = kept_rules(preparation)
    final = rules.final_rows(Question(tree, unknown, dialect=preparation.dialect), policy)
    aggregated = rules.aggregate(final, policy)
    if reason := _unmeasured(aggregated):
        return _left(reason, asked)
    bounded = rules.bounded(final, policy)
    plain, filtered = row_source(tree, policy)
    compiled = finished(bounded, policy.unit, prepared=True, plain=plain, filtered=filtered)
    return replace(compiled, types_read=types_read(tree, policy, {}))


def kept_rules(preparation: Preparation) -> Rules:
    """The rules over kept rows: no unit is bound, for each has few enough rows, and keys and values are read."""

    def bound(aggregated: Aggregated, policy: Policy) -> Bounded:
        return _bounded(aggregated, preparation)

    return replace(RULES, bind=(bind_keys,), bound=bound, measure=(_rank_kept, _count_in_source))


def _unmeasured(aggregated: Aggregated) -> str:
    """Why what a query asks is not for the kept table; nothing if it is."""
    if any(one.measured is MeasuredBy.MODE for one in aggregated.scans):
        return "a mode"
    if any(key.attribute for key in aggregated.final.keys):
        return "an attribute of the unit"
    if aggregated.final.unknown is not None:
        return "keys that nobody declared"
    if all(terms.people for terms in aggregated.terms) and not asked_quantiles(aggregated):
        return "numbers of units and of distinct values alone"
    return ""


def _unfit(tree: exp.Expr, asked: bool, preparation: Preparation) -> str:
    """Why a query is not for the kept table; nothing if it is.

    That a unit has one value of an attribute is a rule over all of its rows, which the kept ones do not know of.
    """
    if not isinstance(tree, exp.Select) or len(list(tree.find_all(exp.Select))) != 1 or tree.find(exp.Join):
        return "a JOIN or a query within a query"
    if any(tree.args.get(name) for name in _INNER):
        return "a JOIN or a query within a query"
    source = tree.args.get("from_")
    if source is not None and source.this.name.lower() != preparation.policy.table.lower():
        return "another table"
    if preparation.policy.weight is not None:
        return "a survey weight"
    attributes = {name.lower() for name in preparation.policy.attributes}
    if any(column.name.lower() in attributes for column in tree.find_all(exp.Column)):
        return "an attribute of the unit"
    return "" if asked or tree.args.get("where") is None else "a WHERE"


def _left(reason: str, asked: bool) -> Compiled | None:
    """Leave a query to the source, or refuse it by name where the prepared table was asked for."""
    if asked:
        raise UnsupportedQuery(f"{reason} cannot be answered from the prepared table: leave prepared= out")
    return None


def _bounded(aggregated: Aggregated, preparation: Preparation) -> Bounded:
    """Sums over kept rows, of which none needs a weight: a unit has at most T of them."""
    policy, final = preparation.policy, aggregated.final
    most, sums = policy.contributions or 1, tuple(terms for terms in aggregated.terms if not terms.people)
    rows = _read_numbers(aggregated.rows, preparation)
    view = BoundingView(final.rows, rows, final.keys, None, Weighting.WHOLE, most, sums)
    groups = tuple(
        replace(group, weight=aggregated.weight) for group in whole_measurements(replace(aggregated, terms=sums), most)
    )
    return Bounded(aggregated, view, groups, _statement(view, preparation) if sums else None)


def _rank_kept(bounded: Bounded, policy: Policy) -> Bounded:
    """Quantiles of kept rows, which need no weights either."""
    read, most = replace(bounded.aggregated, rows=bounded.view.rows), bounded.view.contributions
    ranks = (quantiles(bundle, read, most, 1) for bundle in asked_quantiles(bounded.aggregated))
    return replace(bounded, ranks=tuple(ranks))


def _read_numbers(rows: exp.Select, preparation: Preparation) -> exp.Select:
    """The final rows with the prepared number of a key instead of a search for it."""
    rows, joins = rows.copy(), []
    for join in rows.args.get("joins") or []:
        name = preparation.numbers.get(joined_text(join.args["on"].this, join.this.this))
        alias = join.alias_or_name
        if name is None:
            joins.append(join)
            continue
        number = exp.column(name, table=SOURCE, quoted=True)
        for node in list(rows.find_all(exp.Column)):
            if node.table == alias and node.name == CELL:
                node.replace(number.copy())
        rows = rows.where(number.is_(exp.null()).not_())
    rows.set("joins", joins or None)
    return rows


def _statement(view: BoundingView, preparation: Preparation) -> exp.Expr:
    """Sums by cell of the terms of every value, then the parts."""
    cell = next(term for term in view.rows.expressions if term.alias_or_name == CELL)
    rows = view.rows.copy()
    rows.set("expressions", [cell.copy()])
    totals, parts = [], []
    for place, terms in enumerate(view.terms):
        if terms.whole is not None:
            whole = _whole(whole_text(terms.whole, terms.values), preparation)
            rows = rows.select(exp.alias_(whole, f"a{place}", quoted=True))
        totals += [_total(name, term, place) for name, term in terms.terms]
        parts += [(name, numbered(part, place)) for name, part in terms.parts]
    return kept_sums(preparation.dialect, rows, totals, parts)


def _whole(text: str, preparation: Preparation) -> exp.Expr:
    """The fixed-point number of a row, from its column where there is one."""
    if (name := preparation.wholes.get(text)) is not None:
        return exp.column(name, table=SOURCE, quoted=True)
    return language.read(text)


def _total(name: str, term: exp.Expr, place: int) -> tuple[str, str, exp.Expr]:
    """A term over the rows of a cell: its name, whether rows that have it are counted or it is summed, and of what.

    A prepared number has 32 bits, so it is widened before it is multiplied.
    """
    if name == "c":
        return f"{name}{place}", "count", exp.column(f"a{place}", quoted=True)
    widened = numbered(term, place)
    if not isinstance(term, exp.Column):
        for node in list(widened.find_all(exp.Column)):
            node.replace(exp.cast(node.copy(), "BIGINT"))
    return f"{name}{place}", "sum", widened


def _count_in_source(bounded: Bounded, policy: Policy) -> Bounded:
    """Numbers of units and of distinct values, each by a statement of its own over all rows of the source."""
    aggregated, final = bounded.aggregated, bounded.aggregated.final
    people = tuple(terms for terms in aggregated.terms if terms.people)
    all_rows = replace(aggregated, final=bind_unit(final, policy), rows=_with_unit(aggregated, policy), terms=people)
    groups = bounded.groups
    if people:
        counted = bound_contribution(replace(all_rows, scans=()), policy)
        own = (replace(group, scan=counted.scan, weight=aggregated.weight) for group in counted.groups)
        groups = (*groups, *own)
    counts = (replace(count, weight=aggregated.weight) for count in distinct_counts(all_rows, policy))
    return replace(bounded, groups=(*groups, *counts))


def _with_unit(aggregated: Aggregated, policy: Policy) -> exp.Select:
    """The rows with their values, and the unit beside them."""
    return bind_unit(replace(aggregated.final, rows=aggregated.rows), policy).rows
