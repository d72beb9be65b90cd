"""All one- and two-way tables of the columns, in one pass; or, given a label, those of its every value."""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.queries import ONE, WEIGHTS, Contributions, Table
from dalenius.queries.identity import identities
from dalenius.queries.reach import scalar
from dalenius.synthesis.data.attributes import Codes
from dalenius.synthesis.data.domain import Domain

SINGLES_SHARE = Fraction(15, 100)
"""The part of the budget that goes to the one-way tables; pairs have the rest, in equal parts."""


@dataclass(frozen=True, slots=True)
class Marginals:
    """The tables of a domain: every column and every pair, each of them by the label where there is one.

    A row is in one cell of every table, or, if one of its columns has no level, in none. Rows of a unit are weighted as
    in SQL, with one weight in all tables.
    """

    domain: Domain
    target: int | None = None
    contributions: Contributions | None = None

    @property
    def singles(self) -> tuple[tuple[int, ...], ...]:
        """The one-way tables, by columns; the label last."""
        others = (i for i in range(len(self.domain.names)) if i != self.target)
        return tuple(self._labelled(i) for i in others) or ((0,),)

    @property
    def pairs(self) -> tuple[tuple[int, ...], ...]:
        """The two-way tables, by columns; the label last."""
        others = [i for i in range(len(self.domain.names)) if i != self.target]
        return tuple(self._labelled(i, j) for i, j in itertools.combinations(others, 2))

    @property
    def tables(self) -> tuple[tuple[int, ...], ...]:
        """All of them."""
        return self.singles + self.pairs

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The part of the budget of each table: pairs all alike, one-way tables by their size."""
        sizes = [self.cells(table) for table in self.singles]
        weights = [Fraction(round(1000 * size**0.66), 1000) for size in sizes]
        pairs = len(self.pairs)
        singles = SINGLES_SHARE if pairs else Fraction(1)
        parts = [singles * weight / sum(weights) for weight in weights]
        return (*parts, *((1 - singles) / pairs for _ in range(pairs)))

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that is needed."""
        return self.domain.names + (() if self.contributions is None else (self.contributions.column,))

    @property
    def lattice(self) -> Lattice:
        """Whole rows, or row weights."""
        return INTEGERS if self.contributions is None else WEIGHTS

    def name(self, table: tuple[int, ...]) -> str:
        """What a table is called."""
        return " × ".join(self.domain.names[i] for i in table)

    def shape(self, table: tuple[int, ...]) -> tuple[int, ...]:
        """The numbers of levels of its columns."""
        return tuple(self.domain.sizes[i] for i in table)

    def evaluate(self, view: Table) -> list[NDArray[np.int64]]:
        """Every table, flat, exactly; it must not leave the curator."""
        bound = self.contributions
        return self.counted(self.domain.codes(view), None if bound is None else identities(view.column(bound.column)))

    def counted(self, codes: Codes, units: Codes | None) -> list[NDArray[np.int64]]:
        """Every table of rows whose levels and units are known by number; a row that lacks one of them counts nowhere.

        The weight of a row depends on its own unit's rows alone, and all rows of a unit weigh `most` at most.
        """
        final = (codes >= 0).all(axis=1)
        weights = None
        if self.contributions is not None:
            assert units is not None
            final &= units >= 0
            weights = self.contributions.weights(units[final])
        columns = [np.ascontiguousarray(codes[final, i]) for i in range(codes.shape[1])]
        return [self._table(columns, table, weights) for table in self.tables]

    def sensitivity(self, table: tuple[int, ...], unit: Unit, metric: Metric) -> Sensitivity:
        """How far one unit moves a table: as a histogram over disjoint keys  [A Ex 3.4, G complaints count]."""
        reach = scalar(1, 1, metric, cells=self.cells(table), dropped=True)
        return reach.sensitivity(unit, self.contributions)

    def facts(self) -> dict[str, Any]:
        """Domain, label and contribution bound."""
        bound = None if self.contributions is None else self.contributions.facts()
        return {"domain": self.domain.facts(), "target": self.target, "contributions": bound}

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> "Marginals":
        """The inverse of `facts`."""
        bound = facts["contributions"]
        kept = None if bound is None else Contributions(bound["column"], bound["most"])
        return cls(Domain.from_facts(facts["domain"]), facts["target"], kept)

    @property
    def one(self) -> int:
        """The steps of a count that make a row."""
        return 1 if self.contributions is None else ONE

    def _labelled(self, *columns: int) -> tuple[int, ...]:
        return columns if self.target is None else (*columns, self.target)

    def cells(self, table: tuple[int, ...]) -> int:
        """The number of its cells."""
        return int(np.prod(self.shape(table)))

    def _table(self, columns: list[Any], table: tuple[int, ...], weights: Any) -> NDArray[np.int64]:
        place = columns[table[0]]
        for i in table[1:]:
            place = place * self.domain.sizes[i] + columns[i]
        return np.bincount(place, weights, minlength=self.cells(table)).astype(np.int64)
