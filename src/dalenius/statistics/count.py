"""How many rows there are."""

from dalenius.curator import Measure
from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.queries import Count, Table


def count(*, epsilon: Number, unit: Unit | str = "row") -> Measure[Table]:
    """The number of rows, with geometric noise of scale 1/ε  [A Ex 3.3].

    >>> print(count(epsilon=0.5).guarantee)
    0.5-differential privacy for add-remove neighbors, by a bound on every privacy loss
    """
    return Measure.calibrated(Count(), epsilon=epsilon, unit=Unit.of(unit), name="count")
