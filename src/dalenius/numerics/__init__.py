"""Proven numbers: exact fractions for what is counted, enclosures for what is computed."""

from dalenius.numerics.digits import digits_above, digits_below
from dalenius.numerics.enclosure import ball, decide, erfc, exact, floor_of, lower, precision, upper
from dalenius.numerics.fft import convolve
from dalenius.numerics.floats import (
    down,
    exp_lower,
    exp_upper,
    expm1_lower,
    expm1_upper,
    log1p_lower,
    log1p_upper,
    log_lower,
    log_ndtr_lower,
    log_ndtr_upper,
    log_upper,
    ndtr_lower,
    ndtr_upper,
    up,
)
from dalenius.numerics.rational import Number, float_above, float_below, nonnegative, positive, probability, rational
from dalenius.numerics.roots import Bracket, IntegerBracket, bracket_decreasing, bracket_increasing, bracket_integer
from dalenius.numerics.settled import ends, fraction_above, fraction_below, settled
from dalenius.numerics.sums import logsumexp_lower, logsumexp_upper, sum_lower, sum_upper

__all__ = [
    "Bracket",
    "IntegerBracket",
    "Number",
    "ball",
    "bracket_decreasing",
    "bracket_increasing",
    "bracket_integer",
    "convolve",
    "decide",
    "digits_above",
    "digits_below",
    "down",
    "ends",
    "erfc",
    "exact",
    "exp_lower",
    "exp_upper",
    "expm1_lower",
    "expm1_upper",
    "float_above",
    "float_below",
    "floor_of",
    "fraction_above",
    "fraction_below",
    "log1p_lower",
    "log1p_upper",
    "log_lower",
    "log_ndtr_lower",
    "log_ndtr_upper",
    "log_upper",
    "logsumexp_lower",
    "logsumexp_upper",
    "lower",
    "ndtr_lower",
    "ndtr_upper",
    "nonnegative",
    "positive",
    "precision",
    "probability",
    "rational",
    "settled",
    "sum_lower",
    "sum_upper",
    "up",
    "upper",
]
