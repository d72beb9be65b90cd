"""Parts of the population: a declared partition of *units*, each part with the whole budget.

For add-remove neighbors that differ in one unit, a mechanism that reads only other blocks has the same law on both: it
costs this unit nothing  [A Prop 4.3]. So what counts for a unit is what was charged to everyone plus what was charged
to its own block, and that is what each block's cap is checked against; the proof of a filter then runs for each pair of
neighbors with its block's costs.

A unit that may be in up to B blocks (a person with rows in twelve months) pays in each of them. Each charge to a block
is counted B times: everyone + B·(largest block) ≥ everyone + the sum of any B blocks, in each meter. One branch of the
filter must then hold for *all* blocks at once, since a unit in two blocks could otherwise have one block in either
branch and its sum in none.

Changing a unit can move it between blocks and changes the size of both, so CHANGE_ONE has no blocks  [A Rem 4.3].
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dalenius.errors import InvalidParameter, LedgerMismatch, MixedRelations, UnknownName, UnprovenClaim
from dalenius.neighbors import Relation, Unit

MOST_BLOCKS = 10_000
KINDS = ("hash", "attribute", "row")


@dataclass(frozen=True, slots=True)
class Blocks:
    """Some blocks of a declared partition: what a plan reads. None in place of it means all units."""

    partition: str
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(sorted(_labels(self.labels))))

    def to_dict(self) -> dict[str, Any]:
        """As an entry keeps it."""
        return {"partition": self.partition, "labels": list(self.labels)}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "Blocks":
        """The value that an entry keeps."""
        return cls(kept["partition"], tuple(kept["labels"]))


@dataclass(frozen=True, slots=True)
class Partition:
    """How units fall into blocks.

    "hash": by the range of a keyed hash of the unit. "attribute": by an attribute that is enforced constant for each
    unit. "row": by a predicate on rows; then the unit is the row, or no unit is in more than `per_unit` blocks, and the
    view enforces that.
    """

    name: str
    labels: tuple[str, ...]
    kind: str
    per_unit: int

    @classmethod
    def declare(cls, unit: Unit, name: str, labels: Iterable[str], kind: str | None, per_unit: int) -> "Partition":
        """A partition for this unit, or the reason why it is none."""
        if unit.relation is not Relation.ADD_REMOVE:
            raise MixedRelations(
                "blocks are for add-remove neighbors: changing a unit can move it between blocks (A Rem 4.3)"
            )
        if isinstance(per_unit, bool) or not isinstance(per_unit, int) or per_unit < 1:
            raise InvalidParameter(f"per_unit must be a whole number ≥ 1, got {per_unit!r}")
        if kind is None and (unit.column is None or per_unit > 1):
            kind = "row"
        if kind not in KINDS:
            raise InvalidParameter(f"say how a unit is put in its block: kind must be one of {KINDS}, got {kind!r}")
        if kind != "row" and per_unit != 1:
            raise InvalidParameter(f"a unit is in one block of kind {kind!r}: per_unit must be 1, got {per_unit}")
        if kind == "row" and unit.column is not None and per_unit == 1:
            raise UnprovenClaim(
                f"rows of one {unit.name} can lie in many blocks of rows; declare per_unit=, the most blocks that "
                "the view lets one unit be in"
            )
        return cls(name, tuple(sorted(_labels(labels))), kind, per_unit)

    def named(self, blocks: Blocks) -> tuple[str, ...]:
        """The labels that are charged, each declared."""
        if blocks.partition != self.name:
            raise UnknownName(f"the data set is partitioned by {self.name!r}, not by {blocks.partition!r}")
        unknown = sorted(set(blocks.labels) - set(self.labels))
        if unknown:
            raise UnknownName(f"partition {self.name!r} has no block {unknown[0]!r}")
        return blocks.labels

    def to_dict(self) -> dict[str, Any]:
        """As the chain keeps it."""
        return {
            "partition": self.name,
            "labels": list(self.labels),
            "kind_of_blocks": self.kind,
            "per_unit": self.per_unit,
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "Partition":
        """The partition that the chain keeps."""
        return cls(kept["partition"], tuple(kept["labels"]), kept["kind_of_blocks"], kept["per_unit"])

    def same_as(self, other: "Partition") -> None:
        """Refuse a second partition: a unit in a block of each would be charged twice unseen."""
        if self != other:
            raise LedgerMismatch(
                f"the data set is partitioned by {self.name!r} for ever; "
                "a second partition would let one unit be charged twice"
            )


def _labels(labels: Iterable[str]) -> set[str]:
    names = [labels] if isinstance(labels, str) else list(labels)
    if not names or len(names) > MOST_BLOCKS or not all(is_text(label) and label for label in names):
        raise InvalidParameter(f"blocks must be 1 to {MOST_BLOCKS} texts")
    if len(set(names)) != len(names):
        raise InvalidParameter("a block is named twice")
    return set(names)


def is_text(value: Any) -> bool:
    """Whether a store and a hash hold the same of it: text without surrogates."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)
