"""What the catalog says of a mechanism: enough for tests, audit and documentation to exercise it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from dalenius.mechanisms.mechanism import Mechanism
from dalenius.neighbors import Relation, Sensitivity

Answer = tuple[Any, ...]
"""What a mechanism is given: an answer in steps of its lattice, or the utility of each candidate."""

Outcomes = Callable[[Any, Any, Any], Sequence[tuple[arb, arb]]]
"""(mechanism, first, second) → the masses of each outcome under the two answers, at the working precision.

Outcomes may be lumped, the same way for both: that is post-processing, so what the lumps show the mechanism shows.
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A mechanism at typical parameters, and the answers on its worst pair of neighbors.

    `tight` says that the claimed δ(ε) is the true one at every ε. Elsewhere `factor` is the claimed loss over the true
    one: with `factor` times less noise the pair would just meet the claim, with 5 % less than that it must not.
    `example` is the Python that the documentation ends with: it releases an answer of a `mechanism` already built, and
    may name `Bits`, `np` and what `dalenius.mechanisms` exports.
    """

    mechanism: Mechanism
    sensitivity: Sensitivity
    neighbors: tuple[Answer, Answer]
    outcomes: Outcomes | None
    tight: bool
    theorem: str
    example: str
    factor: Fraction = Fraction(1)
    relation: Relation = Relation.ADD_REMOVE

    @property
    def label(self) -> str:
        """What a report calls this entry."""
        distance = f"{self.sensitivity.value} in {self.sensitivity.metric.value}"
        return f"{self.mechanism.name}, sensitivity {distance}, {len(self.neighbors[0])} cells"
