"""Float64 functions of whole vectors, with ends that hold the true value.

No standard bounds the error of `exp`; each library has its own. So the error is an *assumption*, written once in
`ASSUMPTIONS` and used by `upper` and `lower`: on [low, high] the computed y is within k ulp of the truth, where an ulp
is the gap from |y| to the next float away from zero. Outside, and at the ends of the line, only monotonicity is used.
`verify` checks the table on the machine at hand; `docs/theory/assumptions.md` says where each bound enters.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flint import arb
from numpy.typing import ArrayLike, NDArray

from dalenius.errors import AssumptionFailed, InvalidParameter
from dalenius.numerics.enclosure import precision

Vector = NDArray[np.float64]

LARGEST = math.nextafter(math.inf, 0.0)
_TOP_BINADE = 2.0**1023
_GOLDEN = (math.sqrt(5) - 1) / 2


def up(values: ArrayLike, ulps: ArrayLike = 1) -> Vector:
    """Floats at least `ulps` ulp above `values`; −inf, which may be an overflow, becomes the lowest finite float.

    With s the ulp of |y| and a whole k < 2^52, |y + (k+1)s| < 2^54·s has an ulp of at most 2s, so rounding it costs at
    most s.
    """
    y = np.asarray(values, dtype=np.float64)
    steps = np.spacing(np.minimum(np.abs(y), _TOP_BINADE)) * (np.ceil(np.asarray(ulps, dtype=np.float64)) + 1)
    with np.errstate(over="ignore"):
        raised: Vector = np.maximum(y + steps, -LARGEST)
    return raised


def down(values: ArrayLike, ulps: ArrayLike = 1) -> Vector:
    """Floats at least `ulps` ulp below `values`; the mirror of `up`."""
    return -up(-np.asarray(values, dtype=np.float64), ulps)


@dataclass(frozen=True, slots=True)
class Assumption:
    """An increasing function whose float64 version is within k = ulp + growth·max(0, side·x)² ulp of it on [low, high].

    It rises from `bottom` at `start` to `top` at `end`. The growth is that of e^(−x²/2) computed from a rounded square.
    """

    name: str
    function: Callable[[Vector], Vector]
    truth: Callable[[arb], arb]
    low: float
    high: float
    ulp: float
    start: float = -math.inf
    end: float = math.inf
    bottom: float = -math.inf
    top: float = math.inf
    growth: float = 0.0
    side: int = 0

    def upper(self, x: ArrayLike) -> Vector:
        """Floats ≥ the function at each x.

        Below `low` the value at `low` serves, since the function increases; beyond `high` its supremum.
        """
        points, y, ulps = self._evaluate(x)
        ends = np.minimum(up(y, ulps), self.top)
        return np.where(points == self.start, self.bottom, np.where(points > self.high, self.top, ends))

    def lower(self, x: ArrayLike) -> Vector:
        """Floats ≤ the function at each x, by the same argument from the other side."""
        points, y, ulps = self._evaluate(x)
        ends = np.maximum(down(y, ulps), self.bottom)
        return np.where(points == self.end, self.top, np.where(points < self.low, self.bottom, ends))

    def ulps(self, x: Vector) -> Vector:
        """The error allowed at x, in ulp."""
        return self.ulp + self.growth * np.maximum(self.side * x, 0.0) ** 2

    def points(self, fractions: Vector) -> Vector:
        """Points of [low, high] from numbers in [0, 1): spread out, and log-uniformly close to 0, ±1 and both ends."""
        families = self._families()
        parts = [family(fractions[i :: len(families)]) for i, family in enumerate(families)]
        return np.clip(np.concatenate(parts), self.low, self.high)

    def _evaluate(self, x: ArrayLike) -> tuple[Vector, Vector, Vector]:
        points = np.asarray(x, dtype=np.float64)
        if not np.all(points >= self.start):
            raise InvalidParameter(f"{self.name} needs numbers ≥ {self.start}, got a smaller one or NaN")
        inside = np.clip(points, self.low, self.high)
        return points, self.function(inside), self.ulps(inside)

    def _families(self) -> list[Callable[[Vector], Vector]]:
        low, high = max(self.low, -60.0), min(self.high, 60.0)
        wide_low, wide_high = max(self.low, -1e300), min(self.high, 1e300)
        families: list[Callable[[Vector], Vector]] = [
            lambda t: low + t * (high - low),
            lambda t: wide_low + t * (wide_high - wide_low),
        ]
        for centre in sorted({0.0, 1.0, -1.0, self.low, self.high}):
            for sign, reach in ((1, wide_high - centre), (-1, centre - wide_low)):
                if reach > 0 and self.low <= centre <= self.high + (sign < 0):
                    families.append(_near(centre, sign, reach))
        return families


def _near(centre: float, sign: int, reach: float) -> Callable[[Vector], Vector]:
    floor = max(math.ulp(centre), 1e-307) if centre else 1e-30
    first, last = math.log10(floor), math.log10(max(min(reach, 1e300), floor))
    return lambda t: centre + sign * 10.0 ** (first + t * (last - first))


def _ndtr(x: Vector) -> Vector:
    from scipy import special

    return np.asarray(special.ndtr(x), dtype=np.float64)


def _log_ndtr(x: Vector) -> Vector:
    from scipy import special

    return np.asarray(special.log_ndtr(x), dtype=np.float64)


def _ndtr_truth(x: arb) -> arb:
    return (-x / arb(2).sqrt()).erfc() / 2


def _log_ndtr_truth(x: arb) -> arb:
    if x > 0:
        return (-_ndtr_truth(-x)).log1p()
    if x > -5e4:
        return _ndtr_truth(x).log()
    # Mills: Φ(x) lies between φ(x)/|x| · (1 − 1/x²) and φ(x)/|x|.
    half = 1 / (2 * x * x)
    return -x * x / 2 - (-x * (2 * arb.pi()).sqrt()).log() + arb(-half, half.upper()).log1p()


EXP = Assumption("exp", np.exp, arb.exp, low=-708.0, high=709.0, ulp=4, bottom=0.0)
EXPM1 = Assumption("expm1", np.expm1, arb.expm1, low=-708.0, high=709.0, ulp=4, bottom=-1.0)
LOG = Assumption("log", np.log, arb.log, low=2.0**-1022, high=LARGEST, ulp=4, start=0.0)
LOG1P = Assumption("log1p", np.log1p, arb.log1p, low=2.0**-53 - 1, high=LARGEST, ulp=4, start=-1.0)
NDTR = Assumption("ndtr", _ndtr, _ndtr_truth, low=-37.5, high=37.5, ulp=24, bottom=0.0, top=1.0, growth=6.0, side=-1)
LOG_NDTR = Assumption(
    "log_ndtr", _log_ndtr, _log_ndtr_truth, low=-1e150, high=37.5, ulp=24, top=0.0, growth=6.0, side=1
)
ASSUMPTIONS = (EXP, EXPM1, LOG, LOG1P, NDTR, LOG_NDTR)

exp_upper, exp_lower = EXP.upper, EXP.lower
expm1_upper, expm1_lower = EXPM1.upper, EXPM1.lower
log_upper, log_lower = LOG.upper, LOG.lower
log1p_upper, log1p_lower = LOG1P.upper, LOG1P.lower
ndtr_upper, ndtr_lower = NDTR.upper, NDTR.lower
log_ndtr_upper, log_ndtr_lower = LOG_NDTR.upper, LOG_NDTR.lower


@dataclass(frozen=True, slots=True)
class Deviation:
    """The point where a function comes nearest to its bound, or breaks it."""

    assumption: str
    share: float
    """Error over allowed error: the assumption holds where it is ≤ 1."""
    ulp: float
    """Largest error in ulp, at whatever point."""
    at: float


def deviation(assumption: Assumption, points: Vector) -> Deviation:
    """Largest error of the float function on `points`, against balls of 192 bits whose radius counts as error."""
    y = assumption.function(points)
    ulp = np.empty(len(points))
    with precision(192):
        for i, (x, value, gap) in enumerate(
            zip(points.tolist(), y.tolist(), np.spacing(np.abs(y)).tolist(), strict=True)
        ):
            ulp[i] = float((assumption.truth(arb(x)) - value).abs_upper() / gap)
    share = ulp / assumption.ulps(points)
    share[np.isnan(share)] = math.inf
    worst = int(np.argmax(share))
    return Deviation(assumption.name, float(share[worst]), float(np.max(ulp)), float(points[worst]))


def verify(points: int = 10_000) -> tuple[Deviation, ...]:
    """Check every assumption of this file on the machine at hand; `AssumptionFailed` names the first that is false."""
    _verify_arithmetic()
    fractions: Vector = np.arange(1, points + 1, dtype=np.float64) * _GOLDEN % 1.0
    deviations = tuple(deviation(assumption, assumption.points(fractions)) for assumption in ASSUMPTIONS)
    for each in deviations:
        if not each.share <= 1:
            raise AssumptionFailed(
                f"{each.assumption} is off by {each.share:.3g} times its assumed error at {each.at!r}: "
                "proven bounds do not hold on this machine; see docs/theory/assumptions.md"
            )
    return deviations


def _verify_arithmetic() -> None:
    """Rounding to nearest with gradual underflow, which a library built with -ffast-math can switch off."""
    one, u, tiny = np.ones(64), np.full(64, 2.0**-53), np.full(64, 2.0**-1022)
    if not (np.all(one + u == 1.0) and np.all(one + u * 1.5 > 1.0) and np.all(one - u < 1.0)):
        raise AssumptionFailed("float64 additions do not round to nearest on this machine")
    if not (np.all(tiny * 0.5 > 0.0) and np.all(tiny - tiny * 0.75 == tiny * 0.25)):
        raise AssumptionFailed(
            "subnormal float64 are flushed to zero in this process; look for a library built with -ffast-math"
        )
