"""A table that FROM or JOIN may name: declared, public, or made by a subquery."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.queries import Keys
from dalenius.sql.policy.by_table import DeclaredBounds
from dalenius.sql.policy.policy import Policy
from dalenius.sql.policy.rows_by_table import ONE
from dalenius.sql.policy.sum_bounds import SumBound
from dalenius.sql.policy.survey_weight import SurveyWeight
from dalenius.sql.tables.row_conditions import RowConditions
from dalenius.sql.types.column_types import is_read
from dalenius.sql.types.engine_names import SOURCE

if TYPE_CHECKING:
    import pyarrow as pa


def reading(columns: frozenset[str], terms: Mapping[str, exp.Expr]) -> frozenset[str]:
    """The names of the terms that are computed from some columns; how many of these there are tells none of them."""
    return frozenset(
        name
        for name, term in terms.items()
        if any(
            column.name in columns and column.find_ancestor(exp.Count, exp.CountIf) is None
            for column in (term.this if isinstance(term, exp.Window) else term).find_all(exp.Column)
        )
    )


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key that carries the unit: rows belong to whoever owns the rows of `table` that they refer to."""

    column: str
    table: str
    to: str


@dataclass(frozen=True, slots=True)
class QueryTable:
    """What is known of a table's columns, each by its name there.

    `place` is the engine's name for it; one that a subquery makes has `rows` instead. A private one has the `unit`, or
    a `reference` to a table that has it, and its terms are the owner's. A public one has neither: its keys, bounds and
    which columns are `unique` come from its rows, which are no secret. `attributes` have one value a unit, the least of
    its rows. In a `single` table a unit has one row at most. `hidden` columns are not the analyst's to name.
    """

    name: str
    place: str
    columns: Mapping[str, str]
    unit: str | None = None
    keys: Mapping[str, Keys] = field(default_factory=dict)
    bounds: Mapping[str, DeclaredBounds] = field(default_factory=dict)
    fill: Mapping[str, Number] = field(default_factory=dict)
    unique: frozenset[str] = frozenset()
    reference: Reference | None = None
    attributes: frozenset[str] = frozenset()
    rows: exp.Select | None = None
    owned: bool = False
    single: bool = False
    hidden: frozenset[str] = frozenset()
    size: int = 1
    sum_bounds: Mapping[str, SumBound] = field(default_factory=dict)
    """The most that one person's rows of a column of the owner's add up to."""
    zones: Mapping[str, str] = field(default_factory=dict)
    """The zone whose clock a column shows."""
    weight: SurveyWeight | None = None
    """What says how many of a population each row stands for."""
    reals: Mapping[str, Keys] = field(default_factory=dict)
    """The values of a public table's real numbers, which are keys where they are candidates of a choice alone."""
    count: int | None = None
    """How many rows a public table has; None where that is not known, or is a secret."""
    held: "pa.Table | None" = field(default=None, compare=False, repr=False)
    """The rows of a public table, which are no secret."""
    copies: int = 1
    """How many joined rows one row can be in, where it meets all rows of public tables that no equality picks."""
    null_keys: frozenset[str] = frozenset()
    """Columns whose NULL is a group: the owner says so, or how the table is made."""
    rows_per_unit: str | None = None
    """What the owner says of this table, "one" row of a unit or "many"; None where it is as the first table is."""
    counted_by: str | None = None
    """The table beside the first whose own rows tell how many of a unit count; None where the first table's do."""
    names_people: frozenset[str] = frozenset()
    """Columns beside the unit that hold its very values, or name one person each in another way."""
    computed_from_unit: frozenset[str] = frozenset()
    """Columns beside the unit whose values are the unit's, or are computed from it: nobody's name is to be found."""
    conditions: RowConditions = ()
    """What all of its rows fulfil, over its columns by their names here."""

    @classmethod
    def first(cls, policy: Policy) -> "QueryTable":
        """The table that the policy is of."""
        return cls(
            *(policy.table, SOURCE, policy.columns, policy.unit.column, policy.keys, policy.bounds, policy.fill),
            attributes=frozenset(policy.attributes),
            null_keys=frozenset(policy.null_keys),
            owned=True,
            sum_bounds=policy.sum_bounds,
            weight=policy.weight,
            zones=policy.zones,
            rows_per_unit=policy.rows_per_unit,
        )

    @property
    def one_row(self) -> bool:
        """Whether one row of a unit counts, whatever the policy says: it has no more, or the owner says so.

        Of whom the owner was wrong about, all rows together count as one: the weights see to it.
        """
        return self.unit is not None and (self.single or self.rows_per_unit == ONE)

    def contributions(self, policy: Policy) -> int | None:
        """How many rows of a unit count; None where that is to be found."""
        if self.one_row:
            return 1 if self.single else self.copies
        return policy.contributions if self.counted_by is None else None

    @property
    def private(self) -> bool:
        """Whether its rows are somebody's."""
        return self.owned or self.unit is not None or self.reference is not None

    @property
    def of_unit(self) -> frozenset[str]:
        """The columns that name people: the unit, its copies, and what is computed from them."""
        return self.computed_from_unit | self.people

    @property
    def people(self) -> frozenset[str]:
        """The columns each value of which is one person: the unit, and its copies."""
        return self.names_people | ({self.unit} if self.unit is not None else frozenset())

    def terms(self, policy: Policy) -> Policy:
        """The owner's policy, as it is for this table."""
        return replace(
            policy,
            table=self.name,
            columns=self.columns,
            unit=Unit(self.unit, policy.unit.relation),
            keys=self.keys,
            bounds=self.bounds,
            fill=self.fill,
            sum_bounds=self.sum_bounds,
            weight=self.weight,
            zones=self.zones,
            attributes=tuple(sorted(self.attributes)),
            null_keys=tuple(sorted(self.null_keys)),
            contributions=self.contributions(policy),
            rows_per_unit=self.rows_per_unit or policy.rows_per_unit,
        )

    def read(self, called: str, used: frozenset[str]) -> exp.Expr:
        """The table as FROM takes it; attributes among the `used` columns are enforced."""
        if self.rows is not None:
            return exp.alias_(self.rows.subquery(), called, table=True, quoted=True)
        if kept := self.enforced(used):
            return exp.alias_(self._enforced(kept).subquery(), called, table=True, quoted=True)
        place = exp.table_(self.place, quoted=True)
        return place if called == self.place else exp.alias_(place, called, table=True, quoted=True)

    def enforced(self, used: frozenset[str]) -> tuple[str, ...]:
        """The attributes among the columns whose names in lower case are used."""
        return tuple(name for name in self.columns if name in self.attributes and name.lower() in used)

    def _enforced(self, kept: tuple[str, ...]) -> exp.Select:
        """Every row with the least value of its unit's rows: a function of the unit's own rows, and one value a unit.

        MIN passes over NULL, and has one result however the rows stand: equal values of these types are the same. The
        values have names of their own: a column may be called like the one that holds the unit here.
        """
        assert self.unit is not None
        place = exp.alias_(exp.table_(self.place, quoted=True), SOURCE, table=True, quoted=True)
        whose = exp.column(self.unit, table=SOURCE, quoted=True)
        own = exp.select(exp.alias_(whose, "unit", quoted=True)).from_(place).group_by(whose.copy())
        for number, name in enumerate(kept):
            least = exp.Min(this=exp.column(name, table=SOURCE, quoted=True))
            own = own.select(exp.alias_(least, f"least{number}", quoted=True))
        columns = [
            exp.alias_(
                exp.column(f"least{kept.index(name)}", table="own", quoted=True)
                if name in kept
                else exp.column(name, table=SOURCE, quoted=True),
                name,
                quoted=True,
            )
            for name, kind in self.columns.items()
            if is_read(kind)
        ]
        same = exp.EQ(this=exp.column("unit", table="own", quoted=True), expression=whose.copy())
        joined = exp.alias_(own.subquery(), "own", table=True, quoted=True)
        return exp.select(*columns).from_(place.copy()).join(joined, on=same, join_type="INNER")
