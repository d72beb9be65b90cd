"""A quantile in every cell of a query, as one plan."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Chosen
from dalenius.curator.fingerprint import fingerprint_of
from dalenius.curator.outcome import Outcome
from dalenius.guarantees import PureDP
from dalenius.ledger import to_form
from dalenius.mechanisms import Quantile, Ranks
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Keys
from dalenius.sql.compile import Compiled
from dalenius.sql.engine.duckdb import DuckDB
from dalenius.sql.rank import Rank

_MISS, _STEPS = Fraction(1, 1000), 1 << 10
_HEAVIEST = 30


@dataclass(frozen=True, slots=True, init=False)
class CellRanks:
    """One draw in each cell, cell c's place j with probability ∝ exp(−d_cj / s): together, one exponential mechanism.

    The tuple (j_c) has probability ∝ exp(−Σ_c d_cj_c / s): its utility is −Σ_c d_cj_c  [A Alg 4]. A unit of weight w_c
    in cell c moves d_cj by at most w_c · max(q, 1 − q) (see `Quantile.guarantee`), so the sum by at most
    Δ = Σ_c w_c · max(q, 1 − q) ≤ D · max(q, 1 − q), D what all its rows weigh: s = 2Δ/ε gives ε, however many cells it
    is in  [A Thm 7.1]. A replaced unit takes away D and brings D, in cells of its choice: twice that; in one cell D.
    """

    compiled: Compiled
    rank: Rank
    mechanism: Quantile

    def __init__(self, compiled: Compiled, rank: Rank, epsilon: Fraction) -> None:
        object.__setattr__(self, "compiled", compiled)
        object.__setattr__(self, "rank", rank)
        scale = 2 * self.moved / epsilon
        aimed = Quantile(scale, rank.level, rank.lower, rank.upper, rank.places)
        if rank.level in (0, 1):  # an extreme aims a little inside the data, as far as the draw may miss
            inside = Fraction(int(aimed.accuracy(_MISS) * _STEPS), _STEPS)
            aimed = replace(aimed, shift=inside if rank.level == 0 else -inside)
        object.__setattr__(self, "mechanism", aimed)

    @property
    def moved(self) -> Fraction:
        """How far one unit moves the utility of any tuple of places."""
        level, steps = self.rank.level, self.rank.steps
        if self.unit.relation is Relation.ADD_REMOVE:
            return steps * max(level, 1 - level)
        return Fraction(steps) if self.compiled.cells == 1 else 2 * steps * max(level, 1 - level)

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self.compiled.unit

    @property
    def keys(self) -> Keys | None:
        """The cells."""
        return self.compiled.cell_keys

    @property
    def names(self) -> tuple[str, ...]:
        """The one column."""
        return (self.rank.part,)

    @property
    def guarantee(self) -> PureDP:
        """2Δ/s for all cells together  [A Thm 7.1]."""
        return PureDP(2 * self.moved / self.mechanism.scale, self.unit.relation)

    @property
    def blocks(self) -> None:
        """All units."""
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, compiled query, which quantile, mechanism and guarantee."""
        facts = {
            **{"unit": self.unit.column, "relation": self.unit.relation.value, "query": self.compiled.facts()},
            **{"rank": self.rank.facts(), "mechanism": self.mechanism.facts(), "guarantee": to_form(self.guarantee)},
        }
        return fingerprint_of("cell ranks", facts)

    def explain(self) -> Chosen:
        """A column without values, which tells its error."""
        return self._column(())

    def run(self, view: DuckDB, bits: Bits) -> Outcome:
        """The weights of each cell's places, then the draws."""
        found = view.reading(self.compiled.prepared).fetch(self.rank.scan)
        cells, places, weights = (found[name].to_numpy().astype(np.int64) for name in ("cell", "place", "weight"))
        order = np.argsort(cells, kind="stable")
        ends = np.searchsorted(cells[order], np.arange(self.compiled.cells + 1))
        drawn = []
        for start, end in pairwise(ends.tolist()):
            here = order[start:end]
            drawn.append(float(self.mechanism.release(ranks_of(places[here], weights[here], self.rank.places), bits)))
        return Outcome((self._column(tuple(drawn)),), self.keys)

    def _column(self, values: tuple[float, ...]) -> Chosen:
        places, mechanism = self.rank.places, self.mechanism
        # an extreme aims no more than scale · log 999k inside the data, on top of what the choice misses by
        candidates = 999 * places * places if mechanism.shift else places
        return Chosen(self.rank.part, values, mechanism.name, candidates, mechanism.scale / self.rank.row, "ranks")


def ranks_of(places: NDArray[np.int64], weights: NDArray[np.int64], size: int) -> Ranks:
    """A histogram as rows, none of which weighs more than the 2³⁰ that a row may."""
    full = weights >> _HEAVIEST
    rows = np.concatenate([places, np.repeat(places, full)])
    parts = np.concatenate([weights - (full << _HEAVIEST), np.full(int(full.sum()), 1 << _HEAVIEST, np.int64)])
    return Ranks.of(rows, parts, size=size)
