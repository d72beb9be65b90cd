"""A plan that asks any function of the data, block by block, and aggregates its answers privately."""

import io
import logging
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import Plan
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.escape import escaped
from dalenius.guarantees import ApproxDP, PureDP
from dalenius.ledger import to_form
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits, UniformInteger
from dalenius.queries import Table, View
from dalenius.queries.identity import identities
from dalenius.queries.instants import instant, instants
from dalenius.queries.view import row_values

Function = Callable[[dict[str, NDArray[Any]]], Any]
"""From the columns of a block to one number, or to as many as were declared; numbers come as floats."""
MOST_PARTS = 1 << 20


@dataclass(frozen=True, slots=True)
class Result:
    """One number that the function gives: its name, its public bounds, and what stands in for a failure."""

    name: str
    lower: Fraction
    upper: Fraction
    default: Fraction

    def __post_init__(self) -> None:
        if not self.lower < self.upper or not self.lower <= self.default <= self.upper:
            raise InvalidParameter(f"{self.name!r} needs lower < upper, and a default within them")

    def facts(self) -> dict[str, str]:
        """As JSON holds it."""
        numbers = {"lower": self.lower, "upper": self.upper, "default": self.default}
        return {"name": self.name} | {name: str(number) for name, number in numbers.items()}


@dataclass(frozen=True, slots=True)
class BlockedExplanation:
    """What any function of blocks would cost, and what is known of the aggregate."""

    words: str
    parts: int
    guarantee: PureDP | ApproxDP
    unit: Unit
    part: object

    @escaped
    def __str__(self) -> str:
        total = f"question     {self.words} of each of {self.parts} random blocks\nprotects     {self.unit}"
        return f"{total}\ncost         {self.guarantee}\n\naggregated over the blocks:\n{self.part}"


@dataclass(frozen=True, slots=True)
class Blocked:
    """Subsample and aggregate: `function` of each of `parts` random blocks, then `plan` over their answers  [A Alg 1].

    Each unit draws its own block, uniformly and independently of everyone else; `parts` is public. A block's answer is
    whatever the function gives, held in public bounds; an error, NaN, infinity or another shape is the default. What it
    prints, logs and warns of is thrown away. The function runs inside this process: what it does elsewhere (files, the
    network, global state, its own memory of an earlier block) and how long it takes are outside the guarantee.

    `version` names the function, since a fingerprint cannot read it.
    """

    function: Function
    columns: tuple[str, ...]
    parts: int
    results: tuple[Result, ...]
    plan: Plan[Table]
    unit: Unit
    version: str

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidParameter("the function must be callable with a dict of columns")
        if not self.columns or not self.results or not isinstance(self.version, str) or not self.version:
            raise InvalidParameter("name the columns that the function reads, what it gives, and its version")
        if isinstance(self.parts, bool) or not isinstance(self.parts, int) or not 1 <= self.parts <= MOST_PARTS:
            raise InvalidParameter(f"blocks must be a whole number from 1 to 2^20, got {self.parts!r}")
        if self.plan.unit != Unit.row(Relation.CHANGE_ONE):
            raise UnprovenClaim("the aggregate must protect one changed answer among a public number of them")
        if self.plan.guarantee.sum_form is None:
            raise UnprovenClaim("the aggregate must have an ε and a δ")

    @property
    def guarantee(self) -> PureDP | ApproxDP:
        """That of the aggregate for one changed answer, under either relation  [A Alg 1, A Thm 8.2].

        Let neighbors differ in one unit, added, removed or replaced. Give all others the same blocks on both sides, and
        the one its block b, which has the same law on both sides. Then all blocks but b are the same, so only one
        answer differs, whatever the function: each pair of laws given the blocks is within (ε, δ), and so is their
        average over the blocks, since P(E) ≤ e^ε P'(E) + δ is linear.
        """
        form = self.plan.guarantee.sum_form
        assert form is not None
        relation = self.unit.relation
        return PureDP(form[0], relation) if form[1] == 0 else ApproxDP(*form, relation)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the function's version, what it reads and gives, the blocks and the aggregate."""
        facts = {
            "unit": self.unit.column,
            "relation": self.unit.relation.value,
            "version": self.version,
            "columns": list(self.columns),
            "parts": self.parts,
            "results": [result.facts() for result in self.results],
            "plan": self.plan.fingerprint,
            "guarantee": to_form(self.guarantee),
        }
        return fingerprint_of("blocked", facts)

    def explain(self) -> BlockedExplanation:
        """Cost, and what the aggregate says of itself, for free."""
        return BlockedExplanation(self.version, self.parts, self.guarantee, self.unit, self.plan.explain())

    def check(self, view: View) -> None:
        """Refuse what is no table in memory, and a column that it does not have."""
        if not isinstance(view, Table):
            raise UnprovenClaim(f"only a table in memory can be divided into blocks, got a {type(view).__name__}")
        for name in (*self.columns, *(() if self.unit.column is None else (self.unit.column,))):
            view.column(name)

    def run(self, view: Table, bits: Bits) -> Outcome:
        """Draw the blocks, ask the function of each, aggregate; neither blocks nor answers leave."""
        return self.plan.run(self.answers(view, self.drawn(view, bits)), bits)

    def drawn(self, view: Table, bits: Bits) -> NDArray[np.int64]:
        """The block of each row, all rows of a unit in one; −1 for rows of nobody."""
        if self.unit.column is None:
            return UniformInteger(self.parts).sample(bits, len(view)).astype(np.int64)
        units = identities(view.column(self.unit.column))
        present, codes = np.unique(units, return_inverse=True)
        blocks = UniformInteger(self.parts).sample(bits, len(present)).astype(np.int64)
        return np.where(units >= 0, blocks[codes], -1)

    def answers(self, view: Table, blocks: NDArray[np.int64]) -> Table:
        """One row for each block: what the function gave, held in the bounds."""
        order = np.argsort(blocks, kind="stable")
        edges = np.searchsorted(blocks[order], np.arange(self.parts + 1))
        results = np.empty((self.parts, len(self.results)))
        for block in range(self.parts):
            rows = order[edges[block] : edges[block + 1]]
            results[block] = self._answer({name: own_values(view.column(name), rows) for name in self.columns})
        return Table({result.name: results[:, i] for i, result in enumerate(self.results)})

    def _answer(self, columns: dict[str, NDArray[Any]]) -> list[float]:
        default = [float(result.default) for result in self.results]
        given = np.array(default)
        # even SystemExit and an interrupt: how the function fails may be the doing of a row
        with unheard(), suppress(BaseException):
            given = np.array(self.function(columns), np.float64)
        if given.shape != (len(self.results),) and (given.shape, len(self.results)) != ((), 1):
            return default
        held = zip(given.reshape(-1).tolist(), default, self.results, strict=True)
        return [_held(number, stand_in, result) for number, stand_in, result in held]


def own_values(column: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[Any]:
    """What these rows hold, in a form that is their own doing alone: floats if all are numbers, else objects.

    The type of a whole column is not: one NULL, one text or one long text elsewhere changes it, and with it what a
    function gives in every block. Dates are numpy's, in microseconds whatever the unit of the whole column, as objects
    too unless every one of these rows holds one.
    """
    if column.dtype.kind in "biuf":
        with np.errstate(all="ignore"):
            return column[rows].astype(np.float64)
    dated = column.dtype.kind == "M"
    values = instants(column[rows]) if dated else [instant(_number(value)) for value in row_values(column[rows])]
    if all(type(value) is float for value in values):
        return np.array(values, np.float64)
    if all(isinstance(value, np.datetime64) for value in values):
        return np.array(values, "datetime64[us]")
    own = np.empty(len(values), object)
    own[:] = values
    return own


def _number(value: Any) -> Any:
    """A number as a float, whatever type the column gave it; anything else as it is."""
    if not isinstance(value, int | float):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _held(number: float, default: float, result: Result) -> float:
    if not np.isfinite(number):
        return default
    return min(max(number, float(result.lower)), float(result.upper))


@contextmanager
def unheard() -> Iterator[None]:
    """Nothing that is printed, logged or warned of through Python comes out."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with (
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
            redirect_stdout(io.StringIO()),
            redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
