"""How many rows have each public key."""

from collections.abc import Iterable

from dalenius.curator import Measure
from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.queries import Count, Key, Keys, Table


def histogram(column: str, keys: Iterable[Key], *, epsilon: Number, unit: Unit | str = "row") -> Measure[Table]:
    """A count for each declared key, present or not, however many there are for one price  [A Ex 3.4].

    >>> print(histogram("sex", ["Female", "Male"], epsilon=1).guarantee)
    1-differential privacy for add-remove neighbors, by a bound on every privacy loss
    """
    return Measure.calibrated(Count(Keys(column, keys)), epsilon=epsilon, unit=Unit.of(unit), name="count")
