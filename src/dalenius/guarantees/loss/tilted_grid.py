"""Both bounds of a composition on a grid."""

import math
from dataclasses import dataclass
from fractions import Fraction

from dalenius.guarantees.loss.binning import bins
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.grid import Folded, folded
from dalenius.guarantees.loss.pair import Pair
from dalenius.guarantees.loss.pairs import gaussian
from dalenius.guarantees.loss.rounding import UNIT
from dalenius.guarantees.loss.saddle import Saddle


@dataclass(frozen=True, slots=True, eq=False)
class TiltedGrid:
    """The two folded laws of one composition at one tilt and step."""

    above: Folded
    below: Folded

    def delta(self, epsilon: float) -> tuple[float, float]:
        """Proven bounds on δ_f(ε): the upper law moved up by what positions may be off, the lower one down."""
        high = self.above.sums(epsilon - self.above.position_error - 4 * UNIT * abs(epsilon))[1]
        low = self.below.sums(epsilon + self.below.position_error + 4 * UNIT * abs(epsilon))[0]
        return low, high


def tilted_grid(
    composition: LossComposition, saddle: Saddle, step: float, tolerance: float, thin: float = 1.0
) -> TiltedGrid:
    """Discretise every pair, fold both laws."""
    s = saddle.s
    parts = list(composition.others)
    if composition.gaussian:
        parts.append((gaussian(composition.gaussian_square), 1))
    all_bins = [(bins(pair, s, step, thin), count) for pair, count in parts]
    missing = math.fsum(each.missing * count for each, count in all_bins)
    above, below = (
        folded([(getattr(each, side)(), count) for each, count in all_bins], s, step, missing, tolerance)
        for side in ("above", "below")
    )
    return TiltedGrid(above, below)


def grid_step(composition: LossComposition, wanted: float) -> tuple[float, bool]:
    """A step of at most `wanted` that suits every pair's atoms, unless far smaller; and whether it is exact."""
    spacing = common_spacing([pair for pair, _ in composition.others])
    if spacing is None:
        return wanted, False
    exact = not composition.gaussian and not any(pair.pieces for pair, _ in composition.others)
    if exact and (math.isinf(wanted) or float(spacing) > wanted / 64):
        return float(spacing), True
    if float(spacing) > wanted / 8:
        return float(spacing) / max(1, math.ceil(float(spacing) / wanted)), False
    return wanted, False


def common_spacing(pairs: list[Pair]) -> Fraction | None:
    """The largest number that divides all differences of atoms' losses within each pair."""
    common: Fraction | None = None
    for pair in pairs:
        if len(pair.atoms) < 2:
            continue
        if pair.spacing is None:
            return None
        if common is None:
            common = pair.spacing
        else:
            denominator = math.lcm(common.denominator, pair.spacing.denominator)
            common = Fraction(math.gcd(int(common * denominator), int(pair.spacing * denominator)), denominator)
    return common
