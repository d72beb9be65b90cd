"""A release before it happens."""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from dalenius.curator.answer.measured import Measured, Value
from dalenius.curator.answer.outcome import Outcome, shown_above
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.guarantees import Guarantee
from dalenius.ledger import Blocks, to_form
from dalenius.mechanisms import AdditiveMechanism, Geometric, calibrate, least_gaussians, lone_discrete_gaussian
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Bits, Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.numerics import Number
from dalenius.queries import Keys, Query, Table, View

V = TypeVar("V", bound=View)
V_contra = TypeVar("V_contra", bound=View, contravariant=True)


class Plan(Protocol[V_contra]):
    """Something the curator can release: priced from public facts alone, never from the data.

    A plan of several steps is a plan too: its guarantee is the price of them all, and `run` is the first to see data.
    """

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
        """A hash of every public fact that the outcome's law depends on."""

    def explain(self) -> object:
        """Cost and expected error, for free; its `str` is for people."""

    def run(self, view: V_contra, bits: Bits) -> Outcome:
        """Read the data, once paid for."""


class ColumnPlan(Plan[V_contra], Protocol[V_contra]):
    """A plan whose released columns are known beforehand, so that it can be part of another plan."""

    @property
    def keys(self) -> Keys | None:
        """The public keys of its columns; None when each holds one number."""

    @property
    def names(self) -> tuple[str, ...]:
        """What its columns are called."""


class PlanAround(Generic[V]):
    """A plan around another: the same people, keys and columns; what it proves is its own to say."""

    __slots__ = ()

    plan: ColumnPlan[V]

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self.plan.unit

    @property
    def keys(self) -> Keys | None:
        """The plan's public keys."""
        return self.plan.keys

    @property
    def names(self) -> tuple[str, ...]:
        """What the plan's released columns are called."""
        return self.plan.names


@runtime_checkable
class ParticularPlan(Protocol):
    """A plan that does not fit every view."""

    def check(self, view: View) -> None:
        """Refuse, before the charge and by public facts of the view alone, one that does not fit."""


def check_names(keys: Keys | None, names: tuple[str, ...]) -> None:
    """Refuse names of which a release would show one in place of another."""
    shown = Counter(f"{name}{end}".lower() for name in names for end in ("", "_lower", "_upper"))
    shown.update(column.lower() for column in (() if keys is None else keys.columns))
    twice = [name for name, times in shown.items() if times > 1]
    if twice:
        raise InvalidParameter(f"{twice[0]!r} would name two columns of one answer: rename one of them")


def check_columns(query: Any, view: View) -> None:
    """Refuse a query that reads a column which a table in memory does not have; names are public."""
    if isinstance(view, Table):
        for name in getattr(query, "reads", ()):
            view.column(name)


def check_table(query: Any, view: View) -> None:
    """Refuse, besides, an engine: a query that names the columns it reads takes them from a table in memory.

    Its run would fail on every engine, after the charge.
    """
    if hasattr(query, "reads") and not isinstance(view, Table):
        raise InvalidParameter(
            "this plan reads a table in memory, and a session holds its rows in an engine: ask by sql(…), or release "
            "the plan by a Curator of the data"
        )
    check_columns(query, view)


def check_view(plan: object, view: View) -> None:
    """Let the plan refuse the view, if it is one that may."""
    if isinstance(plan, ParticularPlan):
        plan.check(view)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a plan would cost and how far off its answer may be; nothing in it comes from data."""

    question: str
    mechanism: AdditiveMechanism
    sensitivity: Sensitivity
    guarantee: Guarantee
    unit: Unit
    cells: int
    lattice: Lattice
    error: Value

    @escaped
    def __str__(self) -> str:
        return "\n".join(
            (
                f"question     {self.question}",
                f"cells        {self.cells}",
                f"protects     {self.unit}",
                f"sensitivity  {self.sensitivity.value * self.lattice.step} in {self.sensitivity.metric.value}",
                f"mechanism    {self.mechanism.name}",
                f"cost         {self.guarantee}",
                f"error        ± {shown_above(self.error)} for each cell, 95 % of the time",
            )
        )


@dataclass(frozen=True)
class Measure(Generic[V]):
    """One query, randomized by one mechanism."""

    query: Query[V]
    mechanism: AdditiveMechanism
    unit: Unit
    name: str = "value"
    metric: Metric = Metric.L1
    """The norm in which the mechanism takes the query's sensitivity."""
    noise_before: AdditiveMechanism | None = field(default=None, compare=False, repr=False)
    """The noise that an earlier version added at this price, where it was another: its answers are found by it."""

    def __post_init__(self) -> None:
        if self.mechanism.lattice != INTEGERS:
            raise InvalidParameter(
                f"{self.mechanism.name} must add whole steps of the query: give it Lattice(0) and a scale in steps"
            )
        check_names(self.query.keys, self.names)

    @classmethod
    def calibrated(
        cls, query: Query[V], *, epsilon: Number, unit: Unit, name: str = "value", delta: Number | None = None
    ) -> "Measure[V]":
        """The query with the least noise that costs no more than ε; Gaussian noise by ℓ2 if δ > 0 is given."""
        if delta is None:
            return cls(query, calibrate(Geometric, query.sensitivity(unit), epsilon=epsilon), unit, name)
        moves = [(query.sensitivity(unit, Metric.L2), Fraction(1))]
        (noise,), (before,) = (noises(moves, epsilon, delta) for noises in (least_gaussians, lone_discrete_gaussian))
        return cls(query, noise, unit, name, Metric.L2, None if noise == before else before)

    @cached_property
    def keys(self) -> Keys | None:
        """The query's public keys."""
        return self.query.keys

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The one column, or one for each part of the answer; without a name, the parts by their own."""
        parts = self.query.columns
        if not self.name:
            return parts
        return (self.name,) if len(parts) == 1 else tuple(f"{self.name}.{part}" for part in parts)

    @cached_property
    def guarantee(self) -> Guarantee:
        """That of the mechanism at the query's sensitivity  [A Thm 3.2, D Thm 2.8]."""
        return self.mechanism.guarantee(self._sensitivity, self.unit.relation)

    @property
    def blocks(self) -> None:
        return None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical JSON of unit, relation, query, mechanism, guarantee and code version."""
        return fingerprint_of("measure", self._facts())

    def explain(self) -> Explanation:
        """Cost and expected error, for free."""
        query = self.query
        empty = Measured(self.name, (0,), query.lattice, self.mechanism)
        return Explanation(
            question=str(query),
            mechanism=self.mechanism,
            sensitivity=self._sensitivity,
            guarantee=self.guarantee,
            unit=self.unit,
            cells=len(query.columns) * (1 if query.keys is None else len(query.keys)),
            lattice=query.lattice,
            error=empty.accuracy(0.05),
        )

    def check(self, view: View) -> None:
        """Refuse, before the charge, a table that lacks a column, and an engine where a table is read."""
        check_table(self.query, view)

    def run(self, view: V, bits: Bits) -> Outcome:
        """The exact answer, then the mechanism; only the second leaves."""
        cells = self.mechanism.release(self.query.evaluate(view), bits).reshape(len(self.names), -1)
        counts = bool(getattr(self.query, "counts", False))
        columns = (
            Measured(name, tuple(part.tolist()), self.query.lattice, self.mechanism, counts)
            for name, part in zip(self.names, cells, strict=True)
        )
        bound = getattr(self.query, "contributions", None)  # public, and an inference about people needs it
        return Outcome(tuple(columns), self.query.keys, notes={} if bound is None else {"contributions": bound.most})

    @cached_property
    def _sensitivity(self) -> Sensitivity:
        query = self.query  # in ℓ1 by default, all that a query for one engine may know
        return query.sensitivity(self.unit) if self.metric is Metric.L1 else query.sensitivity(self.unit, self.metric)

    def _facts(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "unit": self.unit.column,
            "relation": self.unit.relation.value,
            "query": self.query.facts(),
            "lattice": self.query.lattice.exponent,
            "mechanism": self.mechanism.facts(),
            "guarantee": to_form(self.guarantee),
        }
