"""MWEM with replays: the conjunctions that a hypothesis errs by most are chosen and measured, round by round."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Measured, Outcome, Release
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import check_columns
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import PureDP
from dalenius.ledger import to_form
from dalenius.mechanisms import Exponential, Geometric
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.noise.lattice import INTEGERS
from dalenius.numerics import Number, positive
from dalenius.queries import View
from dalenius.synthesis.conjunctions.hypothesis import Hypothesis, Terms
from dalenius.synthesis.conjunctions.yes_no import YesNo
from dalenius.synthesis.data.in_memory import table_of

NOTE = "mwem"
START = Fraction(1, 10)
"""The part of ε that goes to the number of rows and the one-way counts, where the hypothesis starts."""


@dataclass(frozen=True, slots=True)
class Mwem:
    """`rounds` conjunctions of `width` columns, each chosen by the exponential mechanism and then measured  [HLM12].

    Rows are units. The price is fixed beforehand: START · ε for the first counts, and the rest in equal parts for every
    choice and every count, adaptively composed  [A Thm 3.3].
    """

    universe: YesNo
    width: int
    rounds: int
    epsilon: Fraction
    unit: Unit

    def __post_init__(self) -> None:
        check_row_unit(self.universe, self.unit)
        if isinstance(self.rounds, bool) or not isinstance(self.rounds, int) or not 1 <= self.rounds <= 1000:
            raise InvalidParameter(f"rounds must be a whole number from 1 to 1000, got {self.rounds!r}")
        if isinstance(self.width, bool) or not isinstance(self.width, int) or not 1 <= self.width <= 3:
            raise InvalidParameter(f"width must be 1, 2 or 3, got {self.width!r}")

    @property
    def guarantee(self) -> PureDP:
        """ε of all counts and choices together  [A Thm 3.3, A Thm 7.1, D Thm 2.8]."""
        start = Fraction(len(self.universe.names) + 1) / self.start_noise.scale
        each = 2 / self.choice.scale + 1 / self.noise.scale
        return PureDP(start + self.rounds * each, self.unit.relation)

    @property
    def start_noise(self) -> Geometric:
        """Of the number of rows and the one-way counts, all of which one row moves by at most 1."""
        return Geometric((len(self.universe.names) + 1) / (START * self.epsilon))

    @property
    def choice(self) -> Exponential:
        """Of a conjunction, by its error in rows, which one row moves by at most 1."""
        return Exponential(2 / self._each)

    @property
    def noise(self) -> Geometric:
        """Of a chosen conjunction's count."""
        return Geometric(1 / self._each)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, columns, width, rounds and guarantee."""
        facts = {"universe": self.universe.facts(), "width": self.width, "rounds": self.rounds}
        known = {"relation": self.unit.relation.value, "guarantee": to_form(self.guarantee)}
        return fingerprint_of("mwem", facts | known | {"epsilon": str(self.epsilon)})

    def explain(self) -> str:
        """Cost, for free; the error depends on how soon the hypothesis is right."""
        return (
            f"question     {self.rounds} conjunctions of {self.width} columns, chosen and counted\n"
            f"protects     {self.unit}\ncost         {self.guarantee}\n"
            f"error        ± {float(self.noise.accuracy(0.05)):.1f} rows for each count, 95 % of the time"
        )

    def check(self, view: View) -> None:
        """Refuse, before the charge, a table that lacks a column."""
        check_columns(self.universe, view)

    def run(self, view: View, bits: Bits) -> Outcome:
        """First counts, then rounds; the chosen conjunctions and their noisy counts leave."""
        exact = self.universe.histogram(table_of(view, self.universe.reads)).reshape((2,) * len(self.universe.names))
        start = self.start_noise.release(first_counts(exact), bits)
        hypothesis, rows = started(self.universe, start)
        truth = Hypothesis(self.universe)
        truth.law = exact.astype(np.float64)
        terms, counts = truth.tables(self.width)
        chosen: list[Terms] = []
        noisy: list[int] = []
        for _ in range(self.rounds):
            errors = np.abs(counts.astype(np.int64) - np.rint(hypothesis.tables(self.width)[1] * rows).astype(np.int64))
            errors[[terms.index(one) for one in chosen]] = 0  # public: what was measured is not asked again
            place = self.choice.release(errors.tolist(), bits)
            count = int(self.noise.release(counts[place : place + 1].astype(np.int64), bits)[0])
            chosen.append(terms[place])
            noisy.append(count)
            hypothesis.learn(terms[place], count / rows)
        notes = self.universe.facts() | {"chosen": [[list(term) for term in one] for one in chosen]}
        columns = (
            Measured("start", tuple(start.tolist()), INTEGERS, self.start_noise),
            Measured("counts", tuple(noisy), INTEGERS, self.noise),
        )
        return Outcome(columns, notes={NOTE: notes})

    @property
    def _each(self) -> Fraction:
        """The price of one choice or one count."""
        return (1 - START) * self.epsilon / (2 * self.rounds)


@dataclass(frozen=True, slots=True)
class MwemCopy:
    """The hypothesis that the released counts give: an answer to any conjunction, without a proof of its error."""

    universe: YesNo
    hypothesis: Hypothesis
    rows: int

    @classmethod
    def of(cls, release: Release) -> "MwemCopy":
        """From what a curator has released; the same for everybody."""
        return cls.of_outcome(release.outcome)

    @classmethod
    def of_outcome(cls, outcome: Outcome) -> "MwemCopy":
        """From the released counts alone."""
        if NOTE not in outcome.notes:
            raise InvalidParameter("this release is not of MWEM: release what synthesis.conjunctions.mwem makes")
        facts, (start, counts) = outcome.notes[NOTE], outcome.columns
        universe = YesNo.from_facts(facts)
        hypothesis, rows = started(universe, np.array(start.values))
        for terms, count in zip(facts["chosen"], counts.values, strict=True):
            hypothesis.learn(tuple((place, value) for place, value in terms), float(count) / rows)
        return cls(universe, hypothesis, rows)

    def count(self, **wanted: bool) -> float:
        """About how many rows meet a conjunction."""
        return self.hypothesis.share(self.universe.conjunction(wanted)) * self.rows


def mwem(universe: YesNo, *, epsilon: Number, rounds: int = 40, width: int = 3, unit: Unit | None = None) -> Mwem:
    """The plan. `universe`: the yes-no columns; `rounds`: how many conjunctions of `width` columns are measured."""
    return Mwem(universe, width, rounds, positive(epsilon, "epsilon"), unit or Unit.row())


def first_counts(exact: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of rows, and how many have yes in each column."""
    yes = [int(np.take(exact, 1, axis).sum()) for axis in range(exact.ndim)]
    return np.array([int(exact.sum()), *yes], np.int64)


def started(universe: YesNo, start: NDArray[Any]) -> tuple[Hypothesis, int]:
    """The hypothesis of independent columns with the noisy shares, and the noisy number of rows."""
    rows = max(1, int(start[0]))
    hypothesis = Hypothesis(universe)
    for place, count in enumerate(start[1:].tolist()):
        share = min(max(count / rows, 1e-3), 1 - 1e-3)
        law = np.array([1 - share, share]).reshape([-1 if axis == place else 1 for axis in range(hypothesis.law.ndim)])
        hypothesis.law = hypothesis.law * 2 * law
    return hypothesis, rows


def check_row_unit(universe: YesNo, unit: Unit) -> None:
    """Refuse units of several rows, and CHANGE_ONE, for which these sensitivities are not proved."""
    if unit.column is not None or universe.contributions is not None or unit.relation is not Relation.ADD_REMOVE:
        raise UnprovenClaim("these mechanisms are proved for rows that come or go: use parities for other units")
