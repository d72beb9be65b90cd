"""Proven numbers: exact fractions for what is counted, enclosures for what is computed."""

from dalenius.numerics.enclosure import ball, decide, exact, floor_of, lower, precision, upper
from dalenius.numerics.rational import Number, float_above, float_below, nonnegative, positive, probability, rational
from dalenius.numerics.settled import ends, fraction_above, fraction_below, settled

__all__ = [
    "Number",
    "ball",
    "decide",
    "ends",
    "exact",
    "float_above",
    "float_below",
    "floor_of",
    "fraction_above",
    "fraction_below",
    "lower",
    "nonnegative",
    "positive",
    "precision",
    "probability",
    "rational",
    "settled",
    "upper",
]
