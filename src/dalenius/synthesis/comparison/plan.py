"""The distance of every measured table of a copy from the same table of the private rows, in one release."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Measured, Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import check_columns
from dalenius.guarantees import GDP, PureDP
from dalenius.ledger import to_form
from dalenius.mechanisms import AdditiveMechanism, Geometric
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Bits, Lattice
from dalenius.queries import Keys, View
from dalenius.synthesis.data.in_memory import table_of
from dalenius.synthesis.data.marginals import Marginals
from dalenius.synthesis.data.measure import TablesExplanation, gaussian_on, priced


@dataclass(frozen=True, slots=True, eq=False)
class CompareTables:
    """Σ over cells of |private count − synthetic count| for each table, with noise.

    A sum of absolute differences moves by no more than the table's counts do in ℓ1; the synthetic counts are public.
    A unit moves all k of them: μ² = k Δ²/σ², or ε = k Δ/scale  [A §13.8 GDP composition, A Thm 3.3].
    """

    marginals: Marginals
    synthetic: tuple[NDArray[np.int64], ...]
    """The counts of the copy's rows in each table, flat."""
    name: str
    """What the copy is: a hash of its release."""
    scale: Fraction
    gaussian: bool
    unit: Unit

    @property
    def noise(self) -> tuple[AdditiveMechanism, Lattice]:
        """The noise of one distance: σ = √k Δ scale, rounded up, or k Δ scale, in steps of a lattice."""
        own, tables = self.marginals.lattice, len(self.marginals.tables)
        if not self.gaussian:
            return Geometric(self._moved * tables * self.scale), own
        return gaussian_on(own, tables * (self._moved * own.step * self.scale) ** 2)

    @property
    def guarantee(self) -> GDP | PureDP:
        """Of all distances together  [A §13.8 GDP composition, A Thm 3.3]."""
        mechanism, lattice = self.noise
        steps = self._moved * Fraction(2) ** (self.marginals.lattice.exponent - lattice.exponent)
        one = Sensitivity(steps, Metric.L2 if self.gaussian else Metric.L1)
        proved = mechanism.guarantee(one, self.unit.relation)
        price = proved.square if isinstance(proved, GDP) else proved.sum_form[0]  # type: ignore[index]
        return priced(price * len(self.marginals.tables), self.gaussian, self.unit)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, tables, copy and guarantee."""
        facts = {"unit": self.unit.column, "relation": self.unit.relation.value, "copy": self.name}
        noise = {"scale": str(self.scale), "gaussian": self.gaussian, "guarantee": to_form(self.guarantee)}
        return fingerprint_of("distances of a copy", facts | noise | {"marginals": self.marginals.facts()})

    def explain(self) -> TablesExplanation:
        """Cost and expected error, for free."""
        (mechanism, lattice), tables = self.noise, len(self.marginals.tables)
        error = float(mechanism.accuracy(0.05) * lattice.step)
        return TablesExplanation(tables, tables, self.guarantee, self.unit, error)

    def check(self, view: View) -> None:
        """Refuse, before the charge, a table that lacks a column."""
        check_columns(self.marginals, view)

    def run(self, view: View, bits: Bits) -> Outcome:
        """Count, compare, then add noise; only noisy distances leave."""
        exact = self.marginals.evaluate(table_of(view, self.marginals.reads))
        far = [np.abs(own - self.marginals.one * made).sum() for own, made in zip(exact, self.synthetic, strict=True)]
        mechanism, lattice = self.noise
        noisy = mechanism.release(np.array(far, np.int64) << (self.marginals.lattice.exponent - lattice.exponent), bits)
        names = Keys("table", tuple(self.marginals.name(table) for table in self.marginals.tables))
        distance = Measured("distance", tuple(noisy.tolist()), lattice, mechanism)
        return Outcome((distance,), names)

    @property
    def _moved(self) -> Fraction:
        """The most that one unit moves a distance, in steps."""
        return max(
            Fraction(self.marginals.sensitivity(table, self.unit, Metric.L1).l1) for table in self.marginals.tables
        )
