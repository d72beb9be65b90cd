"""What an entry of the catalog of aggregates says."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from sqlglot import exp

from dalenius.curator.formula import Formula
from dalenius.sql.moments import MeasuredMoments, PairMoments


class MeasuredBy(Enum):
    """What is measured for an aggregate."""

    SUMS = "sums over rows, weighted by unit"
    DISTINCT = "values, of each unit its first"
    RANKS = "weights at the places of a public grid"
    MODE = "weights of public values"


class Argument(Enum):
    """What an aggregate takes."""

    ANY = "an expression of any kind, or *"
    CONDITION = "a condition"
    NUMBER = "a number with bounds"
    PAIR = "two numbers with bounds"
    VALUES = "an expression with public values"


class Exactly(Enum):
    """How a subquery computes an aggregate of one unit's rows, exactly and in whatever order they come."""

    COUNTED = "the number of rows or values"
    SUMMED = "a sum of fixed-point numbers"
    AVERAGED = "that sum over the number of rows"
    ENDS = "the least or largest value"
    MIDDLE = "the value at a level, of values in order"
    OFTENEST = "the most frequent value, the least of those that are equally frequent"
    LOGICAL = "whether some or all are true"


class ByWeight(Enum):
    """What becomes of an aggregate where the owner declared a survey weight."""

    POPULATION = "each row counts by its weight"
    ROWS = "of the rows as they are: weights change nothing"
    REFUSED = "refused: it has no rule with weights"


@dataclass(frozen=True, slots=True)
class Bounding:
    """How an aggregate is bounded, how far one unit moves it, and what releases it: a row of the page on SQL.

    T is the number of rows of a unit that count, n that of its final rows, R the width of the bounds, C the cells.
    """

    how: str
    change: str
    released: str


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate: its name in SQL and the nodes it is read as, what it takes, what is measured, how that moves.

    An aggregate that the parser does not know has no node, and is read by its name. What is measured by sums has the
    `degree` of the sums that it needs and a `formula` over them; of two numbers, `degrees` and a formula `of_pair`.
    `level` is that of a quantile that has one of its own.
    `alike` is the same question in other words, for an aggregate that has no formula of its own. `forms` are the ways
    of writing it, for the page; `exactly` is how a subquery computes it, if it does. `by_weight` says what becomes of
    it under a survey weight.
    """

    name: str
    nodes: tuple[type[exp.Expr], ...]
    takes: Argument
    measured: MeasuredBy
    bounding: Bounding
    says: str
    example: str
    forms: tuple[str, ...]
    degree: int = 0
    formula: Callable[[MeasuredMoments], Formula] | None = None
    degrees: tuple[int, int] = (0, 0)
    of_pair: Callable[[PairMoments], Formula] | None = None
    level: Fraction | None = None
    alike: str = ""
    exactly: Exactly | None = None
    by_weight: ByWeight = ByWeight.REFUSED

    @property
    def want(self) -> str:
        """The name of its formula."""
        return self.name.lower()
