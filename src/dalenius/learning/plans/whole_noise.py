"""Noise on whole numbers at a given price."""

import math
from fractions import Fraction

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.mechanisms import Gaussian, KNorm
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Lattice

LEAST_SCALE, LARGEST_SCALE = 2**20, 2**40


def moves(relation: Relation) -> int:
    """How many rows' parts neighbors differ by."""
    return 1 if relation is Relation.ADD_REMOVE else 2


def whole_gaussian(sensitivity: Sensitivity, square: Fraction) -> Gaussian:
    """Gaussian noise on whole numbers whose μ² is at most `square`; never so little that a lattice is too coarse."""
    scale = math.isqrt(math.ceil(sensitivity.square / square)) + 1
    if scale > LARGEST_SCALE:
        raise UnprovenClaim("this budget is too small for exact noise: raise epsilon or delta")
    return Gaussian(Fraction(max(scale, LEAST_SCALE)), Lattice(0))


def whole_knorm(sensitivity: Sensitivity, epsilon: Fraction) -> KNorm:
    """Noise on whole numbers of density ∝ exp(−‖z‖/scale), in the sensitivity's norm, at a cost of ε  [HT10]."""
    scale = max(math.ceil(sensitivity.value / epsilon), 1 << 20)
    if scale > 1 << 40:
        raise InvalidParameter("this epsilon is too small for exact noise: raise it")
    return KNorm(sensitivity.metric, Fraction(scale), Lattice(0))
