"""What one row adds to the parts of an aggregated expression.

A bounded number x in [l, u] becomes a whole number a = ⌊(x − l)·2^k + ½⌋ held in [0, R], and the row adds the Bernstein
polynomials of a / R to as many parts: (R − a, a), or ((R − a)², 2a(R − a), a²) with fewer digits. They are never
negative and sum to R, whatever x is: so one row moves all parts together by R in ℓ1, and COUNT, SUM, AVG and VARIANCE
of x follow from them at the price of one. A row without a number adds R to a part of its own if rows are counted too.
Of two numbers the products of both polynomials are such parts too (`pair_terms`).
"""

from dataclasses import dataclass

from sqlglot import exp

from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.sql.rows import Typed

WEIGHT_BITS = 20


@dataclass(frozen=True, slots=True)
class RowTerms:
    """Whole-number terms of a row, and the parts that they make.

    `whole` reads the row's value "v" and gives a whole number "a", or NULL; `terms` read "a". `parts` are linear in the
    sums of terms and in "n", the number of rows, so a unit's rows may be summed before they are weighted. In each row
    the parts are at most `most` in ℓ1, and a single one lies in [low, high]. `plain` shares are counts, which weights
    make finer; `people` are counted once in a cell.
    """

    question: str
    value: Typed | None
    whole: exp.Expr | None
    terms: tuple[tuple[str, exp.Expr], ...]
    parts: tuple[tuple[str, exp.Expr], ...]
    most: int
    low: int
    high: int
    lattice: Lattice = INTEGERS
    plain: bool = False
    people: bool = False
    person: int | None = None
    """The most that one unit's rows add in the noise's norm, where its sum is held to that in place of its rows."""
    finds: str = ""
    """The column of which that is to be found from a released histogram."""
    other: Typed | None = None
    """The second value of a pair, or the weight, which `whole` reads as "u"."""
    surveyed: bool = False
    """Whether rows count by a survey weight."""

    @property
    def values(self) -> dict[str, Typed]:
        """What `whole` reads, by name."""
        return {name: value for name, value in (("v", self.value), ("u", self.other)) if value is not None}

    @property
    def names(self) -> tuple[str, ...]:
        """The parts' names."""
        return tuple(name for name, _ in self.parts)
