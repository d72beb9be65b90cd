"""What a guarantee means for one person: odds and chances of whoever wants to know whether they are in the data."""

import math
from dataclasses import dataclass
from fractions import Fraction

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.guarantees.guarantee import Guarantee
from dalenius.numerics import Number, ball, digits_above, lower, precision, probability, upper

FALSE_ALARMS = Fraction(1, 100)
"""The share of people who are not in the data that an attacker may take for members, where nothing else is said."""


@dataclass(frozen=True, slots=True)
class MembershipRisk:
    """Bounds on an attacker who knows all other rows and asks of one unit which of two neighbors was used.

    All figures are rounded up: no attacker does better, with any method and any knowledge besides.
    """

    prior: Fraction
    """The attacker's probability, before the release, that the unit is in the data."""
    odds_factor: float
    """What the odds of membership are multiplied by at most, whatever is released; ∞ without a bound on every loss."""
    posterior: float
    """The attacker's probability of membership after the release, at most; 1 where the odds have no bound."""
    chance: float
    """The probability to guess right, at most: that of the best test of one neighbor against the other."""
    false_alarms: Fraction
    """The share of people outside of the data that a test takes for members."""
    detection: float
    """The share of members that such a test finds, at most."""

    def __str__(self) -> str:
        odds = "no bound on the odds"
        if math.isfinite(self.odds_factor):
            odds = f"odds times {digits_above(self.odds_factor, 4)}, a probability of {_percent(self.posterior)}"
        return (
            f"from a prior of {_percent(float(self.prior))}: {odds} at most; a guess is right in "
            f"{_percent(self.chance)} of cases, and with {_percent(float(self.false_alarms))} false alarms "
            f"{_percent(self.detection)} of members are found, at most"
        )


@named_arguments
def membership_risk(
    guarantee: Guarantee, prior: Number = Fraction(1, 2), *, false_alarms: Number = FALSE_ALARMS
) -> MembershipRisk:
    """What a guarantee means for one unit, as odds and as chances of the best attacker.

    The odds: no event is more than e^ε times as likely under a neighbor, so by Bayes' rule odds grow by e^ε at most
    [A Def 3.3]. The guess: with the smaller prior q, a test errs with probability (1 − q)·α + q·β or the like, and
    β ≥ 1 − δ(ε) − e^ε·α at e^ε = (1 − q)/q makes that at least q·(1 − δ(ε))  [A Thm 3.4, A Prop 13.8]. From a prior of
    ½ that is ½·(1 + δ(0)): e^ε/(1 + e^ε) for ε-DP and Φ(μ/2) for μ-GDP. The detection is 1 − β(false alarms).

    Args:
        guarantee: what holds for all that is released.
        prior: the attacker's probability that the unit is in the data, before the release.
        false_alarms: the share of others that a test may take for members.

    >>> from dalenius.guarantees import PureDP
    >>> round(membership_risk(PureDP(1)).chance, 4)
    0.7311
    """
    p, level = probability(prior, "prior"), probability(false_alarms, "false_alarms")
    if not 0 < p < 1:
        raise InvalidParameter(f"prior must lie strictly between 0 and 1, got {prior}")
    least = min(p, 1 - p)
    with precision(128):
        # a smaller slope is a true bound as well; a guarantee takes a float for its shortest decimal, so one step less
        slope = math.nextafter(max(0.0, lower(((1 - ball(least)) / ball(least)).log())), 0.0)
        chance = upper(1 - ball(least) * (1 - ball(guarantee.delta(slope))))
        detection = upper(1 - ball(guarantee.beta(_not_below(level))))
    factor, posterior = _odds(guarantee, p)
    return MembershipRisk(p, factor, posterior, min(1.0, chance), level, min(1.0, detection))


def _odds(guarantee: Guarantee, prior: Fraction) -> tuple[float, float]:
    """e^ε, and the probability that even it leads to from a prior."""
    epsilon = guarantee.epsilon(0.0)
    if not math.isfinite(epsilon):
        return math.inf, 1.0
    with precision(128):
        shrink = (-ball(epsilon)).exp()
        posterior = 1 / (1 + shrink * (1 - ball(prior)) / ball(prior))
        return upper(ball(epsilon).exp()), min(1.0, upper(posterior))


def _not_below(level: Fraction) -> float:
    """A float whose shortest decimal, which is what a guarantee takes it for, is not below a level."""
    near = float(level)
    return near if Fraction(str(near)) >= level else min(1.0, math.nextafter(near, 1.0))


def _percent(chance: float) -> str:
    """A probability in per cent, rounded up."""
    return f"{digits_above(100 * chance, 5)} %"
