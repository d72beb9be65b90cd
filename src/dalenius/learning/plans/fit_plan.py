"""A model's fit as a plan that a curator can release."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from dalenius.curator import Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.learning.data.rows import Matrix
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.ledger import to_form
from dalenius.neighbors import Unit
from dalenius.noise import Bits


class FitPlan(ABC):
    """Priced from public facts alone; `run` is the first to see data, and total: no row makes it fail."""

    __slots__ = ()

    budget: FitBudget
    public: tuple[str, ...]

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""

    @abstractmethod
    def run(self, view: Any, bits: Bits) -> Outcome:
        """Read the data, once paid for."""

    @property
    def unit(self) -> Unit:
        """A row, or whoever a column names."""
        return Unit(self.budget.unit, self.budget.relation)

    @property
    def guarantee(self) -> Calibrated:
        """What the whole fit promises, fixed before data is read  [A Thm 3.3, A §13.8 GDP composition]."""
        return self.budget.guarantee(self.public)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the facts, the relation and the guarantee."""
        facts = self.facts() | {"relation": self.budget.relation.value, "guarantee": to_form(self.guarantee)}
        return fingerprint_of("fit", facts)

    def explain(self) -> str:
        """What the fit would cost, for free."""
        return f"fit          {self.facts()['method']}\nprotects     {self.unit}\ncost         {self.guarantee}"

    @staticmethod
    def outcome(weights: Matrix, rows: int | None, steps: int, **more: Any) -> Outcome:
        """The released model: weights on rows of the unit ball, the public or private number of rows, and the steps."""
        kept = np.nan_to_num(np.asarray(weights, np.float64), nan=0.0, posinf=1e300, neginf=-1e300)
        return Outcome((), notes={"weights": kept.tolist(), "rows": rows, "steps": steps} | more)
