"""The most frequent value in every cell of a query, as one plan."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from dalenius.curator import Chosen
from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.guarantees import PureDP
from dalenius.ledger import to_form
from dalenius.mechanisms import MonotonePermuteAndFlip, PermuteAndFlip
from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.noise import Bits
from dalenius.queries import Keys
from dalenius.sql.engine import Engine
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.planner.measurements import ModeChoice
from dalenius.sql.plans.cell_weights import weights_by_cell

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, init=False)
class CellModes:
    """In each cell one of the public values by permute and flip, scored by the weights of the rows that have it.

    A unit that is added raises the scores of cell c by some of 0 … w_c, lowers none, and Σ_c w_c ≤ D, what all its rows
    weigh. Scores that all move the same way by at most w_c change the law of the choice by a factor of at most
    e^(w_c/s) (see `Flips.guarantee`), and the choices of the cells are independent: e^(Σ w_c/s) ≤ e^(D/s) in all, so
    s = D/ε, however many cells and values there are  [MS20, A §5.1 report noisy max]. A replaced unit is one that goes
    and one that comes: s = 2D/ε, which is what permute and flip takes for any utilities.
    """

    compiled: Compiled
    mode: ModeChoice
    mechanism: MonotonePermuteAndFlip | PermuteAndFlip

    def __init__(self, compiled: Compiled, mode: ModeChoice, epsilon: Fraction) -> None:
        relation = compiled.unit.relation
        family = MonotonePermuteAndFlip if relation is Relation.ADD_REMOVE else PermuteAndFlip
        object.__setattr__(self, "compiled", compiled)
        object.__setattr__(self, "mode", mode)
        object.__setattr__(self, "mechanism", family.least(self._moved, PureDP(epsilon, relation)))

    @property
    def _moved(self) -> Sensitivity:
        return Sensitivity(self.mode.steps, Metric.LINF)

    @property
    def unit(self) -> Unit:
        return self.compiled.unit

    @property
    def keys(self) -> Keys | None:
        return self.compiled.cell_keys

    @property
    def names(self) -> tuple[str, ...]:
        return (self.mode.part,)

    @property
    def guarantee(self) -> PureDP:
        """D/s for all cells together, 2D/s for a unit that is replaced  [MS20]."""
        return self.mechanism.guarantee(self._moved, self.unit.relation)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, compiled query, which mode, mechanism and guarantee."""
        facts = {
            **{"unit": self.unit.column, "relation": self.unit.relation.value, "query": self.compiled.facts()},
            **{"mode": self.mode.facts(), "mechanism": self.mechanism.facts(), "guarantee": to_form(self.guarantee)},
        }
        return fingerprint_of("cell modes", facts)

    def explain(self) -> Chosen:
        """A column without values, which tells its error."""
        return self._column(())

    def run(self, view: Engine, bits: Bits) -> Outcome:
        """The weights of each cell's values, then the choices."""
        return Outcome(self.drawn(view.fetch(self.mode.scan), self.compiled.cells, bits), self.keys)

    def drawn(self, scanned: "pa.Table", cells: int, bits: Bits) -> tuple[Chosen, ...]:
        """The column, from the weights of values in cells."""
        values, chosen = self.mode.values, []
        for places, weights in weights_by_cell(scanned, cells):
            scores = np.zeros(len(values), np.int64)
            scores[places] = weights
            chosen.append(values[self.mechanism.release(scores, bits)])
        return (self._column(tuple(chosen)),)

    def _column(self, values: tuple[object, ...]) -> Chosen:
        scale = self.mechanism.scale / self.mode.row
        return Chosen(self.mode.part, values, self.mechanism.name, len(self.mode.values), scale, "rows")  # type: ignore[arg-type]
