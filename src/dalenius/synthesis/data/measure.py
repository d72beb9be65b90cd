"""All tables of a copy in one release: measured once, nothing chosen."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Measured, Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import check_columns
from dalenius.escape import escaped
from dalenius.guarantees import GDP, Guarantee, PureDP
from dalenius.ledger import to_form
from dalenius.mechanisms import AdditiveMechanism, Gaussian, Geometric, calibrate
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Bits, Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.numerics import Number, ball, fraction_above, nonnegative, positive, precision
from dalenius.queries import View
from dalenius.synthesis.data.in_memory import table_of
from dalenius.synthesis.data.marginals import Marginals

NOTE = "synthetic copy"


@dataclass(frozen=True, slots=True)
class TablesExplanation:
    """What the tables of a copy would cost, and how far off a cell may be."""

    tables: int
    cells: int
    guarantee: Guarantee
    unit: Unit
    error: float

    @escaped
    def __str__(self) -> str:
        return "\n".join(
            (
                f"question     {self.tables} tables with {self.cells} cells, from which a copy is made",
                f"protects     {self.unit}",
                f"cost         {self.guarantee}",
                f"error        ± {self.error:.1f} rows for a cell of the noisiest table, 95 % of the time",
            )
        )


@dataclass(frozen=True, slots=True)
class MeasureTables:
    """Every table of `marginals` with its noise; `scale` is that of a table which has the whole budget.

    A unit moves every table, so the prices add up: with Gaussian noise the squares of μ do, exactly  [A §13.8 GDP
    composition], with geometric noise the ε  [A Thm 3.3].
    """

    marginals: Marginals
    scale: Fraction
    gaussian: bool
    unit: Unit

    @classmethod
    def calibrated(cls, marginals: Marginals, *, epsilon: Number, delta: Number | None, unit: Unit) -> "MeasureTables":
        """The least noise for ε and δ: rounded Gaussian, or geometric where no δ is given."""
        return cls(marginals, *scale_of(epsilon, delta), unit)

    def noises(self) -> tuple[tuple[AdditiveMechanism, Lattice], ...]:
        """The noise of each table by its share of the budget, in steps of a lattice that is fine enough for it."""
        made: dict[tuple[Sensitivity, Fraction], tuple[AdditiveMechanism, Lattice]] = {}
        keys = [
            (self._moved(table), share)
            for table, share in zip(self.marginals.tables, self.marginals.shares, strict=True)
        ]
        for key in keys:
            if key not in made:
                made[key] = self._noise(*key)
        return tuple(made[key] for key in keys)

    @property
    def guarantee(self) -> GDP | PureDP:
        """μ² = Σ Δ²/σ² or ε = Σ Δ/scale over all tables  [A §13.8 GDP composition, A Thm 13.1, A Thm 3.3]."""
        return priced(self.price, self.gaussian, self.unit)

    @property
    def price(self) -> Fraction:
        """μ², or ε where no δ is spent: what adds up when several such releases are one."""
        prices = Fraction(0)
        for table, (mechanism, lattice) in zip(self.marginals.tables, self.noises(), strict=True):
            moved = Fraction(2) ** (self.marginals.lattice.exponent - lattice.exponent) * self._moved(table)
            proved = mechanism.guarantee(moved, self.unit.relation)
            prices += proved.square if isinstance(proved, GDP) else proved.sum_form[0]  # type: ignore[index]
        return prices

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, tables, noise and guarantee."""
        facts = {
            "unit": self.unit.column,
            "relation": self.unit.relation.value,
            "marginals": self.marginals.facts(),
            "scale": str(self.scale),
            "gaussian": self.gaussian,
            "guarantee": to_form(self.guarantee),
        }
        return fingerprint_of("tables of a copy", facts)

    def explain(self) -> TablesExplanation:
        """Cost and expected error, for free."""
        marginals, noises = self.marginals, self.noises()
        cells = sum(marginals.cells(table) for table in marginals.tables)
        error = max(float(mechanism.accuracy(0.05) * lattice.step) for mechanism, lattice in set(noises))
        return TablesExplanation(len(noises), cells, self.guarantee, self.unit, error)

    def check(self, view: View) -> None:
        """Refuse, before the charge, a table that lacks a column."""
        check_columns(self.marginals, view)

    def run(self, view: View, bits: Bits) -> Outcome:
        """Count, then add noise; only noisy tables leave."""
        counts = self.marginals.evaluate(table_of(view, self.marginals.reads))
        return Outcome(self.noisy(counts, bits), notes={NOTE: self.notes()})

    def noisy(self, exact: list[NDArray[np.int64]], bits: Bits) -> tuple[Measured, ...]:
        """Every table with its noise."""
        marginals, columns = self.marginals, []
        for table, counts, (mechanism, lattice) in zip(marginals.tables, exact, self.noises(), strict=True):
            noisy = mechanism.release(counts << (marginals.lattice.exponent - lattice.exponent), bits)
            columns.append(Measured(marginals.name(table), tuple(noisy.tolist()), lattice, mechanism))
        return tuple(columns)

    def notes(self) -> dict[str, Any]:
        """What the copy is made of beside the tables."""
        return self.marginals.facts()

    def _noise(self, moved: Sensitivity, share: Fraction) -> tuple[AdditiveMechanism, Lattice]:
        """σ = Δ₂ · scale / √share, rounded up, or Δ₁ · scale / share; both in rows, then in steps of the lattice."""
        own = self.marginals.lattice
        if not self.gaussian:
            return Geometric(moved.l1 * self.scale / share), own
        return gaussian_on(own, moved.square * (self.scale * own.step) ** 2 / share)

    def _moved(self, table: tuple[int, ...]) -> Sensitivity:
        return self.marginals.sensitivity(table, self.unit, Metric.L2 if self.gaussian else Metric.L1)


def gaussian_on(own: Lattice, variance: Fraction) -> tuple[Gaussian, Lattice]:
    """Gaussian noise of at least this variance, in rows, in steps of a lattice that is fine enough for it.

    The lattice is `own` or finer, so that whole steps of `own` are whole steps of it.
    """
    with precision(128):
        rows = fraction_above(ball(variance).sqrt(), 64)
    lattice = Lattice(min(own.exponent, Lattice.for_steps(rows).exponent))
    return Gaussian(rows / lattice.step, INTEGERS), lattice


def scale_of(epsilon: Number, delta: Number | None) -> tuple[Fraction, bool]:
    """The scale of noise that costs (ε, δ) at sensitivity 1, and whether it is Gaussian: it is where δ > 0."""
    slack = nonnegative(delta or 0, "delta")
    if slack == 0:
        return 1 / positive(epsilon, "epsilon"), False
    return calibrate(Gaussian, Sensitivity(1, Metric.L2), epsilon=epsilon, delta=slack).scale, True


def priced(price: Fraction, gaussian: bool, unit: Unit) -> GDP | PureDP:
    """The guarantee of a release with this sum of μ², or of ε  [A §13.8 GDP composition, A Thm 3.3]."""
    return GDP.root(price, unit.relation) if gaussian else PureDP(price, unit.relation)
