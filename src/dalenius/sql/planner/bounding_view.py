"""The bounding view: final rows as they are counted, with their cell, their weight and their values in whole numbers.

All that is measured of a query is a sum over this view or a choice from it, and the view alone says how a unit is
bounded. So answers of different questions over equal views are about the same bounded rows, and may be combined.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from sqlglot import exp

from dalenius.sql.engine import language
from dalenius.sql.planner.output import KeyColumn
from dalenius.sql.planner.row_terms import RowTerms
from dalenius.sql.planner.unknown_keys import UnknownKeys
from dalenius.sql.rows import Typed
from dalenius.sql.types.engine_names import CELL, UNIT


class Weighting(Enum):
    """How a row is weighted, T the contribution bound and n the numbers of final rows of its unit."""

    WHOLE = "each row counts in full"
    ROWS = "least(2²⁰, T·2²⁰ // n), n over all cells"
    NORM = "least(2²⁰, ⌊T·2²⁰ / ‖n‖₂⌋), n in each of the cells"


@dataclass(frozen=True, slots=True, eq=False)
class BoundingView:
    """Final rows, the weight of each, and its values in whole numbers: one for each of `terms` that has a value.

    `bound` selects the cell, the unit and the keys of a row, `rows` its values besides. Two views are equal if they are
    written alike: then they hold the same bounded rows, whatever their questions are called and in whatever order they
    name their values. Views that are written otherwise may hold the same rows too, and are not equal.
    """

    bound: exp.Select
    rows: exp.Select
    keys: tuple[KeyColumn, ...]
    unknown: UnknownKeys | None
    weighting: Weighting
    contributions: int
    terms: tuple[RowTerms, ...]

    @property
    def tree(self) -> exp.Select:
        """The SELECT of the cell, the unit, keys to be found and whole numbers "a0", "a1", … from the final rows."""
        wholes = [
            exp.alias_(numbered(terms.whole, place), f"a{place}", quoted=True, copy=False)
            for place, terms in enumerate(self.terms)
            if terms.whole is not None
        ]
        if not wholes:
            return self.rows
        final = exp.alias_(self.rows.subquery(), "final", table=True, quoted=True, copy=False)
        return exp.select(*self.columns, *wholes, copy=False).from_(final, copy=False)

    @property
    def columns(self) -> list[exp.Expr]:
        """Those of the view that are not values."""
        keys = () if self.unknown is None else (key.column for key in self.unknown.keys)
        known = {CELL, UNIT, *keys}
        return [exp.column(name, quoted=True) for name in self.rows.named_selects if name in known]

    @property
    def _identity(self) -> tuple[object, ...]:
        values = {(whole_text(one.whole, one.values), one.person) for one in self.terms if one.whole is not None}
        keys = tuple((key.values, key.attribute) for key in self.keys)
        return language.written(self.bound), keys, self.unknown, self.weighting, self.contributions, frozenset(values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundingView) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)


def whole_text(whole: exp.Expr, values: Mapping[str, Typed]) -> str:
    """A fixed-point expression with the values in their places, "v" or both of a pair."""
    tree = whole.copy()
    for node in list(tree.find_all(exp.Column)):
        if node.name in values and not node.table:
            node.replace(exp.paren(values[node.name].tree.copy(), copy=False))
    return language.written(tree)


def numbered(tree: exp.Expr, place: int) -> exp.Expr:
    """The names of one aggregated value, told apart from those of others."""
    if isinstance(tree, exp.Column):
        return tree.copy() if tree.name in ("n", "w", "g") else exp.column(f"{tree.name}{place}", quoted=True)
    copy = tree.copy()
    for column in list(copy.find_all(exp.Column)):
        if column.name != "n":
            column.replace(exp.column(f"{column.name}{place}", quoted=True))
    return copy
