"""The rows of a SELECT without aggregates, for a plan that learns from them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.queries import View
from dalenius.sql.engine import DIALECT, Dialect, Engine
from dalenius.sql.planner.conditional_aggregates import parse_question
from dalenius.sql.planner.rules import RULES
from dalenius.sql.planner.stages import Question
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import Typed, row_expression
from dalenius.sql.tables.subquery import resolve
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.types.engine_names import UNIT
from dalenius.sql.types.kinds import Kind

if TYPE_CHECKING:
    import pyarrow as pa

LANGUAGE = "rows are selected by SELECT expressions FROM table JOIN … WHERE …, without aggregates, GROUP BY or LIMIT"
_ROWS = "rows of unit"
_READ = frozenset({Kind.NUMBER, Kind.TEXT, Kind.BOOLEAN})


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SelectedRows(View):
    """Private rows that are not read yet: `names` of their values, in order, and what `statement` gives.

    Whoever reads them bounds each unit by `counted`: the column that says how many of the final rows are its unit's,
    counted by the engine as the weights of a sum are. `bounds` are public, where the owner declared them.
    """

    engine: Engine
    statement: str
    names: tuple[str, ...]
    bounds: tuple[tuple[float, float] | None, ...]

    counted = _ROWS

    def _read(self) -> "pa.Table":
        """The rows: the number of rows of each one's unit, then its values; after the charge alone."""
        return self.engine.fetch(self.statement).rename_columns([_ROWS, *self.names])


def selected_rows(
    text: str, policy: Policy, others: Mapping[str, QueryTable], engine: Engine, dialect: Dialect = DIALECT
) -> SelectedRows:
    """What a SELECT without aggregates would give; refused by name before anything is charged or read.

    Names, joins and conditions are read by the rules of every other question, so that each row decides for itself,
    belongs to one unit, and no expression fails on one.
    """
    tree = parse_question(text)
    if not isinstance(tree, exp.Select) or tree.find(exp.AggFunc, exp.Star):
        raise UnsupportedQuery(f"a fit reads rows: {LANGUAGE}")
    for clause in ("group", "having", "order", "limit", "offset", "distinct"):
        if tree.args.get(clause):
            raise UnsupportedQuery(f"{clause.upper()} has no rule for rows that a model is fitted to; {LANGUAGE}")
    joined = resolve(tree, policy, others)
    terms = replace(joined.policy, contributions=joined.policy.contributions or 1)  # the fit bounds a unit itself
    final = RULES.final_rows(Question.over(joined, dialect=dialect), terms)
    names, values, rows = [], [], final.rows
    for place, term in enumerate(final.question.tree.expressions):
        value = _value(term, terms)
        names.append(term.alias_or_name or f"column {place + 1}")
        values.append(value)
        rows = rows.select(exp.alias_(value.tree, f"v{place}", quoted=True))
    if len({name.lower() for name in names}) != len(names):
        raise UnsupportedQuery("the columns of a fit need names that differ; give one another name with AS")
    return SelectedRows(
        engine, dialect.text(_counted(rows, len(names), policy.unit.column)), tuple(names), tuple(map(_ends, values))
    )


def _value(term: exp.Expr, policy: Policy) -> Typed:
    value = row_expression(term.unalias(), policy)
    if value.kind not in _READ:
        raise UnsupportedQuery(f"a fit reads numbers, texts and booleans, got a {value.kind.value}; CAST it")
    return value


def _ends(value: Typed) -> tuple[float, float] | None:
    return None if value.bounds is None else (float(value.bounds[0]), float(value.bounds[1]))


def _counted(rows: exp.Select, width: int, unit: str | None) -> exp.Select:
    """Each row's values, and how many rows its unit has; 1 where a row is a unit."""
    one: exp.Expr = exp.Literal.number(1)
    if unit is not None:
        one = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[exp.column(UNIT, table="final", quoted=True)])
    values = [exp.column(f"v{place}", table="final", quoted=True) for place in range(width)]
    return exp.select(exp.alias_(one, _ROWS, quoted=True), *values).from_(
        exp.alias_(rows.subquery(), "final", table=True, quoted=True)
    )
