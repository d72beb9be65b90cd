"""GROUP BY inside a subquery: one row for each unit, or for each unit and combination of keys."""

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import row_expression
from dalenius.sql.tables.row_conditions import RowConditions, renamed
from dalenius.sql.tables.subquery_aggregates import UnitAggregate, canonical_number, unit_aggregate
from dalenius.sql.tables.subquery_picks import PICKS, picked
from dalenius.sql.tables.subquery_select import SubqueryColumns, SubquerySelect
from dalenius.sql.tables.table import QueryTable, reading
from dalenius.sql.types.column_types import REALS
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind

_VALUES = (exp.Min, exp.Max, exp.Mode, exp.Sum, exp.Avg, exp.Median)
FORM = "a subquery is SELECT columns FROM … WHERE … GROUP BY unit, keys HAVING …"


def grouped_by_unit(step: SubquerySelect) -> SubquerySelect:
    """One row for each unit and combination of keys: the keys are its columns k0, k1, …, the aggregates a0, a1, …."""
    terms = _grouped(step)
    asked = [*step.tree.expressions, *filter(None, [step.tree.args.get("having")])]
    calls = {node.sql(): node for term in asked for node in term.find_all(exp.AggFunc) if node not in terms}
    aggregates = [_aggregate(node, step.policy) for node in calls.values()]
    table, keys = _summary(step, terms, dict(zip(calls.values(), aggregates, strict=True)))
    inner = step.source
    for place, tree in enumerate(keys):
        inner.select(exp.alias_(tree, f"k{place}", quoted=True), copy=False)
    for place, one in enumerate(aggregates):
        if one.value is not None:
            inner.select(exp.alias_(one.value.tree, f"v{place}", quoted=True), copy=False)
        for number, other in enumerate(one.others):
            inner.select(exp.alias_(other.tree, f"v{place} {number}", quoted=True), copy=False)
    outer = exp.select().from_(exp.alias_(inner.subquery(), "owned", table=True, quoted=True))
    for place in range(len(keys)):
        column = exp.column(f"k{place}", quoted=True)
        outer.select(column, copy=False).group_by(column.copy(), copy=False)
    for place, one in enumerate(aggregates):
        read = (f"v{place}", *(f"v{place} {number}" for number in range(len(one.others))))
        value = one.aggregate(*(exp.column(name, quoted=True) for name in read))
        outer.select(exp.alias_(value, f"a{place}", quoted=True), copy=False)
    names = {f"{node}": f"a{place}" for place, node in enumerate(calls)}
    tree = _over(step.tree, terms, names)
    return SubquerySelect(tree, table, table.terms(step.policy), outer)


def _aggregate(node: exp.Expr, policy: Policy) -> UnitAggregate:
    return picked(node, policy) if isinstance(node, PICKS) else unit_aggregate(node, policy)


def _grouped(step: SubquerySelect) -> list[exp.Expr]:
    """What is grouped by, the unit among it."""
    group, distinct = step.tree.args.get("group"), step.tree.args.get("distinct")
    terms = [] if group is None else list(group.expressions)
    sets = [term for term in terms if isinstance(term, exp.Rollup | exp.Cube | exp.GroupingSets | exp.Tuple)]
    if sets or (group is not None and any(value for name, value in group.args.items() if name != "expressions")):
        raise UnsupportedQuery(f"GROUP BY takes expressions: no ALL, ROLLUP, CUBE or GROUPING SETS; {FORM}")
    if distinct is not None:
        asked = [*step.tree.expressions, *filter(None, [step.tree.args.get("having")])]
        if distinct.args.get("on") or terms or any(term.find(exp.AggFunc) for term in asked):
            raise UnsupportedQuery(f"SELECT DISTINCT takes columns, without ON, GROUP BY or aggregates; {FORM}")
        terms = [term.unalias() for term in step.tree.expressions]
    if any(term.find(exp.AggFunc) for term in terms):
        raise UnsupportedQuery("GROUP BY takes expressions over a row, without aggregates")
    unit = step.table.unit
    if not step.table.private:
        raise UnsupportedQuery(f"{step.table.name!r} is public: aggregate it before it is given as public=")
    if unit is None:
        raise UnboundedQuery("where each row is a unit a subquery cannot aggregate: it would mix rows of several")
    if not any(_is_unit(term, step.table) for term in terms):
        shown = unit.rpartition(".")[2] if unit not in step.table.hidden else "the unit's column"
        raise UnboundedQuery(
            f"a subquery that aggregates must GROUP BY {shown}, so that each of its rows is one person's; "
            "an average over all is a question of its own"
        )
    return list(dict.fromkeys(terms))


def _summary(
    step: SubquerySelect, terms: list[exp.Expr], aggregates: Mapping[exp.Expr, UnitAggregate]
) -> tuple[QueryTable, list[exp.Expr]]:
    """What is known of the rows, of keys that are columns what was; and the keys as the engine computes them."""
    outputs, trees, constant = SubqueryColumns(), [], set()
    for place, term in enumerate(terms):
        name = f"k{place}"
        if isinstance(term, exp.Column) and step.policy.columns[term.name] not in REALS:
            trees.append(outputs.column(name, term.name, step))
        else:
            value = row_expression(term, step.policy)
            tree = outputs.expression(name, value)
            outputs.public_keys(name, term, value, step)
            # of equal numbers the engine may keep either zero, by the order of rows
            trees.append(canonical_number(tree) if value.kind is Kind.NUMBER else tree)
        if all(one.name in (*step.table.attributes, step.table.unit) for one in term.find_all(exp.Column)):
            constant.add(name)
    unit = next(f"k{place}" for place, term in enumerate(terms) if _is_unit(term, step.table))
    single = len(constant) == len(terms)
    for place, (call, one) in enumerate(aggregates.items()):
        outputs.expression(f"a{place}", one.result, one.declared)
        if isinstance(call, _VALUES) and one.value is not None:
            outputs.null_key(f"a{place}", call.this, one.value, step)
        is_extreme = isinstance(call, exp.Min | exp.Max | exp.Mode) and not isinstance(call.this, exp.Column)
        if is_extreme and one.value is not None:  # the least of a person's months is a month
            outputs.public_keys(f"a{place}", call.this, one.value, step)
    made = {f"k{place}": term for place, term in enumerate(terms)}
    made |= {f"a{place}": call for place, call in enumerate(aggregates)}
    table = replace(
        step.table,
        columns=outputs.columns,
        unit=unit,
        keys=outputs.keys,
        bounds=outputs.bounds,
        fill=outputs.fill,
        null_keys=frozenset(outputs.null_keys),
        attributes=frozenset(outputs.columns if single else constant) - {unit},
        single=single,
        hidden=frozenset(),
        names_people=frozenset(
            name for name, term in made.items() if isinstance(term, exp.Column) and term.name in step.table.people
        )
        - {unit},
        computed_from_unit=reading(step.table.of_unit, made) - {unit},
        conditions=_conditions(step.conditions, made),
    )
    return table, trees


def _conditions(known: RowConditions, made: Mapping[str, exp.Expr]) -> RowConditions:
    """What all made rows fulfil: what is known of the keys, and of a column what its least or largest value fulfils."""
    kept = renamed(known, {term.name: name for name, term in made.items() if isinstance(term, exp.Column)})
    for name, call in made.items():
        if isinstance(call, exp.Min | exp.Max | exp.Mode) and isinstance(call.this, exp.Column):
            kept += renamed(known, {call.this.name: name})
    return kept


def _is_unit(term: exp.Expr, table: QueryTable) -> bool:
    return isinstance(term, exp.Column) and term.name == table.unit


def _over(tree: exp.Expr, terms: list[exp.Expr], names: Mapping[str, str]) -> exp.Expr:
    """The SELECT over the rows that were aggregated: HAVING is a condition on them."""

    def named(node: exp.Expr) -> exp.Expr:
        if node in terms:
            return exp.column(f"k{terms.index(node)}", table=SOURCE, quoted=True)
        if isinstance(node, exp.AggFunc):
            return exp.column(names[node.sql()], table=SOURCE, quoted=True)
        if isinstance(node, exp.Column):
            raise UnsupportedQuery(f"{node.name} stands outside of an aggregate: GROUP BY it, or aggregate it")
        return node

    having = tree.args.get("having")
    plain = exp.select()
    plain.set("expressions", [term.copy().transform(named) for term in tree.expressions])
    if having is not None:
        plain.set("where", exp.Where(this=having.this.copy().transform(named)))
    return plain
