"""Proven numbers: exact fractions for what is counted, enclosures for what is computed."""

from dalenius.numerics.enclosure import ball, decide, exact, floor_of, lower, precision, upper
from dalenius.numerics.rational import Number, float_above, float_below, nonnegative, positive, probability, rational

__all__ = [
    "Number",
    "ball",
    "decide",
    "exact",
    "float_above",
    "float_below",
    "floor_of",
    "lower",
    "nonnegative",
    "positive",
    "precision",
    "probability",
    "rational",
    "upper",
]
