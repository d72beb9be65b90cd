"""Quantiles in every cell of a query, as one plan."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Chosen
from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.guarantees import PureDP
from dalenius.ledger import to_form
from dalenius.mechanisms import PlaceWeights, Quantile, Quantiles, Ranks
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Keys
from dalenius.sql.engine import Engine
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.planner.measurements import QuantileChoice
from dalenius.sql.plans.cell_weights import weights_by_cell
from dalenius.statistics.ranked import candidates_of, halved_column

if TYPE_CHECKING:
    import pyarrow as pa

_MISS, _STEPS, _FINER_STEPS = Fraction(1, 1000), 1 << 10, 1 << 60
HEAVIEST = 1 << 30


@dataclass(frozen=True, slots=True, init=False)
class CellQuantiles:
    """One draw in each cell, cell c's place j with probability ∝ exp(−d_cj / s): together, one exponential mechanism.

    The tuple (j_c) has probability ∝ exp(−Σ_c d_cj_c / s): its utility is −Σ_c d_cj_c  [A Alg 4]. A unit of weight w_c
    in cell c moves d_cj by at most w_c · max(q, 1 − q) (see `Quantile.guarantee`), so the sum by at most
    Δ = Σ_c w_c · max(q, 1 − q) ≤ D · max(q, 1 − q), D what all its rows weigh: s = 2Δ/ε gives ε, however many cells it
    is in  [A Thm 7.1]. A replaced unit takes away D and brings D, in cells of its choice: twice that; in one cell D.

    Several levels are halved in each cell (`Quantiles`). Given what a round before it released, the parts of all cells
    in one round are disjoint sets of rows with public ends, so a round is again one such tuple, with the largest
    max(α, 1 − α) of its draws, and the rounds compose  [KSS22, A Thm 3.3].
    """

    compiled: Compiled
    rank: QuantileChoice
    mechanism: Quantile | Quantiles

    def __init__(self, compiled: Compiled, rank: QuantileChoice, epsilon: Fraction) -> None:
        object.__setattr__(self, "compiled", compiled)
        object.__setattr__(self, "rank", rank)
        grid = (rank.lower, rank.upper, rank.places)
        if len(rank.levels) > 1:
            object.__setattr__(self, "mechanism", Quantiles(Fraction(1), rank.levels, *grid))
            object.__setattr__(self, "mechanism", Quantiles(2 * self.moved / epsilon, rank.levels, *grid))
            return
        level = rank.levels[0]
        aimed = Quantile(2 * self.moved / epsilon, level, *grid)
        if level in (0, 1):  # an extreme aims a little inside the data, as far as the draw may miss
            miss = aimed.accuracy(_MISS)
            # at a large ε the draw misses by less than a step, and at shift 0 all that lies below the least is as good
            inside = Fraction(int(miss * _STEPS), _STEPS) or Fraction(int(miss * _FINER_STEPS), _FINER_STEPS)
            aimed = replace(aimed, shift=inside if level == 0 else -inside)
        object.__setattr__(self, "mechanism", aimed)

    @property
    def moved(self) -> Fraction:
        """How far one unit moves the utility of any tuple of places, over all rounds."""
        steps, level = self.rank.steps, self.rank.levels[0]
        times = 1 if self.unit.relation is Relation.ADD_REMOVE else 2
        if len(self.rank.levels) > 1:
            assert isinstance(self.mechanism, Quantiles)
            return times * steps * sum(self.mechanism.rounds, Fraction(0))
        if times == 2 and self.compiled.single:
            return Fraction(steps)
        return times * steps * max(level, 1 - level)

    @property
    def unit(self) -> Unit:
        return self.compiled.unit

    @property
    def keys(self) -> Keys | None:
        return self.compiled.cell_keys

    @property
    def names(self) -> tuple[str, ...]:
        """A column for each level."""
        return self.rank.parts

    @property
    def guarantee(self) -> PureDP:
        """2Δ/s for all cells together  [A Thm 7.1, KSS22]."""
        return PureDP(2 * self.moved / self.mechanism.scale, self.unit.relation)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, compiled query, which quantiles, mechanism and guarantee."""
        facts = {
            **{"unit": self.unit.column, "relation": self.unit.relation.value, "query": self.compiled.facts()},
            **{"rank": self.rank.facts(), "mechanism": self.mechanism.facts(), "guarantee": to_form(self.guarantee)},
        }
        return fingerprint_of("cell ranks", facts)

    def explain(self) -> Chosen:
        """A column without values, which tells its error."""
        return self._column(self.rank.parts[0], (), None)

    def run(self, view: Engine, bits: Bits) -> Outcome:
        """The weights of each cell's places, then the draws."""
        scanned = view.reading(self.compiled.prepared).fetch(self.rank.statement)
        return Outcome(self.drawn(scanned, self.compiled.cells, bits), self.keys)

    def drawn(self, scanned: "pa.Table", cells: int, bits: Bits) -> tuple[Chosen, ...]:
        """The columns, from the weights of places in cells."""
        rows = [self._values(*held, bits) for held in weights_by_cell(scanned, cells)]
        return tuple(self._column(part, tuple(row[i] for row in rows), i) for i, part in enumerate(self.rank.parts))

    def _values(self, places: NDArray[np.int64], weights: NDArray[np.int64], bits: Bits) -> tuple[float, ...]:
        size = self.rank.places
        if isinstance(self.mechanism, Quantile):
            return (float(self.mechanism.release(ranks_of(places, weights, size, HEAVIEST), bits)),)
        # halving puts the rows of one place in a random order: a split through them takes as many as it should
        order = np.argsort(places, kind="stable")
        held = PlaceWeights(places[order], weights[order], self.rank.row, size)
        return tuple(map(float, self.mechanism.release(held, bits)))

    def _column(self, part: str, values: tuple[float, ...], place: int | None) -> Chosen:
        """The quantile at a place among the levels, and what it misses by; None for that of any of them."""
        mechanism, row = self.mechanism, self.rank.row
        if isinstance(mechanism, Quantiles):
            return halved_column(part, values, mechanism, row, "ranks", place)
        candidates = candidates_of(mechanism)
        assert candidates is not None  # the shift is no more than what the choice misses by
        return Chosen(part, values, mechanism.name, candidates, mechanism.scale / row, "ranks")


def ranks_of(places: NDArray[np.int64], weights: NDArray[np.int64], size: int, heaviest: int) -> Ranks:
    """A histogram as rows, none of which weighs more than `heaviest`: full ones first, then what is left.

    A weight that grows by d moves the rows of its place, in this order, by d in all.
    """
    order = np.argsort(places, kind="stable")
    full, rest = np.divmod(weights[order], heaviest)
    rows = np.repeat(places[order], full + 1)
    parts = np.full(rows.size, heaviest, np.int64)
    parts[np.cumsum(full + 1) - 1] = rest
    return Ranks.of(rows, parts, size=size)
