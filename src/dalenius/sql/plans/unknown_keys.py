"""A compiled query over keys that are to be found: which of them may be named, then the answers for those."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator import Chosen, Measure, Measured
from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import check_names
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.escape import escaped, terminal
from dalenius.guarantees import ApproxDP, Guarantee
from dalenius.ledger import to_form
from dalenius.mechanisms import PartitionSelection
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Bits
from dalenius.numerics import Number, positive, rational
from dalenius.queries import Key, Keys, View
from dalenius.sql.engine import Engine
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.plans.modes import CellModes
from dalenius.sql.plans.quantiles import CellQuantiles
from dalenius.sql.plans.sums import (
    CellParts,
    PricedQuestion,
    QueryExplanation,
    arranged,
    choice_lines,
    choices,
    errors_of,
    lines_of,
)

if TYPE_CHECKING:
    import pyarrow as pa

_ONE_UNIT = Sensitivity(1, Metric.UNITS)


@dataclass(frozen=True, slots=True)
class UnknownKeysExplanation(QueryExplanation):
    """What a query over unknown keys would cost; `cells` are those of each combination that is named."""

    selection: PartitionSelection
    names: tuple[str, ...]

    @escaped
    def __str__(self) -> str:
        chosen, (epsilon, delta) = self.selection, (self.selection.epsilon, self.selection.delta)
        never = "" if chosen.min_units == 1 else f", and one of fewer than {chosen.min_units} never"
        names = ", ".join(map(terminal, self.names))
        sums = QueryExplanation.__str__(self).replace("\ncells        ", "\ncells        for each key named: ", 1)
        return "\n".join(
            (
                sums,
                f"question     which {names} may be named, {chosen.groups} of each unit at most",
                f"  share      ε = {float(epsilon):g}, δ = {float(delta):g}",
                f"  error      a key of {chosen.certain} units or more is always named{never}",
            )
        )


@dataclass(frozen=True, slots=True, init=False)
class UnknownKeysPlan:
    """One SELECT over unknown keys: the selection at all of δ and its share of ε, then the groups and choices.

    They measure the combinations that were named, which are public by then: an adaptive composition  [A Thm 3.3].
    The law of a combination that nobody is in is to be never named, as if every possible one were a candidate.
    """

    compiled: Compiled
    selection: PartitionSelection
    measures: tuple[Measure[Engine], ...]
    choices: tuple[CellQuantiles | CellModes, ...]

    def __init__(self, compiled: Compiled, epsilon: Number, delta: Number) -> None:
        whole, slack = positive(epsilon, "epsilon"), rational(delta, "delta")
        if compiled.unknown is None or not 0 < slack < 1:
            raise InvalidParameter(f"delta must lie in (0, 1), got {delta}: without it no unknown key can be named")
        chosen = choices(compiled, whole)
        one = PartitionSelection.least(_ONE_UNIT, ApproxDP(compiled.naming * whole, slack, compiled.unit.relation))
        terms = compiled.unknown
        measures = tuple(
            Measure.calibrated(CellParts(compiled, number), epsilon=whole * group.weight, unit=compiled.unit, name="")
            for number, group in enumerate(compiled.groups)
        )
        check_names(None, tuple(column.name for column in compiled.output.columns))
        object.__setattr__(self, "compiled", compiled)
        object.__setattr__(self, "selection", replace(one, groups=terms.groups, min_units=terms.min_units))
        object.__setattr__(self, "measures", measures)
        object.__setattr__(self, "choices", tuple(chosen))

    @property
    def unit(self) -> Unit:
        return self.compiled.unit

    @property
    def guarantee(self) -> Guarantee:
        """The selection, one unit in at most `groups` groups, and the sum of every measure's ε  [DVGM22, A Thm 3.3]."""
        selection = self.selection.guarantee(_ONE_UNIT, self.unit.relation)
        plans = (*self.measures, *self.choices)
        forms = [form for plan in plans if (form := plan.guarantee.sum_form) is not None]
        if len(forms) != len(plans):
            raise UnprovenClaim("a measure without an ε cannot be added to a selection of keys")
        return ApproxDP(
            selection.budget + sum((epsilon for epsilon, _ in forms), Fraction(0)),
            selection.slack + sum((delta for _, delta in forms), Fraction(0)),
            self.unit.relation,
        )

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, compiled query, mechanisms and guarantee."""
        facts = {
            "unit": self.unit.column,
            "relation": self.unit.relation.value,
            "query": self.compiled.facts(),
            "selection": self.selection.facts(),
            "mechanisms": [plan.mechanism.facts() for plan in (*self.measures, *self.choices)],
            "guarantee": to_form(self.guarantee),
        }
        return fingerprint_of("named query", facts)

    def explain(self) -> UnknownKeysExplanation:
        """Cost and expected error, for free."""
        compiled = self.compiled
        lines: tuple[PricedQuestion, ...] = lines_of(compiled, self.measures) + choice_lines(compiled, self.choices)
        columns = tuple(column.name for column in compiled.output.columns)
        names = tuple(key.name for key in compiled.named)
        errors = errors_of(compiled, self.measures)
        parts = (lines, self.guarantee, self.unit, compiled.cells, columns, errors)
        return UnknownKeysExplanation(*parts, self.selection, names)

    @property
    def missed(self) -> float:
        """How far off a part of the first question may be, 95 % of the time."""
        return float(self.measures[0].explain().error)

    def check(self, view: View) -> None:
        """Nothing of the view is left to check: the query was compiled against its columns."""

    def run(self, view: Engine, bits: Bits) -> Outcome:
        """A scan, the draw of the keys, then the answers for those; only named keys leave, in their own order."""
        scanned = view.fetch(self.compiled.scan)
        first, group = _numbered(scanned)
        named = self.selection.release(scanned["units"].to_numpy()[first], bits)
        keys = self._values(scanned, first[named])
        order = sorted(range(len(keys)), key=keys.__getitem__)
        chosen = np.flatnonzero(named)[order]
        places = np.full(len(first), -1, np.int64)
        places[chosen] = np.arange(len(order))
        answers = self._answers(scanned, places[group], len(order))
        columns = [*self._released(view, answers, self._named(scanned, first[chosen]), bits)]
        layout, arrangement = arranged(self.compiled)
        return Outcome(tuple(columns), self._keys([keys[at] for at in order]), tuple(layout), arrangement)

    def _named(self, scanned: "pa.Table", rows: NDArray[np.int64]) -> "pa.Table":
        """The named keys as the engine wrote them, with their places: what statements of their own join."""
        import pyarrow as pa

        columns: dict[str, Any] = {key.column: scanned[key.column].take(rows) for key in self.compiled.named}
        return pa.table(columns | {"place": np.arange(len(rows), dtype=np.int64)})

    def _values(self, scanned: "pa.Table", rows: NDArray[np.int64]) -> list[tuple[Key, ...]]:
        columns = [scanned[key.column].take(rows).to_pylist() for key in self.compiled.named]
        return [tuple(map(plain_key, row)) for row in zip(*columns, strict=True)]

    def _answers(self, scanned: "pa.Table", places: NDArray[np.int64], named: int) -> NDArray[np.int64]:
        """Part by part, the integers of all cells of the first key, then of the second; where nobody is, 0."""
        parts, cells = self.compiled.parts, self.compiled.cells
        kept = places >= 0
        at = places[kept] * cells + scanned["cell"].to_numpy()[kept].astype(np.int64)
        answers = np.zeros((len(parts), named * cells), np.int64)
        for number, part in enumerate(parts):
            answers[number, at] = scanned[part].to_numpy()[kept]
        return answers

    def _released(
        self, view: Engine, answers: NDArray[np.int64], named: "pa.Table", bits: Bits
    ) -> Iterator[Measured | Chosen]:
        start, size = 0, answers.shape[1]
        for measure, group in zip(self.measures, self.compiled.groups, strict=True):
            if group.scan:
                exact = _scattered(view.fetch(group.scan, named), group.parts, size)
            else:
                start, end = start + len(measure.names), start
                exact = answers[end:start]
            noisy = measure.mechanism.release(exact.ravel(), bits).reshape(exact.shape)
            for name, cells in zip(measure.names, noisy, strict=True):
                yield Measured(name, tuple(cells.tolist()), measure.query.lattice, measure.mechanism)
        for choice in self.choices:
            scan = choice.rank.scan if isinstance(choice, CellQuantiles) else choice.mode.scan
            yield from choice.drawn(view.fetch(scan, named), size, bits)

    def _keys(self, named: Sequence[tuple[Key, ...]]) -> Keys:
        """The named keys, each with every combination of declared ones, in the order of GROUP BY."""
        compiled = self.compiled
        later = {key.place: number for number, key in enumerate(compiled.named)}
        size = len(compiled.keys) + len(compiled.named)
        columns = [f"key {number}" for number in range(size)]
        declared = [compiled.labels(cell) for cell in range(compiled.cells)]

        def row(key: tuple[Key, ...], cell: tuple[Key, ...]) -> tuple[Key, ...]:
            rest = iter(cell)
            return tuple(key[later[place]] if place in later else next(rest) for place in range(size))

        rows = [row(key, cell) for key in named for cell in declared]
        return Keys.among(columns, rows) if rows else Keys.none(*columns)


def _scattered(scanned: "pa.Table", parts: Sequence[str], size: int) -> NDArray[np.int64]:
    """Part by part, the integers of all cells; where the statement has no row, 0."""
    answer = np.zeros((len(parts), size), np.int64)
    for number, part in enumerate(parts):
        answer[number, scanned["cell"].to_numpy().astype(np.int64)] = scanned[part].to_numpy()
    return answer


def _numbered(scanned: "pa.Table") -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first row of each group, and the number of each row's group."""
    if "group" not in scanned.column_names:
        rows = np.arange(scanned.num_rows)
        return rows, rows
    _, first, group = np.unique(scanned["group"].to_numpy(), return_index=True, return_inverse=True)
    return first, group


def plain_key(value: Any) -> Key:
    """Equal numbers are written one way: 1 for 1.0, and 0 for −0.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
