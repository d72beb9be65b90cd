"""Certified approximation of the composition of unequal responses  [A Thm 10.2; MV16].

Losses are put on a lattice, in two ways that are each on a known side:

* above: an atom between two lattice points is split over them so that its masses under P and under Q are kept. The
  atom is then a processing of the two, so the split pair dominates  [A Thm 13.2]; only P's masses need be stored.
* below: all outcomes with the same rounded index are merged, a processing of the true pair; both masses are stored.

Where every ε is a multiple of a common step the two agree and the answer is exact. All terms are ≥ 0, so every
rounding is relative; they are counted, and the masses widened by their number at the end.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dalenius.guarantees.curves.binomial import Shifts, binomial_masses
from dalenius.numerics import ball, ends, float_above, precision

_UNIT = 2.0**-53
_FLOOR = 1e-300  # covers every subnormal loss: at most 1e15 operations of 2⁻¹⁰⁷⁴ each
_WORK = 3e8
_FEW = 24  # counts up to here are shifted in one by one, larger ones as a binomial law


@dataclass(frozen=True, slots=True)
class LossLattice:
    """Masses of the privacy loss at `step` times −half..half, from above (P only) and from below (P and Q)."""

    step: Fraction
    above: NDArray[np.float64]
    below_p: NDArray[np.float64]
    below_q: NDArray[np.float64]
    infinite: float
    roundings: int

    @classmethod
    def fitting(cls, responses: tuple[tuple[Fraction, int], ...]) -> Self:
        """The empty composition, on a lattice that suits the responses: their common divisor if it is not too fine."""
        range_ = _window(responses)
        shifts = sum(min(times, _FEW) for _, times in responses)
        many = sum(times > _FEW for _, times in responses)
        points = int(min(2**17, max(2**12, _WORK / (8 * shifts)), math.sqrt(_WORK / max(2 * many, 1 / 32))))
        common = _common_divisor([each for each, _ in responses])
        step = max(common, Fraction(range_) * 2 / points)
        half = math.ceil(Fraction(range_) / step) + shifts  # every part may be rounded up by one step
        start = np.zeros(2 * half + 1)
        start[half] = 1.0
        return cls(step, start, start, start, 0.0, 0)

    def with_responses(
        self, each: Fraction, times: int, p: tuple[float, float], q: tuple[float, float]
    ) -> "LossLattice":
        """Composed with `times` responses of ε = each, whose answers have probabilities in p and q."""
        if times <= _FEW:
            lattice = self
            for _ in range(times):
                lattice = lattice._convolved(*_one_response(each, self.step, p, q))
            return lattice
        return self._convolved(*binomial_masses(each, times, self.step))

    def profile(self, epsilon: Fraction) -> tuple[float, float]:
        """Bounds on δ(ε) = Σ P(l)·(1 − e^(ε − l))⁺ + P(∞)."""
        half = len(self.above) // 2
        loss = np.arange(-half, half + 1) * float_above(self.step)
        at, slack = float(epsilon), 8 * _UNIT * (float(epsilon) + half * float_above(self.step))
        gain = np.maximum(0.0, -np.expm1(np.minimum(0.0, at - loss))) + slack
        widen = 1 + 2 * (self.roundings + len(loss) + 8) * _UNIT
        positive = loss > at - slack
        high = float(np.sum((self.above * gain)[positive])) * widen + self.infinite * widen + _FLOOR
        return self._from_below(epsilon, widen), min(1.0, high)

    def _from_below(self, epsilon: Fraction, widen: float) -> float:
        with precision(96):
            growth = ends(ball(epsilon).exp())[1]
        if growth == math.inf:
            return 0.0
        with np.errstate(over="ignore", under="ignore"):
            gap = self.below_p / widen - (self.below_q * widen + _FLOOR) * growth
        return max(0.0, float(np.sum(np.maximum(gap, 0.0))) / widen - _FLOOR)

    def _convolved(self, above: "Shifts", below: "Shifts", infinite: float, roundings: int) -> "LossLattice":
        with np.errstate(under="ignore"):
            high, lost = _shifted(self.above, above.index, above.p, lift=True)
            low_p, _ = _shifted(self.below_p, below.index, below.p, lift=False)
            low_q, _ = _shifted(self.below_q, below.index, below.q, lift=False)
        return LossLattice(
            self.step,
            high,
            low_p,
            low_q,
            self.infinite + lost + infinite,
            self.roundings + roundings + 2 * len(above.index) + 64,
        )


def _one_response(
    each: Fraction, step: Fraction, p: tuple[float, float], q: tuple[float, float]
) -> tuple[Shifts, Shifts, float, int]:
    nearest = round(each / step)
    index, mass = [], []
    for likely, sign in ((p[1], 1), (q[1], -1)):
        for offset, share in split(sign * each, step):
            index.append(offset)
            mass.append(likely * share)
    above = Shifts(np.array(index, np.int64), np.array(mass), np.empty(0))
    below = Shifts(np.array([nearest, -nearest], np.int64), np.array([p[0], q[0]]), np.array([q[1], p[1]]))
    return above, below, 0.0, 6


def split(loss: Fraction, step: Fraction) -> list[tuple[int, float]]:
    """Indices around a loss, and the shares of P's mass there that keep Q's mass: w on the right, 1 − w on the left.

    With t = loss − left: e^−loss = (1−w)·e^−left + w·e^−right gives w = (1 − e^−t)/(1 − e^−step); shares rounded up.
    """
    left = math.floor(loss / step)
    t = loss - left * step
    if t == 0:
        return [(left, 1.0)]
    with precision(160):
        share = ends((-ball(t)).expm1() / (-ball(step)).expm1())[1]
        rest = ends(((-ball(step)).expm1() - (-ball(t)).expm1()) / (-ball(step)).expm1())[1]
    return [(left, min(1.0, rest)), (left + 1, min(1.0, share))]


def _shifted(
    masses: NDArray[np.float64], index: NDArray[np.int64], weight: NDArray[np.float64], lift: bool
) -> tuple[NDArray[np.float64], float]:
    """Σ weight·(masses moved by index). Beyond the window: to its ends, but mass above it is +∞ when `lift` is set."""
    n = len(masses)
    low, high = int(index.min()), int(index.max())
    if high - low + 1 <= 4 * len(index) and len(index) > 8:
        kernel = np.zeros(high - low + 1)
        np.add.at(kernel, index - low, weight)
        full = np.convolve(masses, kernel)
    else:
        full = np.zeros(n + high - low)
        for move, w in zip(index, weight, strict=True):
            full[move - low : move - low + n] += w * masses
    cut = np.zeros(n)
    source = slice(max(0, -low), min(len(full), n - low))
    cut[source.start + low : source.stop + low] = full[source]
    cut[0] += full[: source.start].sum()
    beyond = float(full[source.stop :].sum())
    if not lift:
        cut[-1] += beyond
        beyond = 0.0
    return cut, beyond


def _window(responses: tuple[tuple[Fraction, int], ...]) -> float:
    """Beyond it the loss has probability below 1e-320 by Hoeffding; never more than all losses together."""
    total = sum(float(each) * times for each, times in responses)
    mean = sum(float(each) * math.tanh(float(each) / 2) * times for each, times in responses)
    spread = sum(float(each) ** 2 * times for each, times in responses)
    return min(total, mean + math.sqrt(2 * 740 * spread)) * (1 + 1e-12)


def _common_divisor(numbers: list[Fraction]) -> Fraction:
    denominator = math.lcm(*(number.denominator for number in numbers))
    return Fraction(math.gcd(*(int(number * denominator) for number in numbers)), denominator)
