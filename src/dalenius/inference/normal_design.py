"""How a normal mean is asked for: shares of ε, and how far from the largest bin the values surely lie."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dalenius.errors import InvalidParameter
from dalenius.inference.noise import ReleaseNoise
from dalenius.inference.normal_range import beyond_any, misplaced, too_narrow
from dalenius.mechanisms import Geometric

_SHARES = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(2, 5))
_REACHES = (1.5, 2.0, 2.5, 3.0)
_FACTORS = (1.5, 2.0, 3.0, 4.0, 8.0)
_STEP = Fraction(1, 10)
"""What each step before the last may fail of all that may fail."""
MOST_BINS = 1 << 20


@dataclass(frozen=True, slots=True)
class Design:
    """What is public of the steps: their shares of ε, what is made of the bins they name, and what may fail by then."""

    scale_share: Fraction
    place_share: Fraction
    factor: float
    """σ is at most this times the upper edge of the bin of differences."""
    reach: float
    """The bin's centre is at most so many bins from μ."""
    spread: float
    """No value is farther than so many σ from μ."""
    failed: float
    """The chance that one of these statements is false, at most."""

    @property
    def rest(self) -> Fraction:
        """The share of ε for the sums."""
        return 1 - self.scale_share - self.place_share


@lru_cache(maxsize=64)
def designed(rows: int, bins: int, scales: int, epsilon: Fraction, alpha: float) -> Design:
    """The design with the least noise in the sums, which is in proportion to (reach + spread)·factor/(share of ε).

    A histogram under change-one neighbors moves by 2 in ℓ1: geometric noise of scale 2/ε. Steps that are not needed,
    for one bin or for one σ, cost nothing. Refused where too few people leave no design whose steps fail rarely.
    """
    if bins > MOST_BINS:
        raise InvalidParameter(f"mean_within has more than {MOST_BINS} bins of one deviation: declare a narrower one")
    spread = beyond_any(rows, alpha * float(_STEP))
    places = _options(bins, _REACHES, lambda noise, reach: misplaced(rows, bins, noise, reach), epsilon, alpha, 0.5)
    widths = _options(
        scales, _FACTORS, lambda noise, factor: too_narrow(rows // 2, scales, noise, factor), epsilon, alpha, 1.0
    )
    best: tuple[float, Design] | None = None
    for place_share, reach, misled in places:
        for scale_share, factor, narrow in widths:
            failed = misled + narrow + alpha * float(_STEP)
            design = Design(scale_share, place_share, factor, reach, spread, failed)
            if design.rest > 0:
                noise = (reach + spread) * factor / float(design.rest)
                best = min(best or (math.inf, design), (noise, design), key=lambda pair: pair[0])
    if best is None:
        raise InvalidParameter(
            f"{rows} people are too few for this method at ε = {float(epsilon):g}: noise may name a wrong bin; raise "
            "epsilon, declare mean_within more narrowly, or use inference.mean with bounds"
        )
    return best[1]


def _options(
    bins: int,
    settings: tuple[float, ...],
    chance: Callable[[ReleaseNoise, float], float],
    epsilon: Fraction,
    alpha: float,
    alone: float,
) -> list[tuple[Fraction, float, float]]:
    """Each share of ε and setting of a step that fails rarely enough; one bin needs no step."""
    if bins == 1:
        return [(Fraction(0), alone, 0.0)]
    designs = []
    for share in _SHARES:
        noise = ReleaseNoise.of(Geometric(2 / (epsilon * share)))
        for setting in settings:
            fails = chance(noise, setting)
            if fails <= alpha * float(_STEP):
                designs.append((share, setting, fails))
                break
    return designs
