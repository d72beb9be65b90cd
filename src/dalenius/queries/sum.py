"""The sum of a column, each row's part held between declared bounds."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.queries.bounds import Bounds, Ends, Missing
from dalenius.queries.count import grouping_facts, grouping_words, reads_of
from dalenius.queries.keys import Keys
from dalenius.queries.query import VALUE
from dalenius.queries.reach import UnitReach, scalar
from dalenius.queries.scan import Doubles, Scan
from dalenius.queries.view import EXACT, Table
from dalenius.queries.weights import WEIGHTS, Contributions, shift

_BITS = 32  # of one row's part: 2³¹ rows fit in int64, 2²⁰ in a double


@dataclass(frozen=True, slots=True, init=False)
class Sum:
    """SUM(column): each row is held in [lower, upper], then cut toward zero to a multiple of the lattice's step.

    Bounds written as whole numbers declare a column of whole numbers, whose parts are whole. Any other bounds, or
    `lattice=fine_lattice(bounds)`, keep 32 bits of each row. What is no number (NULL, NaN, text) follows the rule
    `missing`; infinities are held like every number.
    """

    column: str
    bounds: Bounds
    keys: Keys | None
    contributions: Contributions | None
    parts: Lattice
    """Where the part of one row lives; the answer's lattice is finer where rows have weights."""

    def __init__(
        self,
        column: str,
        bounds: Ends | None,
        keys: Keys | None = None,
        contributions: Contributions | None = None,
        missing: Missing = "drop",
        lattice: Lattice | None = None,
    ) -> None:
        held = Bounds(column, bounds, missing)
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "bounds", held)
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "contributions", contributions)
        grid = lattice if lattice is not None else _lattice(held, bounds, contributions is not None)
        object.__setattr__(self, "parts", grid)
        if self._most > (EXACT if contributions is None else 1 << _BITS):
            raise InvalidParameter(f"a lattice of step {grid.step} is too fine for {held}: leave it out")

    @property
    def lower(self) -> Fraction:
        """The least that a row adds."""
        return self.bounds.lower

    @property
    def upper(self) -> Fraction:
        """The most that a row adds."""
        return self.bounds.upper

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns it reads."""
        return reads_of(self.keys, self.contributions, self.column)

    @property
    def columns(self) -> tuple[str, ...]:
        """One number for each cell."""
        return VALUE

    @property
    def lattice(self) -> Lattice:
        """That of a row's part, or of its product with a weight, cut to 34 bits."""
        if self.contributions is None:
            return self.parts
        return Lattice(self.parts.exponent + WEIGHTS.exponent + shift(self._most))

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """The sum of the held rows, exact, then held inside int64 (which brings no two answers further apart)."""
        fill = None if self.bounds.fill is None else float(self.bounds.fill)
        low, high = float(self._low), float(self._high)
        return Scan(
            (self.column,),
            (fill,),
            lambda numbers: _cut(numbers[0], 2.0**-self.parts.exponent, low, high),
            ((0, 1),),
            self._most,
            self.keys,
            self.contributions,
        ).totals(view)

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """ADD_REMOVE: max(|lower|, |upper|); CHANGE_ONE: upper − lower, as the notes print for both  [A Rem 3.9].

        Where a row may be dropped, 0 is one more part that it can have.
        """
        return self._reach(metric).sensitivity(unit, self.contributions)

    def facts(self) -> dict[str, Any]:
        """Column, bounds, lattice, keys, and what bounds a unit."""
        facts = {"query": "sum", "column": self.column, "parts": self.parts.exponent} | self.bounds.facts()
        return facts | grouping_facts(self.keys, self.contributions)

    @escaped
    def __str__(self) -> str:
        words = f"SUM({self.column}) with each row held in {self.bounds}"
        return words + grouping_words(self.keys, self.contributions)

    @property
    def _low(self) -> int:
        return int(self.bounds.lower / self.parts.step)  # int cuts toward zero, as rows are cut

    @property
    def _high(self) -> int:
        return int(self.bounds.upper / self.parts.step)

    @property
    def _most(self) -> int:
        return max(abs(self._low), abs(self._high))

    def _reach(self, metric: Metric) -> UnitReach:
        dropped = self.keys is not None or self.bounds.fill is None
        cells = 1 if self.keys is None else len(self.keys)
        return scalar(self._low, self._high, metric, cells=cells, dropped=dropped)


def fine_lattice(bounds: Ends) -> Lattice:
    """The finest lattice on which a row in these bounds has at most 32 bits."""
    low, high = Bounds("column", bounds).lower, Bounds("column", bounds).upper
    most = max(abs(low), abs(high))
    if most == 0:
        return INTEGERS
    exponent = most.numerator.bit_length() - most.denominator.bit_length() - _BITS
    return Lattice(exponent if most / Fraction(2) ** exponent < 2**_BITS else exponent + 1)


def _lattice(held: Bounds, given: Any, weighted: bool) -> Lattice:
    whole = all(isinstance(end, int | np.integer) for end in given)
    if whole and max(abs(held.lower), abs(held.upper)) <= (1 << _BITS if weighted else EXACT):
        return INTEGERS
    return fine_lattice((held.lower, held.upper))


def _cut(numbers: Doubles, per_step: float, low: float, high: float) -> tuple[Doubles]:
    """Each number in steps, held between whole numbers of them, toward zero."""
    steps = numbers * per_step  # a power of two: exact, or beyond both bounds, or far below a step
    np.clip(steps, low, high, out=steps)
    return (np.trunc(steps, out=steps),)
