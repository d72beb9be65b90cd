"""Before asking: how many people, or which ε, an interval or a test needs, and what privacy costs of it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from scipy import special
from scipy.optimize import brentq

from dalenius.calls import named_arguments
from dalenius.curator import Derived, Measure, Shown
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.escape import escaped
from dalenius.inference.noise import ReleaseNoise
from dalenius.inference.result import checked_level, checked_rows
from dalenius.inference.summary import mean_form
from dalenius.inference.tulap import power_of_proportion
from dalenius.numerics import Number, positive, probability


@dataclass(frozen=True, slots=True)
class Requirement:
    """How many people and which ε are needed for a goal."""

    rows: float
    epsilon: float
    goal: str

    @escaped
    def __str__(self) -> str:
        return f"{self.goal}: n = {math.ceil(self.rows)}, ε = {self.epsilon:.4g}"


@dataclass(frozen=True, slots=True)
class CostOfPrivacy:
    """How much of the error of an estimated proportion or mean is due to privacy."""

    rows: int
    sampling_variance: float
    noise_variance: float
    break_even: float
    """The number of people from which on the noise is below the sampling error; ∞ if it never is."""

    @property
    def share(self) -> float:
        """The share of the variance that is due to the noise."""
        return self.noise_variance / (self.noise_variance + self.sampling_variance)

    @property
    def error_ratio(self) -> float:
        """How much wider the interval is than one without privacy."""
        return math.sqrt(1 + self.noise_variance / self.sampling_variance)

    @property
    def below_a_tenth(self) -> float:
        """The number of people from which on the noise is below a tenth of the sampling error; ∞ if it never is.

        Of a count, noise over sampling error falls as 1/√n: a hundred times `break_even`  [A Rem 1.3].
        """
        return 100 * self.break_even if self.break_even > 0 else self._of_responses

    @property
    def _of_responses(self) -> float:
        """Noise of responses is a fixed part of the sampling error, at every n."""
        return 0.0 if 100 * self.noise_variance <= self.sampling_variance else math.inf

    @escaped
    def __str__(self) -> str:
        return (
            f"privacy makes up {100 * self.share:.3g} % of the variance at n = {self.rows}, the interval is "
            f"{self.error_ratio:.3g} times as wide; from n = {math.ceil(self.break_even)} on sampling errs by more"
            if math.isfinite(self.break_even)
            else f"privacy makes up {100 * self.share:.3g} % of the variance at every n"
        )


@named_arguments
def plan(
    *,
    error: Number | None = None,
    power: Number | None = None,
    rows: int | None = None,
    epsilon: Number | None = None,
    share: Number = 0.5,
    p0: Number | None = None,
    level: Number = 0.95,
) -> Requirement:
    """The number of people, or the ε, that an interval or a test of a proportion needs.

    error: the half-width that the interval of the proportion shall have; or
    power: the chance with which the most powerful test of p0 shall reject it where the share is `share`.
    rows: the number of people, if the ε is asked for.
    epsilon: the ε of a count with geometric noise, if the number of people is asked for.
    share: the share that is expected; a half is the worst case of an interval.
    p0: the share under the hypothesis, for `power`.
    level: that of the interval; a test has size 1 − level.

    An interval needs pq/n + v/n² = (error/z)², v the variance of the noise: a quadratic in n, one root in ε. A test is
    enumerated  [AS18].

    >>> round(plan(error="0.03", epsilon=1, share="0.3").rows, 4)
    905.0246
    """
    wanted, p = float(checked_level(level)), float(probability(share, "share"))
    if (error is None) == (power is None):
        raise InvalidParameter("say what is wanted: error= for an interval, or power= for a test")
    if (rows is None) == (epsilon is None):
        raise InvalidParameter("give rows= to learn the ε, or epsilon= to learn the number of rows")
    n = None if rows is None else checked_rows(rows)
    budget = None if epsilon is None else float(positive(epsilon, "epsilon"))
    if error is not None:
        return _for_error(float(positive(error, "error")), wanted, p, n, budget)
    if p0 is None:
        raise InvalidParameter("power= needs p0=, the share under the hypothesis")
    assert power is not None
    return _for_power(float(checked_level(power, "power")), 1 - wanted, p, float(probability(p0, "p0")), n, budget)


@named_arguments
def cost_of_privacy(of: Any, rows: int, *, share: Number = 0.5, deviation: Number | None = None) -> CostOfPrivacy:
    """How much of the error of an estimated proportion or mean is due to privacy  [A Rem 1.3, A Ex 3.5].

    of: a plan of a count or of a mean, or the ε of a count with geometric noise.
    rows: the number of people.
    share: the share that is expected; of a mean, where it lies between its bounds.
    deviation: the standard deviation that is expected of the values of a mean; left out, the largest that the bounds
        allow, so that privacy's part of the error is told as small as it can be.

    The sampling variance is pq/n, that of the noise v/n²: noise falls under sampling from n = v/(pq) on. For a mean of
    values in bounds of width w they are pq·w², or the square of `deviation`, and the noise of Σ(x − m).
    """
    n, p = checked_rows(rows), float(probability(share, "share"))
    if not 0 < p < 1:
        raise InvalidParameter(f"share must lie strictly between 0 and 1, got {share}")
    spread = p * (1 - p)
    if isinstance(of, Derived):
        v, width = _noise_of_mean(of, p)
        spread *= width**2
    elif isinstance(of, Measure):
        v = ReleaseNoise.of(of.mechanism, of.query.lattice.step).variance
    else:
        v = geometric_variance(float(positive(of, "epsilon")))
    if deviation is not None:
        if not isinstance(of, Derived):
            raise InvalidParameter("deviation is for the plan of a mean: a share has its own")
        spread = float(positive(deviation, "deviation")) ** 2
    return CostOfPrivacy(n, spread / n, v / n**2, v / spread)


def _noise_of_mean(plan: Derived[Any], place: float) -> tuple[float, float]:
    """The variance of the noise in Σ(x − m), m at that place between the bounds, and the width of these."""
    measure: Any = plan.plan
    while not isinstance(measure, Measure) and hasattr(measure, "plan"):
        measure = measure.plan
    forms = [form for item in plan.layout if isinstance(item, Shown) and (form := mean_form(item.formula))]
    if len(forms) != 1 or not isinstance(measure, Measure):
        raise UnprovenClaim("the cost of privacy is told of a count or a mean: give such a plan, or the ε of a count")
    total, count, low, high = forms[0]
    mean = low + place * (high - low)
    weights = [float(w) for _, w in total.plus(count, -Fraction(mean)).terms]
    variance = ReleaseNoise.of(measure.mechanism, measure.query.lattice.step).variance
    return variance * sum(w * w for w in weights), high - low


@named_arguments
def local_cost_of_privacy(epsilon: Number, rows: int, *, share: Number = 0.5) -> CostOfPrivacy:
    """The same for a survey by randomized response, whose noise is e^ε/(e^ε − 1)²/n: it never vanishes  [A Ex 3.5].

    epsilon: the ε of each report.
    rows: the number of people.
    share: the share that is expected.
    """
    n, p, e = checked_rows(rows), float(probability(share, "share")), float(positive(epsilon, "epsilon"))
    if not 0 < p < 1:
        raise InvalidParameter(f"share must lie strictly between 0 and 1, got {share}")
    noise = 1 / (4 * math.sinh(e / 2) ** 2)
    return CostOfPrivacy(n, p * (1 - p) / n, noise / n, 0.0 if noise <= p * (1 - p) else math.inf)


def geometric_variance(epsilon: float) -> float:
    """2a/(1 − a)² with a = e^−ε, which is 1/(2 sinh²(ε/2))  [D Thm 2.7]."""
    return 1 / (2 * math.sinh(epsilon / 2) ** 2)


def _for_error(error: float, level: float, p: float, n: int | None, epsilon: float | None) -> Requirement:
    goal = f"a {100 * level:.4g} % interval of ± {error:g} for a share of {p:g}"
    pq, square = p * (1 - p), (error / float(special.ndtri((1 + level) / 2))) ** 2
    if epsilon is not None:
        v = geometric_variance(epsilon)
        return Requirement((pq + math.sqrt(pq**2 + 4 * v * square)) / (2 * square), epsilon, goal)
    assert n is not None
    left = n * n * square - n * pq  # what the variance of the noise may be
    if left <= 0:
        raise InvalidParameter(
            f"no ε is enough: without noise {n} people give a wider interval; {math.floor(pq / square) + 1} might do"
        )
    return Requirement(n, 2 * math.asinh(math.sqrt(1 / (2 * left))), goal)


def _for_power(power: float, size: float, p1: float, p0: float, n: int | None, epsilon: float | None) -> Requirement:
    goal = f"power {power:g} against a share of {p1:g} for the test of {p0:g} at {100 * size:.4g} %"
    if p1 == p0:
        raise InvalidParameter("share and p0 must differ: no test tells a hypothesis from itself")

    def reached(rows: int, budget: float) -> float:
        return power_of_proportion(rows, p0, p1, epsilon=budget, level=size)[0]

    if n is not None:
        if reached(n, 50.0) < power:
            raise InvalidParameter(f"no ε is enough: without any noise {n} people have less power")
        return Requirement(n, math.exp(brentq(lambda log: reached(n, math.exp(log)) - power, -12, math.log(50))), goal)
    assert epsilon is not None
    return Requirement(_least(lambda rows: reached(rows, epsilon) >= power), epsilon, goal)


def _least(holds: Callable[[int], bool]) -> int:
    """The least number of rows found by doubling and halving; power grows with n but for small steps."""
    high = 8
    while not holds(high):
        high *= 2
        if high > 2**27:
            raise InvalidParameter("more than a hundred million people would be needed")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
