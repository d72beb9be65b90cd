"""What the owner has declared about a table: all that the planner may know."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from dalenius.calls import Readable, shown
from dalenius.errors import InvalidParameter, UnknownName, UnprovenClaim
from dalenius.ledger import SecretSample
from dalenius.neighbors import Nodes, Relation, Unit
from dalenius.numerics import Number, rational
from dalenius.queries import Key, Keys
from dalenius.sql.engine.file_format import PLAIN, FileFormat
from dalenius.sql.policy import toml as policy_file
from dalenius.sql.policy.beside_terms import BesideTerms
from dalenius.sql.policy.by_table import DeclaredBounds
from dalenius.sql.policy.ceilings import Ceilings
from dalenius.sql.policy.column_checks import FARTHEST, check_bounds, check_day, check_keys
from dalenius.sql.policy.descriptions import checked_descriptions
from dalenius.sql.policy.forms import check_forms
from dalenius.sql.policy.null_keys import split_nulls
from dalenius.sql.policy.rows_by_table import check_rows_per_unit
from dalenius.sql.policy.sum_bounds import PRIVATE, SumBound, split_bounds
from dalenius.sql.policy.survey_weight import SurveyWeight
from dalenius.sql.types.column_types import KEY_TYPES, REALS, UNIT_TYPES, kind_of, type_name
from dalenius.sql.types.kinds import Kind
from dalenius.sql.types.similar_names import did_you_mean

MOST_CONTRIBUTIONS = 2**30
INFINITIES = ("clamp", "null")
BOUNDING_SHARE = Fraction(1, 50)
UNDECIDED = "?"
"""What `dalenius policy init` writes for a unit that it could not tell."""


@dataclass(frozen=True, slots=True)
class Policy(Readable):
    """A table's name and columns, who is protected, and the public facts that bound what one of them can do.

    Column types are public: they stand in the schema of the file, not in its rows. Odd values follow rules that are the
    same for every row: NaN is NULL; ±∞ is clamped like any number out of bounds, or NULL (`infinity`); NULL counts as a
    declared number where `fill` has one, and otherwise is passed over as in SQL. `attributes` are columns of which a
    unit has one value: the least in its rows. `dataset` names the population whose budget pays, by default as the table
    is called: all tables that hold the same people draw on one. `source`, `budget`, `version`, what is said of the
    tables `beside` and whether the table may be a `rowwise_view` are for whoever opens the table: the planner does not
    read them.

    `contributions` is how many rows of a unit count in full. None is "private" for a unit that owns several: it is
    found from a histogram of rows for each unit, released once for a `bounding_share` of the budget. `rows_per_unit` is
    what the owner has said of that: with "one" a second row of a person does not count. `formats` say how each file is
    written. `proposed` names the terms that were taken from rows and that no owner has confirmed yet. `as_of` is the
    day that CURRENT_DATE is, and the last that dates as keys go to. `ceilings` say what a unit can own at most, so that
    the whole answer has an interval.
    """

    table: str
    columns: Mapping[str, str]
    unit: Unit
    keys: Mapping[str, Keys] = field(default_factory=dict)
    bounds: Mapping[str, DeclaredBounds] = field(default_factory=dict)
    contributions: int | None = None
    fill: Mapping[str, Number] = field(default_factory=dict)
    infinity: str = "clamp"
    source: str | None = None
    budget: Mapping[str, Number] | None = None
    version: str | None = None
    bounding_share: Number = BOUNDING_SHARE
    attributes: tuple[str, ...] = ()
    dataset: str | None = None
    beside: BesideTerms = field(default_factory=BesideTerms)
    rowwise_view: bool = False
    rows_per_unit: str | None = None
    formats: Mapping[str, FileFormat] = field(default_factory=dict)
    proposed: tuple[str, ...] = ()
    ceilings: Ceilings = field(default_factory=Ceilings)
    sample: Number | None = None
    """The probability with which each person of a population was drawn, where the table is a secret sample of it."""
    as_of: str | None = None
    sum_bounds: Mapping[str, SumBound] = field(default_factory=dict)
    """The most that one person's rows of a column add up to, by the column."""
    zones: Mapping[str, str] = field(default_factory=dict)
    """The zone whose clock a column of times shows, by the column, as `formats` declare it."""
    weight: SurveyWeight | None = None
    """How many of a population each row stands for: COUNT, SUM and AVG are then of the population."""
    descriptions: Mapping[str, str] = field(default_factory=dict)
    """What the owner says of columns, in words."""
    null_keys: tuple[str, ...] = ()
    """The columns whose NULL is a group of its own. `keys` are the values that are not NULL."""

    def __post_init__(self) -> None:
        if isinstance(self.columns, Mapping):  # errors and `repr` show types, so none may list values or digits
            named = {name: type_name(kind) if isinstance(kind, str) else kind for name, kind in self.columns.items()}
            object.__setattr__(self, "columns", named)

    @classmethod
    def declare(
        cls,
        table: str,
        columns: Mapping[str, str],
        *,
        unit: Unit | str,
        keys: Mapping[str, Iterable[Key]] | None = None,
        bounds: Mapping[str, DeclaredBounds] | None = None,
        contributions: int | str | None = None,
        fill: Mapping[str, Number] | None = None,
        attributes: Iterable[str] = (),
        rows_per_unit: str | None = None,
        formats: Mapping[str, Any] | None = None,
        proposed: Iterable[str] = (),
        most_rows: int | None = None,
        limits: Mapping[str, DeclaredBounds] | None = None,
        as_of: str | date | None = None,
        weight: Mapping[str, Any] | None = None,
        descriptions: Mapping[str, str] | None = None,
        null_keys: Iterable[str] | None = None,
        **terms: Any,
    ) -> "Policy":
        """A policy whose every declaration has been checked against the columns."""
        check_forms({"columns": columns, "keys": keys, "bounds": bounds, "fill": fill, "limits": limits, "unit": unit})
        if unit == UNDECIDED:
            raise InvalidParameter(undecided(()))
        check_rows_per_unit(rows_per_unit, contributions, table)
        protected = Unit.of(unit)
        if isinstance(protected, Nodes):
            raise UnprovenClaim(
                f"SQL has no rule for rows that belong to two people ({protected}): see dalenius.graphs, whose plans a "
                "curator releases"
            )
        policy = cls(table, columns, protected)
        present, nulls = split_nulls(keys, null_keys)
        named = {policy.column(name): Keys(policy.column(name), values) for name, values in present.items()}
        of_columns, of_sums = split_bounds(bounds, columns)
        inner = {policy.column(name): _pair(name, ends) for name, ends in of_columns.items()}
        outer = {policy.column(name): _pair(name, ends, "limits") for name, ends in (limits or {}).items()}
        sums = {policy.column(name): SumBound.declared(policy.column(name), ends) for name, ends in of_sums.items()}
        fills = {policy.column(name): value for name, value in (fill or {}).items()}
        who = Unit(None if policy.unit.column is None else policy.column(policy.unit.column), policy.unit.relation)
        attribute_columns = tuple(policy.column(name) for name in attributes)
        most: Any = None if contributions == PRIVATE else contributions
        if rows_per_unit == "one" and who.column is not None:
            most = 1
        written = {name: FileFormat.declared(name, one) for name, one in (formats or {}).items()}
        more: dict[str, Any] = {"rows_per_unit": rows_per_unit, "formats": written, "proposed": tuple(proposed)}
        more |= {"as_of": None if as_of is None else str(as_of), "ceilings": Ceilings(most_rows, outer)}
        more |= {"sum_bounds": sums, "null_keys": tuple(dict.fromkeys(map(policy.column, nulls)))}
        more["zones"] = zones_of(table, columns, written)
        words = checked_descriptions(descriptions)
        more["descriptions"] = {policy.column(name): words[name] for name in words}
        if (by_weight := SurveyWeight.declared(weight)) is not None:
            more["weight"] = replace(by_weight, column=policy.column(by_weight.column))
        declared = cls(table, columns, who, named, inner, most, fills, attributes=attribute_columns, **terms, **more)
        declared.check()
        return declared

    @classmethod
    def load(cls, path: str | Path) -> "Policy":
        """The policy in a TOML file."""
        return cls.from_terms(policy_file.read(path))

    @classmethod
    def from_terms(cls, stored_terms: dict[str, Any]) -> "Policy":
        """The policy that a file's terms make; they are taken apart on the way."""
        candidates = stored_terms.pop("candidates", ())
        if stored_terms["unit"] == UNDECIDED:
            raise InvalidParameter(undecided(candidates))
        relation = _relation(stored_terms.pop("relation", Relation.ADD_REMOVE.value))
        unit = Unit.of(stored_terms.pop("unit"), relation)
        beside = BesideTerms.taken(stored_terms)
        table, columns = stored_terms.pop("table"), stored_terms.pop("columns")
        return cls.declare(table, columns, unit=unit, beside=beside, **stored_terms)

    def to_toml(self) -> str:
        """The policy as a file keeps it."""
        other, attributes = self.beside.declared, (*self.attributes, *self.beside.declared.attributes)
        return policy_file.write(
            {
                **{"table": self.table, "dataset": self.dataset, "source": self.source, "version": self.version},
                **{"unit": self.unit.name, "relation": self.unit.relation.value},
                **{"contributions": self._contributions, "infinity": self.infinity},
                "most_rows": self.ceilings.most_rows,
                "sample": None if self.sample is None else str(rational(self.sample, "sample")),
                "bounding_share": None if self.bounding_share == BOUNDING_SHARE else self.bounding_share,
                **{"attributes": attributes or None, "rowwise_view": self.rowwise_view or None},
                **{
                    "budget": self.budget,
                    "columns": {**self.columns, **self.beside.columns},
                    "bounds": {**self.bounds, **self._written_sums, **other.bounds},
                },
                "limits": self.ceilings.limits,
                "fill": {**self.fill, **other.fill},
                "descriptions": self.descriptions,
                "null_keys": (*self.null_keys, *other.null_keys) or None,
                "keys": {**{name: keys.values for name, keys in self.keys.items()}, **other.keys},
                **{"tables": self.beside.tables, "references": self.beside.references, "public": self.beside.public},
                **{"units": self.beside.units, "rows_per_unit": self._rows_per_unit, "proposed": self.proposed or None},
                "as_of": self.as_of,
                "weight": None if self.weight is None else self.weight.to_terms(),
                "formats": {name: written.to_terms() for name, written in self.formats.items()},
            }
        )

    @property
    def _rows_per_unit(self) -> str | dict[str, str] | None:
        """What is said of the first table, or by table where the others are told apart."""
        if not self.beside.rows_per_unit:
            return self.rows_per_unit
        own = {} if self.rows_per_unit is None else {self.table: self.rows_per_unit}
        return {**own, **self.beside.rows_per_unit}

    @property
    def _written_sums(self) -> dict[str, Any]:
        return {f"SUM({name})": one.ends for name, one in self.sum_bounds.items()}

    @property
    def population(self) -> str:
        """The name of the data set in the ledger: whoever the rows of this table and of those beside it belong to."""
        return self.table if self.dataset is None else self.dataset

    @property
    def today(self) -> date:
        """The day that CURRENT_DATE is: `as_of`, or today in UTC."""
        return datetime.now(UTC).date() if self.as_of is None else date.fromisoformat(self.as_of)

    @property
    def _contributions(self) -> int | str | None:
        if self.rows_per_unit == "one":
            return None
        return self.contributions or (None if self.unit.column is None else PRIVATE)

    def written(self, table: str) -> FileFormat:
        """How the file of a table is written."""
        return next((one for name, one in self.formats.items() if name.lower() == table.lower()), PLAIN)

    def save(self, path: str | Path) -> None:
        """Write it to a file."""
        Path(path).write_text(self.to_toml(), encoding="utf-8")

    def column(self, name: str) -> str:
        """The column as the file spells it; SQL names ignore case."""
        if name in self.columns:  # a policy of ten thousand columns looks up ten thousand names
            return name
        same_name = [column for column in self.columns if column.lower() == name.lower()]
        if not same_name:
            meant = did_you_mean(name, self.columns)
            raise UnknownName(f"{self.table} has no column {name!r}{meant}; it has {', '.join(self.columns)}")
        return same_name[0]

    def check(self) -> None:
        """Refuse what bounds nothing, or what the columns cannot hold."""
        if len({name.lower() for name in self.columns}) != len(self.columns):
            raise InvalidParameter(f"columns of {self.table} must differ in more than upper and lower case")
        for name, keys in self.keys.items():
            check_keys(name, keys, self.columns[name])
        for name, ends in self.bounds.items():
            check_bounds(name, ends, kind_of(self.columns[name]))
        for name, value in self.fill.items():
            if kind_of(self.columns[name]) is not Kind.NUMBER or abs(rational(value, "fill")) > FARTHEST:
                raise InvalidParameter(
                    f"{name!r} is a column of {self.columns[name]}: fill= takes numbers, for numbers"
                )
        if self.unit.column in self.null_keys:
            raise InvalidParameter(
                f"{self.unit.column!r} names people, and rows without one are nobody's: no null_keys"
            )
        if not isinstance(self.rowwise_view, bool):
            raise InvalidParameter(f"rowwise_view must be true or false, got {self.rowwise_view!r}")
        if self.dataset is not None and (not isinstance(self.dataset, str) or not self.dataset):
            raise InvalidParameter(f"dataset must name the population in the ledger, got {self.dataset!r}")
        if self.as_of is not None:
            check_day(self.as_of)
        if self.infinity not in INFINITIES:
            raise InvalidParameter(f"infinity must be 'clamp' or 'null', got {self.infinity!r}")
        if not 0 < rational(self.bounding_share, "bounding_share") < 1:
            raise InvalidParameter(f"bounding_share must lie in (0, 1), got {self.bounding_share}")
        self._check_unit()
        self.ceilings.check(self.columns, self.bounds, self.unit.column, self.contributions, self.rows_per_unit)
        self._check_sums()
        if self.weight is not None:
            more = self.ceilings.most_rows is not None or self.ceilings.limits or self.sum_bounds
            self.weight.check(self.columns, self.unit.column, bounds_more=bool(more))
        self._check_sample()
        for name in self.attributes:
            if self.unit.column is None:
                raise InvalidParameter("where each row is a unit every column is its attribute: leave attributes= out")
            kind = self.columns[name]
            if kind in REALS or kind not in (*KEY_TYPES, "DATE") or name == self.unit.column:
                raise InvalidParameter(
                    f"{name!r} is a column of {kind}: an attribute is a text, a whole number, a boolean or a date"
                )

    def _check_sample(self) -> None:
        if self.sample is None:
            return
        budget = self.budget or {"epsilon": 1}
        SecretSample.declared(self.sample, budget["epsilon"], budget.get("delta", 0), self.unit.relation)
        if self.version is not None:
            raise UnprovenClaim("a secret sample does not change: leave version out")
        if self.beside.tables:
            raise UnprovenClaim("tables beside a secret sample were not drawn by the same coins: leave them out")

    def _check_sums(self) -> None:
        for name in self.sum_bounds:
            if self.unit.column is None:
                raise InvalidParameter(f"where each row is a unit, bounds of 'SUM({name})' are those of {name!r}")
            if kind_of(self.columns[name]) is not Kind.NUMBER or name not in self.bounds:
                raise InvalidParameter(
                    f"bounds of 'SUM({name})' need bounds of {name!r}, a column of numbers: its rows are clamped first"
                )
            self.sum_bounds[name].check(*(rational(end, "bounds") for end in self.bounds[name]))

    def _check_unit(self) -> None:
        most = self.contributions
        if self.unit.column in self.null_keys:
            raise InvalidParameter(f"rows without {self.unit.column!r} are nobody's: null_keys name other columns")
        if self.unit.column is None:
            if most not in (None, 1):
                raise InvalidParameter(f"each row is one contribution, got contributions={most!r}; leave it out")
            return
        if self.columns[self.unit.column] not in UNIT_TYPES:
            kind = self.columns[self.unit.column]
            remedy = (
                f"; declare columns={{{self.unit.column!r}: 'BIGINT'}}, where floats that are whole numbers below 2^53"
            )
            raise InvalidParameter(
                f"the unit {self.unit.column!r} is a column of {kind}: it must name people exactly"
                + (f"{remedy} are kept and others are NULL" if kind in REALS else "")
            )
        if most is None:
            return  # `bind_unit` refuses a query until it is found
        if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= MOST_CONTRIBUTIONS:
            raise InvalidParameter(f'contributions must be a whole number from 1 to 2^30 or "private", got {most!r}')


def zones_of(table: str, columns: Mapping[str, str], formats: Mapping[str, FileFormat]) -> dict[str, str]:
    """The declared zones of a table's columns, each of which must hold times."""
    zones: dict[str, str] = {}
    own = next((one for name, one in formats.items() if name.lower() == table.lower()), PLAIN)
    for name, zone in own.zones:
        column = next((one for one in columns if one.lower() == name.lower()), None)
        if column is None or kind_of(columns[column]) is not Kind.TIMESTAMP:
            raise InvalidParameter(f"zones of {table!r} name {name!r}, which is no column of TIMESTAMP")
        zones[column] = zone
    return zones


def undecided(candidates: Iterable[str]) -> str:
    """What is said of a policy that does not say who is protected."""
    listed = ", ".join(candidates)
    maybe = f"; it may be {listed}, or row if each person owns one row" if listed else ""
    return f'the policy does not say who is protected: write unit = "a column that names people" in place of "?"{maybe}'


def _relation(name: Any) -> Relation:
    try:
        return Relation(name)
    except ValueError:
        known = " or ".join(repr(one.value) for one in Relation)
        raise InvalidParameter(f"relation must be {known}, got {name!r}") from None


def _pair(name: str, ends: Any, word: str = "bounds") -> Any:
    if isinstance(ends, str) or not isinstance(ends, Iterable) or len(pair := tuple(ends)) != 2:
        raise InvalidParameter(f"{word} of {name!r} must be (lowest, highest), got {shown(ends)}")
    return tuple(str(end) if isinstance(end, date) else end for end in pair)
