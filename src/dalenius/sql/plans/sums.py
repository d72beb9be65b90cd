"""A compiled query as a plan: one scan, one mechanism for each group of parts, one answer made from them all."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Arrangement, Derived, Measure, Measured, Order, Shown, ShownKey, Together
from dalenius.curator.answer.outcome import Outcome, shown_above
from dalenius.curator.formula import Formula
from dalenius.errors import InvalidParameter, UnsupportedQuery
from dalenius.escape import escaped, html_table, terminal
from dalenius.guarantees import Guarantee, PureDP
from dalenius.mechanisms import Gaussian, GaussianNoises, least_gaussians
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Bits, Lattice
from dalenius.numerics import Number, digits_above, positive
from dalenius.queries import Contributions, Keys, View
from dalenius.sql.engine import Engine
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.planner.measurements import ModeChoice, QuantileChoice
from dalenius.sql.plans.modes import CellModes
from dalenius.sql.plans.quantiles import CellQuantiles


@dataclass(frozen=True, slots=True)
class CellParts:
    """One group of parts as a query: integers for each part and cell, which one unit moves by a proven number of steps.

    All groups of one query read the same scan, which the engine runs once.
    """

    compiled: Compiled
    group: int

    @property
    def columns(self) -> tuple[str, ...]:
        return self.compiled.groups[self.group].parts

    @property
    def keys(self) -> Keys | None:
        return self.compiled.cell_keys

    @property
    def lattice(self) -> Lattice:
        """Where the group's answers live."""
        return self.compiled.groups[self.group].lattice

    @property
    def counts(self) -> bool:
        """Whether the parts count rows or units, and sum nothing that they hold."""
        return self.compiled.groups[self.group].counts

    @property
    def contributions(self) -> Contributions | None:
        """How many rows of a unit count in full; None where each row is a unit, or where weights are by ℓ2."""
        most, column = self.compiled.groups[self.group].contributions, self.compiled.unit.column
        return None if most is None or column is None else Contributions(column, most)

    def evaluate(self, view: Engine) -> NDArray[np.int64]:
        """All cells of the first part, then of the second; a cell without rows is 0."""
        if own := self.compiled.groups[self.group].scan:
            return view.scan(own, self.compiled.cells, len(self.columns)).ravel()
        every = view.reading(self.compiled.prepared).scan(
            self.compiled.statement, self.compiled.cells, len(self.compiled.parts)
        )
        start = sum(len(group.parts) for group in self.compiled.groups[: self.group])
        return every[start : start + len(self.columns)].ravel()

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """What the group proves  [A Ex 3.4, G sensitivity]."""
        if unit.column != self.compiled.unit.column:
            raise InvalidParameter(f"the query is bounded for {self.compiled.unit}, not for {unit}")
        return self.compiled.groups[self.group].sensitivity(unit.relation).to(metric)

    def facts(self) -> dict[str, Any]:
        """The compiled statement, what bounds it, and which of its groups this is."""
        return {"query": "parts", "group": self.group} | self.compiled.facts()

    @escaped
    def __str__(self) -> str:
        question, cells = self.compiled.groups[self.group].question, self.compiled.cells
        return question if not self.compiled.keys else f"{question} for each of {cells} cells"


@dataclass(frozen=True, slots=True)
class PricedQuestion:
    """What a query asks at the expense of one share of ε, or of ρ: its price, and how far off its parts may be."""

    question: str
    epsilon: Fraction | None
    sensitivity: Fraction
    error: float
    only_to_sift: bool
    told_in: str = ""
    rho: Fraction | None = None
    remark: str = ""
    """Which of two ways was planned, and how far off the other would be."""

    @property
    def price(self) -> str:
        """ε where prices are added, ρ where noise is Gaussian."""
        return f"ρ = {digits_above(self.rho)}" if self.rho is not None else f"ε = {float(self.epsilon or 0):g}"


@dataclass(frozen=True, slots=True)
class QueryExplanation:
    """What a query would cost and how far off its answers may be; nothing in it comes from data.

    `errors` are those of the answer's numbers, 95 % of the time; None for one whose error depends on its value, such as
    a mean's: it comes with the answer.
    """

    lines: tuple[PricedQuestion, ...]
    guarantee: Guarantee
    unit: Unit
    cells: int
    columns: tuple[str, ...]
    errors: dict[str, float | None]
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    """What is to be paid or known besides, in words."""
    profile: Fraction = field(default=Fraction(0), kw_only=True)
    """What it would pay besides, once for all questions, for facts that nobody has bought: `profile=` must name it."""

    @escaped
    def __str__(self) -> str:
        lines = [
            f"answer       {', '.join(map(terminal, self.columns))}",
            f"cells        {self.cells}",
            f"protects     {self.unit}",
            f"cost         {_charged(self.guarantee)}",
        ]
        for name, error in self.errors.items():
            radius = "told with the answer: it depends on the value"
            if error is not None:
                radius = f"± {shown_above(error)} in each cell, 95 % of the time"
            lines.append(f"error        {terminal(name)} {radius}")
        for line in self.lines:
            sifting = " (only to sift or sort, and paid too)" if line.only_to_sift else ""
            lines.append(f"question     {terminal(line.question)}{sifting}")
            lines.append(f"  share      {line.price}, one unit moves its parts by {float(line.sensitivity):g}")
            lines.append(
                f"  noise      ± {shown_above(line.error)}{line.told_in} on each part and cell, 95 % of the time"
            )
            lines += [f"  planned    {line.remark}"] if line.remark else []
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        lines = [line.strip().split(None, 1) for line in str(self).splitlines()]
        return html_table(["", ""], [(line[0], line[1] if len(line) > 1 else "") for line in lines if line])

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "answer": list(self.columns),
            "cells": self.cells,
            "unit": self.unit.name,
            "relation": self.unit.relation.value,
            **_price(self.lines),
            "profile": str(self.profile),
            "level": 0.95,
            "errors": self.errors,
            "questions": [
                {
                    "question": line.question,
                    **_price([line]),
                    "sensitivity": float(line.sensitivity),
                    "noise": line.error,
                    "only_to_sift": line.only_to_sift,
                }
                for line in self.lines
            ],
        } | ({"notes": list(self.notes)} if self.notes else {})


def _price(lines: Sequence[PricedQuestion]) -> dict[str, str]:
    """The sum of ε, or of ρ where noise is Gaussian."""
    rhos = [line.rho for line in lines]
    name, every = ("epsilon", [line.epsilon for line in lines]) if None in rhos else ("rho", rhos)
    return {name: str(sum(one for one in every if one is not None))}


@dataclass(frozen=True, init=False)
class QueryPlan:
    """One SELECT: the groups released together from one scan, then the columns that the analyst asked for."""

    compiled: Compiled
    derived: Derived[Engine]
    remark: str
    """What `explain` says of another plan that was weighed."""

    def __init__(
        self,
        compiled: Compiled,
        epsilon: Number,
        delta: Number = 0,
        remark: str = "",
        noises: GaussianNoises = least_gaussians,
    ) -> None:
        whole = positive(epsilon, "epsilon")
        if any(group.square is not None for group in compiled.groups):
            measures = gaussian(compiled, whole, delta, noises)
        else:
            measures = [
                Measure.calibrated(
                    CellParts(compiled, number), epsilon=whole * group.weight, unit=compiled.unit, name=""
                )
                for number, group in enumerate(compiled.groups)
            ]
        object.__setattr__(self, "compiled", compiled)
        object.__setattr__(self, "remark", remark)
        chosen = choices(compiled, whole)
        object.__setattr__(self, "derived", Derived(Together([*measures, *chosen]), *arranged(compiled)))

    @cached_property
    def unit(self) -> Unit:
        return self.derived.unit

    @cached_property
    def guarantee(self) -> Guarantee:
        """The composition of the groups; what is made of them costs nothing more  [A Thm 3.3, A Prop 3.1]."""
        return self.derived.guarantee

    @property
    def is_rounded(self) -> bool:
        """Whether its noise is rounded Gaussian."""
        return any(isinstance(one, Measure) and isinstance(one.mechanism, Gaussian) for one in self.derived.plan.plans)  # type: ignore[attr-defined]

    @property
    def blocks(self) -> None:
        return None

    @cached_property
    def fingerprint(self) -> str:
        """That of the derived plan, which holds the statement, the groups and the answer's layout."""
        return self.derived.fingerprint

    def explain(self) -> QueryExplanation:
        """Cost and expected error, for free."""
        plans = self.derived.plan.plans  # type: ignore[attr-defined]
        measures = [plan for plan in plans if isinstance(plan, Measure)]
        sums = lines_of(self.compiled, measures)
        lines = sums + choice_lines(
            self.compiled, [plan for plan in plans if isinstance(plan, CellQuantiles | CellModes)]
        )
        lines = (replace(lines[0], remark=self.remark or lines[0].remark), *lines[1:])
        columns = tuple(column.name for column in self.compiled.output.columns)
        return QueryExplanation(
            lines, self.guarantee, self.unit, self.compiled.cells, columns, errors_of(self.compiled, measures)
        )

    def check(self, view: View) -> None:
        """The query was compiled against the view's columns; a prepared table must still be there."""
        if self.compiled.prepared and not (isinstance(view, Engine) and view.prepared):
            raise InvalidParameter(
                "the plan reads a prepared table that is not there, or is out of date: call prepare()"
            )

    def run(self, view: Engine, bits: Bits) -> Outcome:
        """One scan, then the noise of each group."""
        return self.derived.run(view, bits)

    def shown_of(self, other: "QueryPlan", outcome: Outcome) -> Outcome | None:
        """The columns of this plan, of another's outcome; None unless both release the same numbers by the same law.

        Then the outcome is one that this plan's run could have had, and what is made of it costs nothing  [A Prop 3.1].
        """
        mine, theirs = self.compiled, other.compiled
        if any(one.ranks or one.modes or one.named or one.prepared for one in (mine, theirs)):
            return None
        if mine.facts() | {"output": None} != theirs.facts() | {"output": None} or mine.cell_keys != theirs.cell_keys:
            return None
        laws = [[(one.name, one.mechanism) for one in plan.derived.plan.plans] for plan in (self, other)]  # type: ignore[attr-defined]
        if laws[0] != laws[1]:
            return None
        return replace(outcome, layout=self.derived.layout, arrangement=self.derived.arrangement)


def gaussian(compiled: Compiled, epsilon: Fraction, delta: Number, noises: GaussianNoises) -> list[Measure[Engine]]:
    """Gaussian noise by ℓ2 on every group, which has its weight of the price  [A Thm 13.1; CKS20, Thm 4]."""
    if apart := [*(rank.question for rank in compiled.ranks), *(mode.question for mode in compiled.modes)]:
        raise UnsupportedQuery(
            f"{apart[0]} is purely private and the sums beside it are to be paid with delta: "
            "ask them in queries of their own, or leave delta out"
        )
    parts = [CellParts(compiled, number) for number in range(len(compiled.groups))]
    moves = [
        (part.sensitivity(compiled.unit, Metric.L2), group.weight)
        for part, group in zip(parts, compiled.groups, strict=True)
    ]
    return [
        Measure(part, noise, compiled.unit, "", Metric.L2)
        for part, noise in zip(parts, noises(moves, epsilon, delta), strict=True)
    ]


def errors_of(compiled: Compiled, measures: Sequence[Measure[Engine]], level: Number = 0.95) -> dict[str, float | None]:
    """The error of a sum of parts is that of its noise, whatever the parts are: here all are 0."""
    zeros = tuple(
        Measured(name, (0,), measure.query.lattice, measure.mechanism) for measure in measures for name in measure.names
    )
    layout = (_item(column.name, column.of) for column in compiled.output.columns)
    known = frozenset(column.name for column in zeros)  # a quantile is no sum: its error is in ranks
    empty = Outcome(
        zeros, None, tuple(item for item in layout if isinstance(item, Shown) and item.formula.names <= known)
    )
    if not empty.layout:
        return {}
    return {
        item.name: None if item.formula.linear() is None else empty.errors(item, level)[0] for item in empty.numbers
    }


def lines_of(compiled: Compiled, measures: Sequence[Measure[Engine]]) -> tuple[PricedQuestion, ...]:
    """What is said of each group."""
    return tuple(
        PricedQuestion(
            group.question,
            form[0] if (form := measure.guarantee.sum_form) else None,
            measure.query.sensitivity(compiled.unit, measure.metric).value * group.lattice.step,
            measure.explain().error,
            group.question in compiled.paid_only_to_sift,
            rho=None if form or (curved := measure.guarantee.concentrated_form) is None else curved.rho,
            remark=group.remark,
        )
        for group, measure in zip(compiled.groups, measures, strict=True)
    )


def choices(compiled: Compiled, whole: Fraction) -> list[CellQuantiles | CellModes]:
    """The quantiles and modes of a query, each at its share of ε."""
    ranks = [CellQuantiles(compiled, rank, whole * rank.share) for rank in compiled.ranks]
    return [*ranks, *(CellModes(compiled, mode, whole * mode.share) for mode in compiled.modes)]


def choice_lines(compiled: Compiled, plans: Sequence[CellQuantiles | CellModes]) -> tuple[PricedQuestion, ...]:
    """What is said of each choice."""
    lines = []
    for plan in plans:
        asked: QuantileChoice | ModeChoice = plan.rank if isinstance(plan, CellQuantiles) else plan.mode
        explanation = plan.explain()
        lines.append(
            PricedQuestion(
                asked.question,
                plan.guarantee.budget,
                Fraction(asked.steps, asked.row),
                explanation.accuracy(0.05),
                asked.question in compiled.paid_only_to_sift,
                f" {explanation.error}",
            )
        )
    return tuple(lines)


def _charged(guarantee: Guarantee) -> Guarantee:
    """What the ledger counts: parts that are purely private are so together, for the sum of their ε  [A Thm 3.3]."""
    form = guarantee.sum_form
    return guarantee if form is None or form[1] else PureDP(form[0], guarantee.relation)


def _item(name: str, of: int | Formula) -> Shown | ShownKey:
    return ShownKey(name, of) if isinstance(of, int) else Shown(name, of)


def arranged(compiled: Compiled) -> tuple[list[Shown | ShownKey], Arrangement]:
    """The columns of the answer, and how its rows stand."""
    output = compiled.output
    layout = [_item(column.name, column.of) for column in output.columns]
    order = tuple(Order(_item("", term.by), term.descending, term.nulls_first) for term in output.order)
    return layout, Arrangement(output.having, order, output.limit, output.offset)
