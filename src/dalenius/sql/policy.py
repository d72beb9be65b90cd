"""What the owner has declared about a table: all that the planner may know."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dalenius.errors import InvalidParameter, UnboundedQuery, UnknownName
from dalenius.neighbors import Unit
from dalenius.queries import Key, Keys
from dalenius.sql.columns import KEY_TYPES, UNIT_TYPES, fits, stored

MOST_CONTRIBUTIONS = 2**30


@dataclass(frozen=True, slots=True)
class Policy:
    """A table's name and columns, who is protected, and the public facts that bound what one of them can do.

    Column types are public: they stand in the schema of the file, not in its rows.
    """

    table: str
    columns: Mapping[str, str]
    unit: Unit
    keys: Mapping[str, Keys] = field(default_factory=dict)
    bounds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    contributions: int | None = None

    @classmethod
    def declare(
        cls,
        table: str,
        columns: Mapping[str, str],
        *,
        unit: Unit | str,
        keys: Mapping[str, Iterable[Key]] | None = None,
        bounds: Mapping[str, tuple[int, int]] | None = None,
        contributions: int | None = None,
    ) -> "Policy":
        """A policy whose every declaration has been checked against the columns."""
        policy = cls(table, columns, Unit.of(unit))
        named = {policy.column(name): Keys(policy.column(name), values) for name, values in (keys or {}).items()}
        limits = {policy.column(name): tuple(ends) for name, ends in (bounds or {}).items()}
        who = Unit(None if policy.unit.column is None else policy.column(policy.unit.column), policy.unit.relation)
        declared = cls(table, columns, who, named, limits, contributions)  # type: ignore[arg-type]
        declared._check()
        return declared

    def column(self, name: str) -> str:
        """The column as the file spells it; SQL names ignore case."""
        found = [column for column in self.columns if column.lower() == name.lower()]
        if not found:
            raise UnknownName(f"{self.table} has no column {name!r}; it has {', '.join(self.columns)}")
        return found[0]

    def _check(self) -> None:
        if len({name.lower() for name in self.columns}) != len(self.columns):
            raise InvalidParameter(f"columns of {self.table} must differ in more than upper and lower case")
        for name, keys in self.keys.items():
            kind = self.columns[name]
            if kind not in KEY_TYPES:
                raise InvalidParameter(f"{name!r} is a column of {kind}: keys must be text, numbers or booleans")
            if bad := [value for value in keys.values if not fits(value, kind)]:
                raise InvalidParameter(f"{name!r} is a column of {kind}: {bad[0]!r} cannot be one of its keys")
            if len({stored(value, kind) for value in keys.values}) != len(keys):
                raise InvalidParameter(f"{name!r} is a column of {kind}: two of its keys are one number there")
        for name, ends in self.bounds.items():
            if len(ends) != 2 or not ends[0] <= ends[1]:
                raise InvalidParameter(f"bounds of {name!r} must be (lowest, highest), got {ends!r}")
        self._check_unit()

    def _check_unit(self) -> None:
        most = self.contributions
        if self.unit.column is None:
            if most not in (None, 1):
                raise InvalidParameter(f"each row is one contribution, got contributions={most!r}; leave it out")
            return
        if self.columns[self.unit.column] not in UNIT_TYPES:
            kind = self.columns[self.unit.column]
            raise InvalidParameter(f"the unit {self.unit.column!r} is a column of {kind}: it must name people exactly")
        if most is None:
            raise UnboundedQuery(
                f"one {self.unit.column} may own any number of rows: declare contributions=, how many count in full"
            )
        if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= MOST_CONTRIBUTIONS:
            raise InvalidParameter(f"contributions must be a whole number from 1 to 2^30, got {most!r}")
