"""What a copy is good for."""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from dalenius.escape import escaped

if TYPE_CHECKING:
    from dalenius.synthesis.copies.copy import Copy


@dataclass(frozen=True, slots=True)
class TableReport:
    """One measured table: how far off its cells may be, and how far the model is from it."""

    columns: tuple[str, ...]
    cells: int
    radius: float
    """With the report's level, the noise of one cell is within this many rows."""
    disagreement: float
    """Total variation between the model and the released, noisy table; `expected` is what noise alone would give."""
    expected: float


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What a copy keeps, and what it does not."""

    rows: int
    level: Fraction
    measured: tuple[TableReport, ...]
    unproved: int
    """The number of three-way tables that were not measured."""
    bound: int | None
    impossible: int

    @escaped
    def __str__(self) -> str:
        worst = sorted(self.measured, key=lambda table: table.expected - table.disagreement)[:5]
        widths = {len(table.columns) for table in self.measured}
        lines = [
            f"{self.rows} synthetic rows; {len(self.measured)} tables of {min(widths)} to {max(widths)} columns",
            f"kept: each of them to ± {max(t.radius for t in self.measured):.1f} rows a cell at most "
            f"({float(self.level):.0%}), and the model's fit to them",
            "the model is farthest from the noise of: "
            + "; ".join(f"{' × '.join(t.columns)} (TV {t.disagreement:.3f}, noise {t.expected:.3f})" for t in worst),
            f"not measured: {self.unproved} tables of three columns, and all larger ones. Rows have some of their "
            "dependence by the model; nothing is proved of it",
            "not kept: anything finer than a declared bin, rare values that noise hides, and links between rows",
        ]
        if self.bound is not None and self.bound > 1:
            lines.append(f"people: at most {self.bound} rows of one; which rows are one person's is not kept")
        if self.impossible:
            lines.append(f"{self.impossible} declared pairs of levels never occur")
        return "\n".join(lines)


def report_of(copy: "Copy", level: Fraction) -> CopyReport:
    """From released tables and the model alone."""
    marginals, domain = copy.marginals, copy.domain
    tables = []
    for table, column in zip(marginals.tables, copy.outcome.columns, strict=True):
        names = tuple(domain.names[place] for place in table)
        marginal = copy.marginal(names, level)
        noise = float(column.mechanism.noise.variance) ** 0.5 * float(column.lattice.step)  # type: ignore[union-attr]
        # E|Z| = σ √(2/π) in each cell, half of the sum of all
        expected = 0.5 * marginal.counts.size * noise * np.sqrt(2 / np.pi) / max(copy.rows, 1)
        radius = float(column.accuracy(1 - level))
        tables.append(TableReport(names, marginal.counts.size, radius, marginal.disagreement, float(expected)))
    triples = set(itertools.combinations(range(len(domain.names)), 3)) - {
        tuple(sorted(table)) for table in marginals.tables
    }
    bound = None if marginals.contributions is None else marginals.contributions.most
    zeros = sum(len(cells) for _, _, cells in domain.impossible)
    return CopyReport(copy.rows, level, tuple(tables), len(triples), bound, zeros)
