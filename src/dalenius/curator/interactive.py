"""A mechanism that is opened once, priced for its whole life, and asked step by step."""

import os
import threading
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, Protocol, TypeVar

from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.errors import (
    BudgetExceeded,
    ExecutionFailed,
    InvalidParameter,
    StaleState,
    UnboundedQuery,
    UnprovenClaim,
)
from dalenius.escape import escaped
from dalenius.guarantees import Guarantee
from dalenius.ledger import Blocks, Ledger, Receipt, canonical, to_form
from dalenius.mechanisms import MonotoneSparseVector, SparseRun, SparseVector
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Bits
from dalenius.queries import Count, Query, Sum, View

V = TypeVar("V", bound=View)
R_co = TypeVar("R_co", covariant=True)


class Opens(Protocol[R_co]):
    """A plan that is not released but opened: charged for its whole life, then asked step by step."""

    @property
    def unit(self) -> Unit:
        """Who is protected."""

    @property
    def guarantee(self) -> Guarantee:
        """What is proved of the whole run, and charged."""

    @property
    def blocks(self) -> Blocks | None:
        """The part of the units that is read; None for all of them."""

    @property
    def fingerprint(self) -> str:
        """A hash of every public fact that the run's law depends on."""

    def opened(self, receipt: Receipt, view: Any, ledger: Ledger, bits: Bits) -> R_co:
        """The handle to ask, once the price is paid."""


@dataclass(frozen=True, slots=True)
class Interactive:
    """The sparse vector technique over questions chosen as one goes, none of which a unit moves by more than declared.

    `sensitivity` is in steps of the questions' lattice. `Curator.open` charges it and gives the handle to ask.
    """

    mechanism: SparseVector | MonotoneSparseVector
    sensitivity: Sensitivity
    unit: Unit

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, SparseVector | MonotoneSparseVector):
            raise UnprovenClaim(f"{type(self.mechanism).__name__} is not a mechanism that is asked step by step")
        object.__setattr__(self, "sensitivity", self.sensitivity.to(Metric.LINF))

    @property
    def guarantee(self) -> Guarantee:
        """That of the mechanism for its whole life, however many questions are asked  [LSL17]."""
        return self.mechanism.guarantee(self.sensitivity, self.unit.relation)

    @property
    def blocks(self) -> None:
        """All units."""
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, mechanism and declared sensitivity; the questions come later."""
        facts = {
            "unit": self.unit.column,
            "relation": self.unit.relation.value,
            "mechanism": self.mechanism.facts(),
            "square of sensitivity": str(self.sensitivity.square),
            "guarantee": to_form(self.guarantee),
        }
        return fingerprint_of("interactive", facts)

    def opened(self, receipt: Receipt, view: V, ledger: Ledger, bits: Bits) -> "OpenRun[V]":
        """The handle to ask, once the price is paid."""
        return OpenRun(self, receipt, view, ledger, bits)

    def admit(self, query: Query[Any]) -> None:
        """Refuse, from public facts alone, a question that the price does not cover."""
        if query.keys is not None or len(query.columns) != 1:
            raise InvalidParameter("a step takes a question with one number for an answer, not one for each key")
        moves = query.sensitivity(self.unit).to(Metric.LINF)
        if moves.square > self.sensitivity.square:
            raise UnboundedQuery(
                f"one unit moves {query} by up to {moves.value} steps; the price is for {self.sensitivity.value}"
            )
        if isinstance(self.mechanism, MonotoneSparseVector) and not _rises(query):
            raise UnprovenClaim(f"an added row may lower {query}: only SparseVector covers it")


@dataclass(frozen=True, slots=True)
class Answer:
    """One step of a run: what was asked, and whether it was said to lie above its threshold."""

    question: dict[str, Any]
    threshold: int
    above: bool


@dataclass(frozen=True, slots=True)
class Transcript:
    """All that a run has said, as the ledger keeps it."""

    answers: tuple[Answer, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        steps = [{"question": a.question, "threshold": a.threshold, "above": a.above} for a in self.answers]
        return {"version": 1, "interactive": steps}


class OpenRun(Generic[V]):
    """The only holder of an open mechanism's state, paid for in full by its receipt.

    The state lives in this process alone: a crash or a fork ends the run, and its price is not refunded. Answers leave
    as they are given; `close` stores them all under the receipt.
    """

    __slots__ = ("_answers", "_bits", "_closed", "_ledger", "_lock", "_plan", "_process", "_run", "_view", "receipt")

    def __init__(self, plan: Interactive, receipt: Receipt, view: V, ledger: Ledger, bits: Bits) -> None:
        self.receipt = receipt
        self._plan, self._view, self._ledger, self._bits = plan, view, ledger, bits
        self._run = SparseRun(plan.mechanism, bits)
        self._answers: list[Answer] = []
        self._closed, self._lock, self._process = False, threading.Lock(), os.getpid()

    @property
    def number(self) -> int:
        """How many questions were answered: what the next one may name."""
        return len(self._answers)

    @property
    def left(self) -> int:
        """How many times "above" are left."""
        return self._run.left

    @property
    def transcript(self) -> Transcript:
        """All that was said."""
        return Transcript(tuple(self._answers))

    def ask(self, query: Query[V], threshold: int = 0, number: int | None = None) -> bool:
        """Whether the answer is said to lie at or above `threshold`, in steps of the query's lattice  [LSL17].

        A `number` makes a retry safe: the same question under a number already taken gets the answer that was given,
        another question is refused.
        """
        if isinstance(threshold, bool) or not isinstance(threshold, int):
            raise InvalidParameter(f"threshold must be a whole number of steps, got {threshold!r}")
        if isinstance(number, bool) or not isinstance(number, int | None):
            raise InvalidParameter(f"number must be that of a step, got {number!r}")
        if os.getpid() != self._process:  # before the lock, which a thread of the parent may hold
            raise StaleState("a run belongs to the process that opened it")
        asked = {"lattice": query.lattice.exponent} | query.facts()
        with self._lock:
            at = self.number if number is None else number
            if 0 <= at < self.number:
                return self._again(at, asked, threshold)
            if at != self.number:
                raise StaleState(f"there is no step {at!r} to take; the run stands at {self.number}")
            if self._closed:
                raise StaleState("this run is closed")
            if self.left == 0:
                raise BudgetExceeded("this run has said 'above' as often as was paid for")
            self._plan.admit(query)
            above = self._step(query, threshold)
            self._answers.append(Answer(asked, threshold, above))
            return above

    def close(self) -> None:
        """End the run and store what it said under its receipt."""
        if os.getpid() != self._process:
            raise StaleState("a run belongs to the process that opened it")
        with self._lock:
            self._closed = True
            self._ledger.commit(self.receipt, self.transcript)

    def _again(self, at: int, asked: dict[str, Any], threshold: int) -> bool:
        before = self._answers[at]
        if (canonical(before.question), before.threshold) != (canonical(asked), threshold):
            raise StaleState(f"step {at} was taken already, by another question; the run stands at {self.number}")
        return before.above

    def _step(self, query: Query[V], threshold: int) -> bool:
        try:
            (answer,) = query.evaluate(self._view).tolist()
            return self._run.step(self.number, answer - threshold)
        except Exception:
            # whatever went wrong may be the doing of a row: neither its words nor another try may leave
            self._closed = True
            failed = ExecutionFailed("the step failed after the run was charged; the reason stays with the data")
        raise failed

    def _refuse(self, *_: object) -> NoReturn:
        raise StaleState("a run cannot be copied: the copy would step again from an old state")

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__ = _refuse

    @escaped
    def __repr__(self) -> str:
        return f"OpenRun({self.receipt}, number={self.number}, left={self.left})"


def _rises(query: Query[Any]) -> bool:
    """Whether no added row lowers the answer."""
    return type(query) is Count or (type(query) is Sum and query.lower >= 0)
