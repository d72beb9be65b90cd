"""Private multiplicative weights: an unlimited stream of conjunctions for one price  [HR10].

A hypothesis answers. The sparse vector technique tells, privately, when it is off by more than a threshold; only then
is the count measured and the hypothesis moved. After the last of `updates` it answers for ever, for nothing.
"""

import os
import threading
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.errors import ExecutionFailed, InvalidParameter, StaleState
from dalenius.escape import escaped
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger, Receipt, to_form
from dalenius.mechanisms import Geometric, SparseRun, SparseVector
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Bits
from dalenius.numerics import Number, positive, rational
from dalenius.queries import View
from dalenius.synthesis.conjunctions.hypothesis import Terms
from dalenius.synthesis.conjunctions.mwem import START, check_row_unit, first_counts, started
from dalenius.synthesis.conjunctions.yes_no import YesNo
from dalenius.synthesis.data.in_memory import table_of

_ONE = Sensitivity(1, Metric.LINF)


@dataclass(frozen=True, slots=True)
class MultiplicativeWeights:
    """Opened once by `Curator.open`, charged for its whole life.

    START · ε for the first counts, half of the rest for the sparse vector, half for the counts that are measured. The
    error |count − n̂·share| is a question that one row moves by at most 1: n̂ and the share were released before.
    """

    universe: YesNo
    epsilon: Fraction
    updates: int
    threshold: Fraction
    unit: Unit

    def __post_init__(self) -> None:
        check_row_unit(self.universe, self.unit)
        if isinstance(self.updates, bool) or not isinstance(self.updates, int) or not 1 <= self.updates <= 10_000:
            raise InvalidParameter(f"updates must be a whole number from 1 to 10000, got {self.updates!r}")
        if not 0 < self.threshold < 1:
            raise InvalidParameter(f"threshold is a share of the rows strictly between 0 and 1, got {self.threshold}")

    @property
    def start_noise(self) -> Geometric:
        """Of the number of rows and the one-way counts."""
        return Geometric((len(self.universe.names) + 1) / (START * self.epsilon))

    @property
    def sparse(self) -> SparseVector:
        """Of whether the hypothesis is off; its threshold has a part of 1 : (2c)^(2/3) of the noise's  [LSL17]."""
        half = (1 - START) * self.epsilon / 2
        part = half / (1 + Fraction(round((2 * self.updates) ** (2 / 3))))
        return SparseVector(1 / part, 2 * self.updates / (half - part), self.updates)

    @property
    def noise(self) -> Geometric:
        """Of a count that is measured."""
        return Geometric(2 * self.updates / ((1 - START) * self.epsilon))

    @property
    def guarantee(self) -> PureDP:
        """First counts, sparse vector and all counts it may lead to  [A Thm 3.3, LSL17, D Thm 2.8]."""
        start = Fraction(len(self.universe.names) + 1) / self.start_noise.scale
        sparse = self.sparse.guarantee(_ONE, self.unit.relation).budget
        return PureDP(start + sparse + self.updates / self.noise.scale, self.unit.relation)

    @property
    def blocks(self) -> None:
        """All units."""
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of columns, updates, threshold and guarantee."""
        facts = {"universe": self.universe.facts(), "updates": self.updates, "threshold": str(self.threshold)}
        return fingerprint_of("multiplicative weights", facts | {"guarantee": to_form(self.guarantee)})

    def opened(self, receipt: Receipt, view: View, ledger: Ledger, bits: Bits) -> "OpenWeights":
        """The handle to ask, once the price is paid."""
        return OpenWeights(self, receipt, view, ledger, bits)


class OpenWeights:
    """The only holder of the hypothesis and of the sparse vector's state; a copy is refused, a fork ends it."""

    __slots__ = (
        *("_answers", "_bits", "_closed", "_exact", "_hypothesis", "_ledger", "_lock", "_plan", "_process", "_run"),
        *("receipt", "rows"),
    )

    def __init__(self, plan: MultiplicativeWeights, receipt: Receipt, view: View, ledger: Ledger, bits: Bits) -> None:
        self.receipt, self._plan, self._ledger, self._bits = receipt, plan, ledger, bits
        self._answers: list[dict[str, Any]] = []
        self._closed, self._lock, self._process = False, threading.Lock(), os.getpid()
        universe = plan.universe
        try:
            exact = universe.histogram(table_of(view, universe.reads)).reshape((2,) * len(universe.names))
            start = plan.start_noise.release(first_counts(exact), bits)
        except Exception:
            failed = ExecutionFailed("the run failed after it was charged; the reason stays with the data")
        else:
            self._exact, (self._hypothesis, self.rows) = exact, started(universe, start)
            self._run = SparseRun(plan.sparse, bits)
            return
        raise failed

    @property
    def number(self) -> int:
        """How many questions were answered."""
        return len(self._answers)

    @property
    def left(self) -> int:
        """How many updates are left; with none, answers come from the hypothesis alone."""
        return self._run.left

    def count(self, **wanted: bool) -> float:
        """About how many rows meet a conjunction; any number of questions, each may depend on the answers before."""
        if os.getpid() != self._process:
            raise StaleState("a run belongs to the process that opened it")
        terms = self._plan.universe.conjunction(wanted)
        with self._lock:
            if self._closed:
                raise StaleState("this run is closed")
            updated = self.left > 0 and self._off(terms)
            if updated:
                self._measure(terms)
            answer = self._hypothesis.share(terms) * self.rows
            self._answers.append({"asked": dict(sorted(wanted.items())), "answer": answer, "updated": updated})
            return answer

    def close(self) -> None:
        """End the run and store what it said under its receipt."""
        if os.getpid() != self._process:
            raise StaleState("a run belongs to the process that opened it")
        with self._lock:
            self._closed = True
            self._ledger.commit(self.receipt, _Said(tuple(self._answers)))

    def _off(self, terms: Terms) -> bool:
        exact = int(self._exact[self._plan.universe.inside(terms)].sum())
        error = abs(exact - round(self._hypothesis.share(terms) * self.rows))
        return self._run.step(self._run.number, error - round(self._plan.threshold * self.rows))

    def _measure(self, terms: Terms) -> None:
        exact = np.array([self._exact[self._plan.universe.inside(terms)].sum()], np.int64)
        self._hypothesis.learn(terms, int(self._plan.noise.release(exact, self._bits)[0]) / self.rows)

    def _refuse(self, *_: object) -> NoReturn:
        raise StaleState("a run cannot be copied: the copy would step again from an old state")

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__ = _refuse

    @escaped
    def __repr__(self) -> str:
        return f"OpenWeights({self.receipt}, number={self.number}, left={self.left})"


@dataclass(frozen=True, slots=True)
class _Said:
    """All that a run has said, as the ledger keeps it."""

    answers: tuple[dict[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"version": 1, "weights": list(self.answers)}


def multiplicative_weights(
    universe: YesNo, *, epsilon: Number, updates: int = 100, threshold: Number = "0.02", unit: Unit | None = None
) -> MultiplicativeWeights:
    """The plan for `Curator.open`.

    `universe`: the yes-no columns. `updates`: how often the hypothesis may be corrected. `threshold`: by how large a
    share of the rows it may be off before it is.
    """
    share = rational(threshold, "threshold")
    return MultiplicativeWeights(universe, positive(epsilon, "epsilon"), updates, share, unit or Unit.row())
