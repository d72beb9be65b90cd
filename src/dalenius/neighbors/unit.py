"""Privacy units: who is protected."""

from dataclasses import dataclass

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.neighbors.relation import Relation

ROW = "row"


@dataclass(frozen=True, slots=True)
class Unit:
    """The person (or thing) that neighboring data sets differ in: all rows that share a value of `column`, or one row.

    >>> print(Unit("user_id"))
    each user_id (add-remove)
    >>> print(Unit.row())
    each row (add-remove)
    """

    column: str | None
    relation: Relation = Relation.ADD_REMOVE

    def __post_init__(self) -> None:
        if self.column is not None and (not isinstance(self.column, str) or not self.column):
            raise InvalidParameter(f"unit must be a column's name, or Unit.row(), got {self.column!r}")
        if self.column == ROW:
            raise InvalidParameter(
                'a column called "row" cannot be the unit: "row" means one row each; rename it, or use Unit.row()'
            )
        if not isinstance(self.relation, Relation):
            raise InvalidParameter(f"relation must be a Relation, got {self.relation!r}")

    @classmethod
    def row(cls, relation: Relation = Relation.ADD_REMOVE) -> "Unit":
        """One row is one person."""
        return cls(None, relation)

    @classmethod
    def of(cls, value: "Unit | str", relation: Relation | None = None) -> "Unit":
        """A unit as people write it: "row", a column's name, or a `Unit`."""
        if isinstance(value, Unit):
            return value if relation is None else cls(value.column, relation)
        if not isinstance(value, str):  # None must not come to mean the weaker promise, one row each
            raise InvalidParameter(f'unit must be "row", a column\'s name or a Unit, got {value!r}')
        return cls(None if value == ROW else value, relation or Relation.ADD_REMOVE)

    @property
    def name(self) -> str:
        """The column, or "row"."""
        return ROW if self.column is None else self.column

    @escaped
    def __str__(self) -> str:
        return f"each {self.name} ({self.relation.value})"
