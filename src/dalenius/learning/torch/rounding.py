"""How far the clipped sum may lie from a sum of clipped gradients: float errors, bounded before data is read.

u is half a unit of the floats in the last place, γ_n = nu / (1 − nu). A sum or a product of vectors of n terms, in
whatever order and with fused products or not, errs by at most γ_n Σ|terms|, and by at most 2⁻¹²⁶ a term where results
underflow, even if they are flushed to zero  [Hig02, §4.2]. So:

**Length.** The squared length of a written gradient is added in groups of 1024, the groups in float64: what is found is
within a relative γ_1030 of the true one, and √d·2⁻⁶³. For factors it is found in float64 throughout. A weight is
w = min(1, (1 − 2⁻¹³)·C / found), rounded to a float, of rows with found ≤ 2⁶⁰; so w·|g| ≤ C exactly, for
(1 − 2⁻¹³)(1 + γ_1030)(1 + 2u) + √d·2⁻⁶³/C ≤ 1 where C ≥ 2⁻²⁰ and d ≤ 2⁴⁰.

**Sum.** Of one chunk, at most 64 slots, the weighted sum errs in each coordinate by γ_66 Σ w|g|, so in ℓ2 by
γ_66 Σ w|g| ≤ 64 γ_66 C; by √d·64·2⁻⁸⁶ where a product underflows (a factor is at most 2⁴⁰ long); and by √d/2 steps
when it is rounded to whole steps. Chunks are added as whole numbers, exactly. That is `chunk_error`.

**Neighbors.** The rows of a sample are put into slots in a uniformly random order, and what a slot holds is a function
of its example and the weights alone, whichever slot it is (see `probe`). *A row added at slot p*: let the last row take
slot p where it is absent. That too is a uniformly random order, and all chunks but that of p and the last are the
same. So the exact sums differ by that row's part, of length at most C, and the float errors of two chunks on each side:
C + 2e with e = 2 chunk errors. (What dropout draws is independent from slot to slot, so it may move with the row.)
*A row replaced*: the new row takes the old one's slot: 2C + 2e with e = 1 chunk error.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Metric, Relation, Sensitivity

CHUNK = 64
"""Slots whose gradients are added in floats."""
HELD = 1 - Fraction(1, 2**13)
"""The part of the clip that a found length is held to, so that the true length is within the clip."""
LONGEST = 2.0**60
"""A gradient that is found longer counts as zero: its weight would underflow."""
FARTHEST = 2.0**40
"""A row whose input to a dense layer is longer counts as zero."""
_LEAST_CLIP, _LARGEST_CLIP = Fraction(1, 2**20), Fraction(2**20)
_LARGEST_SIZE = 2**40
_TERMS = CHUNK + 2


@dataclass(frozen=True, slots=True)
class Rounding:
    """The float errors of a clipped sum: `size` numbers, floats of half-unit `unit`, steps of 2^−digits."""

    clip: Fraction
    size: int
    unit: Fraction
    digits: int

    def __post_init__(self) -> None:
        if not _LEAST_CLIP <= self.clip <= _LARGEST_CLIP:
            raise InvalidParameter(f"clip must lie between 2^-20 and 2^20, got {self.clip}: rescale the loss")
        if not 1 <= self.size <= _LARGEST_SIZE:
            raise InvalidParameter(f"a module must have between 1 and 2^40 trained numbers, got {self.size}")

    @property
    def step(self) -> Fraction:
        """What one whole number stands for."""
        return Fraction(1, 2) ** self.digits

    @property
    def chunk_error(self) -> Fraction:
        """How far the sum of one chunk may lie from the sum of its clipped gradients, in ℓ2."""
        gamma = _TERMS * self.unit / (1 - _TERMS * self.unit)
        root = math.isqrt(self.size) + 1
        return CHUNK * gamma * self.clip + root * (CHUNK * Fraction(1, 2**86) + self.step / 2)

    def error(self, relation: Relation) -> Fraction:
        """The float error e of what neighbors need not share: two chunks where a row comes, one where it changes."""
        return self.chunk_error * (2 if relation is Relation.ADD_REMOVE else 1)

    def sensitivity(self, relation: Relation) -> Sensitivity:
        """C + 2e, or 2C + 2e where a row is replaced, in steps  [A Alg 7, A Rem 3.9]."""
        moves = 1 if relation is Relation.ADD_REMOVE else 2
        return Sensitivity((moves * self.clip + 2 * self.error(relation)) / self.step, Metric.L2)
