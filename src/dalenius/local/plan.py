"""Planning a collection: what error to expect, how many reports or how much ε it takes, and what trust would buy."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.guarantees import Shuffled
from dalenius.local.compare import compare
from dalenius.local.means import MEANS
from dalenius.local.parameters import LEVEL, inner_level, normal_radius, whole_number
from dalenius.numerics import Number, positive

MODELS = ("local", "central")
_LARGEST = Fraction(12)
"""The ε up to which a plan looks."""


@dataclass(frozen=True, slots=True)
class Needed:
    """What an error takes: reports at the ε in hand, or ε with the reports in hand (None if no ε does)."""

    reports: int
    epsilon: Fraction | None
    error: float
    level: float


@named_arguments
def needed(size: int, epsilon: Number, reports: int, error: Number, level: Number = LEVEL) -> Needed:
    """Reports and ε that bring the radius of a rare value's interval down to `error`, by the best oracle.

    Parameters
    ----------
    size : how many values the domain has.
    epsilon : the ε in hand, at which reports are counted.
    reports : the reports in hand, at which ε is sought.
    error : the radius wanted, as a share.
    level : the probability with which the interval holds the share.
    """
    return needed_for(lambda at: compare(size, at).best.variance(1), epsilon, reports, error, level)


def needed_for(
    variance: Callable[[Fraction], float], epsilon: Number, reports: int, error: Number, level: Number = LEVEL
) -> Needed:
    """The same for any estimate whose variance is that of one report, a function of ε, over the number of reports."""
    radius = float(positive(error, "error"))
    allowed = (radius / normal_radius(level)) ** 2
    count = math.ceil(variance(positive(epsilon, "epsilon")) / allowed)
    enough = whole_number(reports, "reports", 1) * allowed
    return Needed(count, _least_epsilon(variance, enough), radius, inner_level(level))


@named_arguments
def minimax_rate(model: str, reports: int, epsilon: float, order: float) -> float:
    """The order of the least squared error of a mean when E|X|^k ≤ 1, at most 1  [A Thm 4.1, A Thm 4.2].

    Local: (1/(nε²))^((k−1)/k). Central: 1/n + (1/(n²ε²))^((k−1)/k). Both need the cut at 1, which the notes leave out:
    answering 0 errs by no more. With k = 2 the local rate is 1/(ε√n), as k grows 1/(nε²)  [A §4.2.2 comparison].

    Parameters
    ----------
    model : "local" or "central".
    reports : how many people, n.
    epsilon : ε.
    order : k ≥ 2; infinity for bounded numbers.
    """
    if model not in MODELS or not (reports >= 1 and epsilon > 0 and order >= 2):
        raise InvalidParameter("a rate needs a model (local, central), n ≥ 1, ε > 0 and k ≥ 2")
    power = 1.0 if math.isinf(order) else (order - 1) / order
    if model == "local":
        return float(min(1.0, (1 / (reports * epsilon**2)) ** power))
    return float(min(1.0, 1 / reports + (1 / (reports**2 * epsilon**2)) ** power))


@named_arguments
def model_errors(size: int, epsilon: Number, delta: Number, reports: int) -> dict[str, float]:
    """The standard error of a rare value's share when nobody is trusted, a shuffler is, or a curator is.

    Local reports at ε; reports at the largest ε₀ that a shuffler brings down to (ε, δ)  [FMT23]; and counts with
    Laplace noise of scale 2/ε, change-one like the others  [A Thm 3.2].

    Parameters
    ----------
    size : how many values the domain has.
    epsilon : the ε of all three.
    delta : the δ of the shuffled one.
    reports : how many people, n.
    """
    target = positive(epsilon, "epsilon")
    hidden = _local_epsilon(target, float(positive(delta, "delta")), reports)
    return {
        "local": math.sqrt(compare(size, target).best.variance(reports)),
        "shuffled": math.sqrt(compare(size, hidden).best.variance(reports)),
        "central": math.sqrt(2) * 2 / (float(target) * reports),
    }


@named_arguments
def mean_model_errors(epsilon: Number, delta: Number, reports: int) -> dict[str, float]:
    """The root mean squared error of the mean of numbers in [−1, 1], in the three models, with the minimax rates.

    All three hold what sampling alone costs, at most 1/n for the square, and noise: of the worst number locally, of
    scale 2/(εn) centrally. The rates are those of A §4.2.2 for bounded numbers, without constants: 1/(ε√n) locally,
    √(1/n + 1/(n²ε²)) centrally  [A Thm 4.1, A Thm 4.2].

    Parameters
    ----------
    epsilon : the ε of all three.
    delta : the δ of the shuffled one.
    reports : how many people, n.
    """
    target, n = positive(epsilon, "epsilon"), whole_number(reports, "reports", 1)
    hidden = _local_epsilon(target, float(positive(delta, "delta")), n)

    def worst(at: Fraction) -> float:
        return min(kind(at).worst_variance for kind in MEANS)

    return {
        "local": math.sqrt((1 + worst(target)) / n),
        "shuffled": math.sqrt((1 + worst(hidden)) / n),
        "central": math.sqrt(1 / n + 8 / (float(target) * n) ** 2),
        "local minimax rate": math.sqrt(minimax_rate("local", n, float(target), math.inf)),
        "central minimax rate": math.sqrt(minimax_rate("central", n, float(target), math.inf)),
    }


def _least_epsilon(variance: Callable[[Fraction], float], allowed: float) -> Fraction | None:
    """The least ε, to three digits, at which one report has at most this variance; None if there is none up to 12."""
    low, high = 0.0, float(_LARGEST)
    if variance(_LARGEST) > allowed:
        return None
    while high - low > 5e-4 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if variance(Fraction(f"{middle:.6f}")) <= allowed else (middle, high)
    return Fraction(f"{high:.6f}")


def _local_epsilon(target: Fraction, delta: float, reports: int) -> Fraction:
    """The largest ε₀, to three digits and at most 12, at which shuffling proves the target."""
    low, high = float(target), 12.0
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (
            (middle, high) if Shuffled(round(middle, 6), reports).delta(float(target)) <= delta else (low, middle)
        )
    return max(target, Fraction(f"{low:.6f}"))
