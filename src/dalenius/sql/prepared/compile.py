"""A query over the prepared table: a plain GROUP BY, in which no row needs a weight."""

from dataclasses import replace

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine import language
from dalenius.sql.engine.statements import kept_sums
from dalenius.sql.planner.compile import Compiled, row_source
from dalenius.sql.planner.conditional_aggregates import parse_question
from dalenius.sql.planner.draft import Draft
from dalenius.sql.planner.measurements import Measurement
from dalenius.sql.planner.row_terms import RowTerms
from dalenius.sql.planner.rules import (
    bind_aggregates,
    bind_keys,
    bind_unit,
    bound_contribution,
    count_distinct,
    filter_rows,
    qualify,
    refuse_unsupported,
)
from dalenius.sql.planner.rules.bound_contribution import numbered, whole_groups
from dalenius.sql.planner.rules.rank_values import rank_kept
from dalenius.sql.planner.separate_scans import MODE, bundles
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.prepared.recipe import Preparation, whole_text
from dalenius.sql.types.engine_names import SOURCE

_RULES = (refuse_unsupported, qualify, filter_rows, bind_keys, bind_aggregates)
_INNER = ("with_", "with", "joins", "laterals")


def compile_prepared(
    text: str, preparation: Preparation, unknown: KeySearch | None = None, *, asked: bool = False
) -> Compiled | None:
    """The query over the kept rows; None if it is answered from the source.

    That is so of a JOIN and of keys that are to be found, and of a query that asks for nothing but numbers of units or
    of distinct values: a unit's kept rows tell less of them than all of its rows do, so they stay as they are, also
    beside sums. A WHERE is answered from kept rows only if that was `asked`: they were chosen before it.
    """
    tree = parse_question(text)
    if reason := _unfit(tree, asked, preparation):
        return _left(reason, asked)
    draft, policy = Draft(tree, unknown=unknown, dialect=preparation.dialect), preparation.policy
    for rule in _RULES:
        draft = rule(draft, policy)
    sums = tuple(share for share in draft.shares if not share.people)
    ranked = [bundle for bundle in bundles(draft.apart) if bundle[0].level is not None]
    if any(one.want == MODE for one in draft.apart):
        return _left("a mode", asked)
    if any(key.attribute for key in draft.keys):
        return _left("an attribute of the unit", asked)
    if draft.named or not (sums or ranked):
        reason = "keys that nobody declared" if draft.named else "numbers of units and of distinct values alone"
        return _left(reason, asked)
    assert policy.contributions is not None
    assert draft.output is not None
    most = policy.contributions
    read = replace(draft, rows=_read_numbers(draft, preparation))
    whole = whole_groups(replace(read, shares=sums), most)
    groups = tuple(replace(group, weight=draft.weight) for group in whole)
    statement = _statement(replace(read, shares=sums), preparation) if sums else ""
    plain, filtered = row_source(tree, policy)
    return Compiled(
        statement,
        policy.unit,
        draft.keys,
        draft.cells,
        groups + _from_source(draft, preparation),
        draft.output,
        ranks=tuple(rank_kept(bundle, read, most) for bundle in ranked),
        prepared=True,
        plain=plain,
        filtered=filtered,
    )


def _unfit(tree: exp.Expr, asked: bool, preparation: Preparation) -> str:
    """Why a query is not for the kept table; nothing if it is.

    That a unit has one value of an attribute is a rule over all of its rows, which the kept ones do not know of.
    """
    if not isinstance(tree, exp.Select) or len(list(tree.find_all(exp.Select))) != 1 or tree.find(exp.Join):
        return "a JOIN or a query within a query"
    if any(tree.args.get(name) for name in _INNER):
        return "a JOIN or a query within a query"
    attributes = {name.lower() for name in preparation.policy.attributes}
    if any(column.name.lower() in attributes for column in tree.find_all(exp.Column)):
        return "an attribute of the unit"
    return "" if asked or tree.args.get("where") is None else "a WHERE"


def _left(reason: str, asked: bool) -> Compiled | None:
    """Leave a query to the source, or refuse it by name where the prepared table was asked for."""
    if asked:
        raise UnsupportedQuery(f"{reason} cannot be answered from the prepared table: leave prepared= out")
    return None


def _read_numbers(draft: Draft, preparation: Preparation) -> exp.Select:
    """The final rows with the prepared number of a key instead of a search for it."""
    assert draft.rows is not None
    rows, joins = draft.rows.copy(), []
    for join in rows.args.get("joins") or []:
        name, alias = preparation.numbers.get(language.written(join.args["on"].this)), join.alias_or_name
        if name is None:
            joins.append(join)
            continue
        number = exp.column(name, table=SOURCE, quoted=True)
        for node in list(rows.find_all(exp.Column)):
            if node.table == alias and node.name == "cell":
                node.replace(number.copy())
        rows = rows.where(number.is_(exp.null()).not_())
    rows.set("joins", joins or None)
    return rows


def _statement(draft: Draft, preparation: Preparation) -> str:
    """Sums by cell of the terms of every share, then the parts."""
    assert draft.rows is not None
    cell = next(term for term in draft.rows.expressions if term.alias_or_name == "cell")
    rows = draft.rows.copy()
    rows.set("expressions", [cell.copy()])
    totals, parts = [], []
    for place, share in enumerate(draft.shares):
        if share.whole is not None:
            rows = rows.select(exp.alias_(_whole(share, preparation), f"a{place}", quoted=True))
        totals += [_total(name, term, place) for name, term in share.terms]
        parts += [(name, numbered(part, place)) for name, part in share.parts]
    return draft.dialect.text(kept_sums(draft.dialect, rows, totals, parts))


def _whole(share: RowTerms, preparation: Preparation) -> exp.Expr:
    """The fixed-point number of a row, from its column where there is one."""
    assert share.whole is not None
    assert share.value is not None
    text = whole_text(share.whole, share.value)
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


def _from_source(draft: Draft, preparation: Preparation) -> tuple[Measurement, ...]:
    """Numbers of units and of distinct values, each by a statement of its own over all rows."""
    policy = preparation.policy
    owned = bind_unit(draft, policy)
    people = tuple(share for share in draft.shares if share.people)
    found: tuple[Measurement, ...] = ()
    if people:
        bound = bound_contribution(replace(owned, shares=people, apart=()), policy)
        assert bound.statement is not None
        scan = draft.dialect.text(bound.statement)
        found = tuple(replace(group, scan=scan, weight=draft.weight) for group in bound.groups)
    return found + count_distinct(replace(owned, groups=()), policy).groups
