"""The sparse vector technique: of many questions, pay only for those whose answer lies above a threshold.

Draw ρ once. For each answer in turn draw ν and say "above" if answer + ν ≥ threshold + ρ, else "below"; stop after
`cutoff` times "above". All in whole numbers, ρ and ν two-sided geometric with scales s and t.

Why it is private  [LSL17]. Fix an output sequence a with at most c times "above". On a neighbor the answers move
by at most Δ each. Given ρ = r, the outputs are independent; write f(r) = Π_below P[q_i + ν < T + r], g(r) = Π_above
P[q_i + ν ≥ T + r]. With D = ⌊Δ⌋: f(r) ≤ f'(r + D), as every threshold rises by at least what the answer may. And
g(r) ≤ e^(2cΔ/t) g'(r + D), as each of the at most c answers has fallen behind its threshold by at most 2D, and
P[ν ≥ z] ≤ e^(2D/t) P[ν ≥ z + 2D]. Last, P[ρ = r] ≤ e^(D/s) P[ρ = r + D]. Summing over r, P[a] ≤ e^(Δ/s + 2cΔ/t) P'[a].
For answers that all move the same way D instead of 2D is enough: if they rise, g(r) ≤ e^(cD/t) g'(r + D); if they
fall, leave r where it is: f(r) ≤ f'(r) and g(r) ≤ e^(cD/t) g'(r).
"""

import threading
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from numbers import Integral
from typing import ClassVar, NoReturn, Self

from dalenius.errors import BudgetExceeded, InvalidParameter, MixedRelations, StaleState, UnprovenClaim
from dalenius.guarantees import Guarantee, PureDP
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Bits, DiscreteLaplace
from dalenius.numerics import Number, positive


@dataclass(frozen=True, slots=True)
class SparseState:
    """Where a run stands: how many steps were taken, how many times "above" are left, and the secret ρ.

    A state may be stepped once. Two outcomes from one state would share ρ and be no composition of anything, so the
    holder, `SparseRun`, hands out none and refuses an old number.
    """

    number: int
    left: int
    threshold_noise: int = field(repr=False)


class AboveThreshold(Mechanism):
    """Which answers, in turn, lie above a threshold of 0, up to `cutoff` of them."""

    __slots__ = ()

    threshold_scale: Fraction
    query_scale: Fraction
    cutoff: int

    def start(self, bits: Bits) -> SparseState:
        """The first state, with ρ drawn."""
        return SparseState(0, self.cutoff, int(DiscreteLaplace(self.threshold_scale).steps(bits, 1)[0]))

    def step(self, state: SparseState, answer: int, bits: Bits) -> tuple[SparseState, bool]:
        """One answer, less its threshold, in whole steps: the next state, and whether it is said to lie above.

        [LSL17].
        """
        if isinstance(answer, bool) or not isinstance(answer, Integral):
            raise InvalidParameter("an answer must be a whole number: put real answers on a lattice first")
        if state.left == 0:
            raise BudgetExceeded(f"this run has said 'above' {self.cutoff} times, which is all that was paid for")
        noise = int(DiscreteLaplace(self.query_scale).steps(bits, 1)[0])
        above = int(answer) + noise >= state.threshold_noise
        return SparseState(state.number + 1, state.left - above, state.threshold_noise), above

    def release(self, answer: Sequence[int], bits: Bits) -> list[bool]:
        """The whole run over a list of answers, ended by the last "above" that was paid for."""
        state, said = self.start(bits), []
        for each in answer:
            if state.left == 0:
                break
            state, above = self.step(state, each, bits)
            said.append(above)
        return said

    @staticmethod
    @abstractmethod
    def spread(sensitivity: Sensitivity, relation: Relation) -> Fraction:
        """How far an answer can fall behind its noisy threshold between neighbors."""

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> PureDP:
        """ε = Δ/threshold_scale + c · 2Δ/query_scale, for monotone answers c · Δ/query_scale  [LSL17].

        However many answers there are; the proof stands at the head of this file.
        """
        spread = self.spread(sensitivity, relation)
        return PureDP(sensitivity.linf / self.threshold_scale + self.cutoff * spread / self.query_scale, relation)

    def scaled(self, factor: Number) -> Self:
        """Both scales times `factor`."""
        times = positive(factor, "factor")
        return replace(self, threshold_scale=self.threshold_scale * times, query_scale=self.query_scale * times)  # type: ignore[type-var]

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """One "above", half of ε for the threshold  [LSL17]; the cutoff is not for a target to say."""
        if not isinstance(target, PureDP):
            raise UnprovenClaim(f"{cls.__name__} is calibrated to PureDP, got {type(target).__name__}")
        half, spread = positive(target.budget, "epsilon") / 2, cls.spread(sensitivity, target.relation)
        if spread == 0:
            raise InvalidParameter("sensitivity is 0: no unit moves an answer, so it needs no noise")
        return cls(sensitivity.linf / half, spread / half, 1)  # type: ignore[call-arg]

    @classmethod
    def from_facts(cls, facts: dict[str, str]) -> Self:
        """The mechanism that `facts` describes."""
        scales = (Fraction(facts[name]) for name in ("threshold_scale", "query_scale"))
        return cls(*scales, int(facts["cutoff"]))  # type: ignore[call-arg]


@dataclass(frozen=True, slots=True)
class SparseVector(AboveThreshold):
    """Above threshold, for any answers: ε = Δ/threshold_scale + 2cΔ/query_scale  [LSL17].

    >>> from dalenius.neighbors import Metric
    >>> SparseVector(Fraction(2), Fraction(12), cutoff=3).guarantee(Sensitivity(1, Metric.LINF))
    PureDP(1)
    """

    threshold_scale: Fraction
    query_scale: Fraction
    cutoff: int

    name: ClassVar[str] = "sparse vector"

    def __post_init__(self) -> None:
        _check(self)

    @staticmethod
    def spread(sensitivity: Sensitivity, relation: Relation) -> Fraction:
        """2Δ: the answer falls, the threshold is moved up  [LSL17]."""
        Relation.of(relation)
        return 2 * sensitivity.linf


@dataclass(frozen=True, slots=True)
class MonotoneSparseVector(AboveThreshold):
    """Above threshold, for answers that no added unit lowers, under ADD_REMOVE: ε = Δ/threshold_scale + cΔ/query_scale.

    [LSL17].
    """

    threshold_scale: Fraction
    query_scale: Fraction
    cutoff: int

    name: ClassVar[str] = "monotone sparse vector"

    def __post_init__(self) -> None:
        _check(self)

    @staticmethod
    def spread(sensitivity: Sensitivity, relation: Relation) -> Fraction:
        """Δ: all answers move the same way  [LSL17]."""
        if Relation.of(relation) is not Relation.ADD_REMOVE:
            raise MixedRelations("monotone answers take half the noise for add-remove neighbors only; use SparseVector")
        return sensitivity.linf


class SparseRun:
    """The one holder of a run's current state: a step is compare-and-set on the state's number.

    Copying or pickling it is refused, since a copy could be stepped again from the same state.

    >>> run = SparseRun(SparseVector(Fraction(1, 100), Fraction(1, 100), 1), Bits())
    >>> run.step(0, -50), run.number
    (False, 1)
    >>> run.step(0, -50)
    Traceback (most recent call last):
    dalenius.errors.StaleState: step 0 was taken already; the run stands at 1
    """

    __slots__ = ("_bits", "_lock", "_mechanism", "_state")

    def __init__(self, mechanism: AboveThreshold, bits: Bits) -> None:
        self._mechanism, self._bits, self._lock = mechanism, bits, threading.Lock()
        self._state = mechanism.start(bits)

    @property
    def number(self) -> int:
        """How many steps were taken: what the next one must name."""
        return self._state.number

    @property
    def left(self) -> int:
        """How many times "above" are left."""
        return self._state.left

    def step(self, number: int, answer: int) -> bool:
        """Whether the answer, less its threshold, is said to lie above; refused unless `number` is the current one."""
        with self._lock:
            if number != self._state.number:
                raise StaleState(f"step {number} was taken already; the run stands at {self._state.number}")
            self._state, above = self._mechanism.step(self._state, answer, self._bits)
            return above

    def _refuse(self, *_: object) -> NoReturn:
        raise StaleState("a run cannot be copied: the copy would step again from an old state")

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__ = _refuse

    def __repr__(self) -> str:
        return f"SparseRun({self._mechanism!r}, number={self.number}, left={self.left})"


def _check(mechanism: AboveThreshold) -> None:
    for name in ("threshold_scale", "query_scale"):
        scale = positive(getattr(mechanism, name), name)
        DiscreteLaplace(scale)  # a scale too large to draw is refused here
        object.__setattr__(mechanism, name, scale)
    if isinstance(mechanism.cutoff, bool) or not isinstance(mechanism.cutoff, int) or mechanism.cutoff < 1:
        raise InvalidParameter(f"cutoff must be a whole number ≥ 1, got {mechanism.cutoff!r}")
