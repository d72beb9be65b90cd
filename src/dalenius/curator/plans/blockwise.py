"""A plan that reads some blocks of the population only, and is charged to those alone."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import ColumnPlan, PlanAround, check_view
from dalenius.errors import InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.escape import escaped
from dalenius.guarantees import Guarantee
from dalenius.ledger import Blocks
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Table, View
from dalenius.queries.identity import identities, marks

_HASHED = re.compile(r"[0-9]+ of [0-9]+")


@dataclass(frozen=True, slots=True)
class HashedBlocks:
    """Units by a public hash of the partition's name and the unit: block "3 of 8" holds those with hash 3 modulo 8.

    The name is the salt and the number of blocks stands in every label, so that a ledger in which the partition is
    declared admits no other way to divide the same people.

    >>> HashedBlocks("eighths", 8).labels[:2]
    ('0 of 8', '1 of 8')
    """

    partition: str
    size: int

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int) or not 1 <= self.size <= 10_000:
            raise InvalidParameter(f"a partition has 1 to 10000 blocks, got {self.size!r}")

    @property
    def labels(self) -> tuple[str, ...]:
        """Every block."""
        return tuple(f"{block} of {self.size}" for block in range(self.size))

    def check(self, unit: Unit, labels: tuple[str, ...]) -> None:
        """Refuse rows, which have no name to hash, and labels of another partition."""
        if unit.column is None:
            raise UnprovenClaim("a row has no name to hash: name the unit's column, or use AttributeBlocks")
        if not set(labels) <= set(self.labels):
            raise InvalidParameter(f"blocks must be among '0 of {self.size}', …, got {sorted(labels)}")

    def rows(self, view: Table, unit: Unit, labels: tuple[str, ...]) -> NDArray[np.bool_]:
        """Which rows belong to units of these blocks: a matter of the unit's name alone."""
        assert unit.column is not None
        hashed, present = marks(view.column(unit.column), self.partition)
        wanted = [int(label.split()[0]) for label in labels]
        return present & np.isin(hashed % np.uint64(self.size), np.array(wanted, np.uint64))

    def facts(self) -> dict[str, Any]:
        """The name and the number of blocks."""
        return {"blocks": "hash", "partition": self.partition, "size": self.size}


@dataclass(frozen=True, slots=True)
class AttributeBlocks:
    """Units by the text in the column that the partition is named after, enforced constant for each unit.

    A unit is in the block of the least text that any of its rows holds, whichever blocks are declared or read; its rows
    with another text, or none, do not count. Where the unit is the row this is the row's own text.
    """

    partition: str

    def check(self, unit: Unit, labels: tuple[str, ...]) -> None:
        """Refuse labels that belong to a partition by hash."""
        taken = sorted(label for label in labels if _HASHED.fullmatch(label))
        if taken:
            raise InvalidParameter(f"{taken[0]!r} names a block by hash: no value of {self.partition!r} may look so")

    def rows(self, view: Table, unit: Unit, labels: tuple[str, ...]) -> NDArray[np.bool_]:
        """Which rows hold the least text of their unit, and that is one of these blocks."""
        texts = [value if isinstance(value, str) else None for value in view.column(self.partition).tolist()]
        order = {text: place for place, text in enumerate(sorted({text for text in texts if text is not None}))}
        last = len(order)
        places = np.fromiter((last if text is None else order[text] for text in texts), np.int64, len(texts))
        wanted = np.isin(places, [order[label] for label in labels if label in order])
        if unit.column is None:
            return wanted
        units = identities(view.column(unit.column))
        least = np.full(int(units.max(initial=-1)) + 2, last, np.int64)
        np.minimum.at(least, units, places)  # nobody's rows, −1, fall on the last place, which no unit has
        held: NDArray[np.bool_] = wanted & (units >= 0) & (places == least[units])
        return held

    def facts(self) -> dict[str, Any]:
        """The column."""
        return {"blocks": "attribute", "partition": self.partition}


@dataclass(frozen=True, slots=True)
class BlockwiseExplanation:
    """What a plan over some blocks would cost their units; others pay nothing."""

    part: object
    blocks: Blocks

    @escaped
    def __str__(self) -> str:
        read = ", ".join(self.blocks.labels)
        return f"blocks       {read} of {self.blocks.partition!r}, the only ones charged\n\n{self.part}"


@dataclass(frozen=True, slots=True)
class Blockwise(PlanAround[Table]):
    """`plan` over the units of some blocks of a partition that the ledger has declared  [A Prop 4.3].

    What a unit of another block does moves nothing here, so it is not charged. That holds for ADD_REMOVE only: a
    changed unit may leave one block for another, and both then differ  [A Rem 4.3].
    """

    plan: ColumnPlan[Table]
    rule: HashedBlocks | AttributeBlocks
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.unit.relation is not Relation.ADD_REMOVE:
            raise MixedRelations(
                "blocks are for add-remove neighbors: changing a unit can move it between blocks (A Rem 4.3)"
            )
        object.__setattr__(self, "labels", self.blocks.labels)
        self.rule.check(self.unit, self.labels)

    @property
    def guarantee(self) -> Guarantee:
        """The plan's, for units of these blocks; perfect secrecy for all others  [A Prop 4.3]."""
        return self.plan.guarantee

    @property
    def blocks(self) -> Blocks:
        return Blocks(self.rule.partition, self.labels)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the plan's fingerprint and the blocks."""
        facts = {"part": self.plan.fingerprint, "rule": self.rule.facts(), "labels": list(self.labels)}
        return fingerprint_of("blockwise", facts)

    def explain(self) -> BlockwiseExplanation:
        """What the plan says of itself, and who is charged, for free."""
        return BlockwiseExplanation(self.plan.explain(), self.blocks)

    def check(self, view: View) -> None:
        """Refuse what is no table in memory."""
        if not isinstance(view, Table):
            raise UnprovenClaim(f"only a table in memory can be read by blocks, got a {type(view).__name__}")
        check_view(self.plan, view)

    def run(self, view: Table, bits: Bits) -> Outcome:
        """The plan, on the rows of these blocks."""
        kept = self.rule.rows(view, self.unit, self.labels)
        return self.plan.run(Table({name: column[kept] for name, column in view.columns.items()}), bits)
