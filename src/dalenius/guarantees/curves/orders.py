"""Orders of Rényi divergence."""

import math
from fractions import Fraction

from dalenius.errors import InvalidParameter
from dalenius.numerics import Number, rational


def order_of(value: Number) -> Fraction | None:
    """The order ≥ 1 that a number means; None is infinity."""
    if isinstance(value, float) and value == math.inf:
        return None
    order = rational(value, "order")
    if order < 1:
        raise InvalidParameter(f"order must be ≥ 1, got {value}")
    return order
