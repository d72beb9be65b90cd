"""One step of a subquery: a SELECT over the rows of one table, and what is known of the rows that it makes."""

from dataclasses import dataclass, field
from datetime import date

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.numerics import Number
from dalenius.queries import Key, Keys
from dalenius.queries.view import EXACT
from dalenius.sql.policy.by_table import BoundsByRows, DeclaredBounds
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import Typed, can_be_null, narrowed, public_values, row_expression
from dalenius.sql.rows.reachable_values import reachable_values
from dalenius.sql.rows.typed import expect
from dalenius.sql.tables.row_conditions import RowConditions, conjuncts, together
from dalenius.sql.tables.subquery_aggregates import ENGINE_TYPES
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.types.column_types import is_read
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind

_KEYS = (Kind.NUMBER, Kind.TEXT, Kind.BOOLEAN)


@dataclass(frozen=True, slots=True)
class SubquerySelect:
    """A SELECT over one table, whose rows `rows` gives."""

    tree: exp.Expr
    table: QueryTable
    policy: Policy
    rows: exp.Select | None

    @property
    def conditions(self) -> RowConditions:
        """What all rows fulfil that it is made of."""
        return (*conjuncts(self.tree.args.get("where")), *self.table.conditions)

    @property
    def condition(self) -> exp.Expr | None:
        """These conditions as one."""
        return together(self.conditions)

    @property
    def source(self) -> exp.Select:
        """A SELECT of nothing yet, from the table, where the condition holds."""
        assert self.rows is not None
        rows = exp.select().from_(exp.alias_(self.rows.subquery(), SOURCE, table=True, quoted=True))
        where = self.tree.args.get("where")
        if where is None:
            return rows
        return rows.where(expect(row_expression(where.this, self.policy), Kind.BOOLEAN, "WHERE").tree)


@dataclass(slots=True)
class SubqueryColumns:
    """Columns and what is known of them."""

    columns: dict[str, str] = field(default_factory=dict)
    keys: dict[str, Keys] = field(default_factory=dict)
    bounds: dict[str, DeclaredBounds] = field(default_factory=dict)
    fill: dict[str, Number] = field(default_factory=dict)
    zones: dict[str, str] = field(default_factory=dict)
    null_keys: set[str] = field(default_factory=set)

    def column(self, name: str, column: str, step: SubquerySelect) -> exp.Expr:
        """One of the table's columns, as it is; refused where a row of it could make the scan fail."""
        table, kind = step.table, step.policy.columns[column]
        if not is_read(kind):
            raise UnsupportedQuery(f"{column!r} is a column of {kind}, which the language has no type for")
        self.columns[name] = kind
        if column in table.keys:
            self.keys[name] = Keys(name, table.keys[column].values)
        if column in table.bounds:
            self.bounds[name] = table.bounds[column]
        if column in table.fill:
            self.fill[name] = table.fill[column]
        if column in table.zones:
            self.zones[name] = table.zones[column]
        if column in table.null_keys:
            node = exp.column(column, quoted=True)
            self.null_key(name, node, row_expression(node, step.policy), step)
        return exp.column(column, table=SOURCE, quoted=True)

    def expression(self, name: str, value: Typed, declared: str | None = None) -> exp.Expr:
        """An expression over its columns."""
        if value.kind is Kind.NULL:
            raise UnsupportedQuery("a column of a subquery that is nothing but NULL has no type: CAST it")
        self.columns[name] = declared or ENGINE_TYPES[value.kind]
        if value.values and value.kind in _KEYS and not any(map(_is_far, value.values)):
            self.keys[name] = Keys(name, value.values)
        if value.bounds is not None:
            self.bounds[name] = _ends(value)
        return value.tree

    def null_key(self, name: str, node: exp.Expr, value: Typed, step: SubquerySelect) -> None:
        """NULL among the values of an expression, if it is."""
        if can_be_null(node, value, narrowed(step.policy, step.condition, until_today=True), step.condition):
            self.null_keys.add(name)

    def public_keys(self, name: str, node: exp.Expr, value: Typed, step: SubquerySelect) -> None:
        """The public values of an expression that has no more than these: the months of a date are not its days."""
        self.null_key(name, node, value, step)
        condition = step.condition
        terms = narrowed(step.policy, condition, until_today=True)
        if value.values is None:
            listed = public_values(node, value, terms, condition)
        else:
            listed = reachable_values(node, value, value.values, terms, condition) if name in self.keys else None
        if values := [one for one in listed or () if one is not None]:
            self.keys[name] = Keys(name, values)


def _is_far(value: Key) -> bool:
    """Whether a number is too large to be a key."""
    return isinstance(value, int | float) and abs(value) >= EXACT


def _ends(value: Typed) -> DeclaredBounds:
    assert value.bounds is not None
    if value.kind in (Kind.DATE, Kind.TIMESTAMP):
        first, last = (date.fromordinal(int(end)).isoformat() for end in value.bounds)
        return first, last
    return BoundsByRows(value.bounds) if value.by_rows else value.bounds
