"""A private mean of the rows, for models that hold rows about it."""

import math
from fractions import Fraction

import numpy as np

from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import AnyRows, weighted_steps
from dalenius.learning.plans.whole_noise import moves, whole_gaussian
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits

CENTRE_SHARE = Fraction(1, 20)
"""The part of what a fit has that a private mean of the rows takes, where the signal is worth it."""


def noisy_mean(view: AnyRows, box: Box, relation: Relation, square: Fraction, bits: Bits) -> tuple[float, ...]:
    """The mean of the rows in the box [−1, 1], each shrunk to the narrow radius, at a cost of μ² = `square`.

    The sum of the constants beside them is released with them, so that no number of rows is needed: a unit's part has
    length at most 1 in all  [A Thm 13.1, A Rem 3.9].
    """
    digits = min(18, 38 - max(0, math.ceil(math.log2(moves(relation) / math.sqrt(float(square))))))
    whole = UnitRows(box, max(4, digits))
    unit = UnitRows(box, whole.digits, held=whole.narrow)
    total = np.zeros(unit.width, np.int64)
    for steps in weighted_steps(view, unit):
        total += steps.sum(axis=0).astype(np.int64)
    mechanism = whole_gaussian(Sensitivity(moves(relation) * 2**unit.digits, Metric.L2), square)
    noisy = np.asarray(mechanism.release(total, bits), np.float64)
    return tuple(np.clip(noisy[:-1] / max(1.0, float(noisy[-1])), -1.0, 1.0).tolist())
