"""The sum of a column."""

from dalenius.curator import Measure
from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.queries import Sum, Table


def sum(column: str, bounds: tuple[int, int] | None, *, epsilon: Number, unit: Unit | str = "row") -> Measure[Table]:
    """The sum of a column of whole numbers, each row held in `bounds`  [A Rem 3.9].

    >>> print(sum("age", (0, 100), epsilon=1).explain().sensitivity.value)
    100
    """
    return Measure.calibrated(Sum(column, bounds, missing="nearest"), epsilon=epsilon, unit=Unit.of(unit), name="sum")
