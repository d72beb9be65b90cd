"""A statistic that is made of noisy sums."""

from collections.abc import Mapping
from fractions import Fraction

from dalenius.curator import Derived, Measure, Shown, ShownKey
from dalenius.curator.formula import Formula
from dalenius.errors import InvalidParameter
from dalenius.numerics import digits_above
from dalenius.queries import Table
from dalenius.statistics.public_rows import PublicRowCount

_LARGEST = Fraction(2) ** 900


def made(
    parts: Measure[Table],
    formulas: Mapping[str, Formula],
    question: str,
    slope: Fraction,
    cells: int,
    rows: int | None = None,
) -> Derived[Table]:
    """The formulas of the parts, by name, with the keys of the parts before them.

    The question tells the expected error: if `cells` parts err by at most r together, the answer errs by at most
    slope·r / n with n rows, but for terms in 1/n². With a public number of rows n is known, and checked.
    """
    keys = () if parts.keys is None else parts.keys.columns
    layout = [ShownKey(column, place) for place, column in enumerate(keys)]
    if slope > _LARGEST:
        raise InvalidParameter("these bounds are too wide for squares of what lies in them: rescale the data")
    error = Fraction(parts.mechanism.accuracy(Fraction(1, 20), cells)) * parts.query.lattice.step * slope
    radius = f"{digits_above(error, 3)} / n with n rows" if rows is None else digits_above(error / rows, 3)
    words = f"{question}, within ± {radius}, 95 % of the time"
    plan = parts if rows is None else PublicRowCount(parts, rows)
    return Derived(plan, [*layout, *(Shown(name, formula) for name, formula in formulas.items())], question=words)
