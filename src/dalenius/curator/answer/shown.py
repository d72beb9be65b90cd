"""What an answer shows of what was released, and in which order: post-processing, told to whoever reads it."""

from dataclasses import dataclass
from typing import Any

from dalenius.curator.formula import Formula, formula_of
from dalenius.errors import InvalidParameter


@dataclass(frozen=True, slots=True)
class Shown:
    """A column of the answer, made from released columns."""

    name: str
    formula: Formula

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"name": self.name, "formula": self.formula.to_dict()}


@dataclass(frozen=True, slots=True)
class ShownKey:
    """A column of the answer that is one of the public keys, by its number."""

    name: str
    key: int

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"name": self.name, "key": self.key}


Item = Shown | ShownKey


@dataclass(frozen=True, slots=True)
class Order:
    """Sort by a column; what is absent comes last, or first."""

    by: Item
    descending: bool = False
    nulls_first: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"by": self.by.to_dict(), "descending": self.descending, "nulls_first": self.nulls_first}


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Which rows of a released table are shown (HAVING), in which order, and how many; or `rows`, cell by cell.

    Of `rows` it is said whether noisy numbers picked them (`picked_by_noise`), and whether such numbers put them into
    their order (`ordered_by_noise`), so that taking the first few picks by noise as well.
    """

    having: Formula | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    rows: tuple[int, ...] | None = None
    picked_by_noise: bool = False
    ordered_by_noise: bool = False

    def __post_init__(self) -> None:
        for name, number in (("limit", self.limit), ("offset", self.offset)):
            if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 0):
                raise InvalidParameter(f"{name} must be a whole number ≥ 0, got {number!r}")
        if self.rows is not None and (self.having is not None or self.order or self.limit is not None or self.offset):
            raise InvalidParameter("rows that are named one by one are not sifted, sorted or cut as well")

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        stored = {
            "having": None if self.having is None else self.having.to_dict(),
            "order": [term.to_dict() for term in self.order],
            "limit": self.limit,
            "offset": self.offset,
        }
        noise = {"picked_by_noise": self.picked_by_noise, "ordered_by_noise": self.ordered_by_noise}
        return stored if self.rows is None else stored | {"rows": list(self.rows)} | noise

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "Arrangement":
        """The inverse of `to_dict`."""
        having = None if stored["having"] is None else formula_of(stored["having"])
        order = tuple(
            Order(item_of(term["by"]), term["descending"], term.get("nulls_first", False)) for term in stored["order"]
        )
        rows, arranged = stored.get("rows"), (having, order, stored["limit"], stored["offset"])
        if rows is None:
            return cls(*arranged)
        by_noise = (
            stored.get(name, True) for name in ("picked_by_noise", "ordered_by_noise")
        )  # nobody knows of old ones
        return cls(*arranged, tuple(rows), *by_noise)


AS_RELEASED = Arrangement()


def item_of(stored: dict[str, Any]) -> Item:
    """The column that `to_dict` wrote down."""
    if "key" in stored:
        return ShownKey(stored["name"], stored["key"])
    return Shown(stored["name"], formula_of(stored["formula"]))
