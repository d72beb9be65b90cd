"""Advanced composition, as the notes state it: named bounds, never below the optimal composition."""

from fractions import Fraction

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.guarantees.guarantee import check_guarantee, count
from dalenius.guarantees.notions.approx import ApproxDP
from dalenius.guarantees.notions.pure import PureDP
from dalenius.numerics import Number, ball, fraction_above, fraction_below, positive, precision, probability


@named_arguments
def basic_composition(*guarantees: PureDP | ApproxDP) -> ApproxDP:
    """(Σε, Σδ)  [A Thm 3.3, A Rem 10.1]."""
    if not guarantees:
        raise InvalidParameter("basic composition needs at least one guarantee")
    epsilon, delta = Fraction(0), Fraction(0)
    for guarantee in guarantees:
        guarantees[0].relation.same_as(guarantee.relation)
        epsilon, delta = epsilon + guarantee.sum_form[0], delta + guarantee.sum_form[1]
    return ApproxDP(epsilon, min(Fraction(1), delta), guarantees[0].relation)


@named_arguments
def advanced_composition(guarantee: PureDP | ApproxDP, times: int, delta: Number) -> ApproxDP:
    """(ε·√(2k·log(1/δ')) + kε(e^ε − 1), kδ + δ') for k adaptive (ε, δ) mechanisms and any δ' > 0.

    [A Thm 10.1, A Rem 10.2]
    """
    k, extra = count(times, "times"), _above_zero(delta)
    check_guarantee(guarantee)
    epsilon, slack = guarantee.sum_form
    if epsilon == 0 or k == 0:
        return ApproxDP(0, min(Fraction(1), k * slack), guarantee.relation)
    with precision(160):
        root = (2 * k * -ball(extra).log()).sqrt() if extra < 1 else ball(0)
        total = ball(epsilon) * root + k * ball(epsilon) * ball(epsilon).expm1()
        return ApproxDP(fraction_above(total), min(Fraction(1), k * slack + extra), guarantee.relation)


@named_arguments
def advanced_share(epsilon: Number, delta: Number, times: int) -> ApproxDP:
    """What each of k mechanisms may cost for a total of (ε', δ'), ε' < 1: ε'/(2√(2k·log(2/δ'))) and δ'/(2k).

    [A Cor 10.1].
    Half of δ' goes to the mechanisms, half to Thm 10.1, hence the 2 under the logarithm; as printed, with
    log(1/δ'), the total is 3δ'/2. Thm 10.1 gives ε' as long as δ' ≤ 0.65, which is checked.
    """
    goal, slack, k = positive(epsilon, "epsilon"), _above_zero(delta), count(times, "times")
    if goal >= 1 or k == 0:
        raise InvalidParameter(f"Cor 10.1 needs 0 < epsilon < 1 and times ≥ 1, got {epsilon} and {times}")
    if slack > Fraction(65, 100):
        raise InvalidParameter(f"Cor 10.1 follows from Thm 10.1 for delta ≤ 0.65 only, got {delta}")
    with precision(160):
        each = ball(goal) / (2 * (2 * k * ball(2 / slack).log()).sqrt())
        return ApproxDP(fraction_below(each), slack / (2 * k))


def _above_zero(delta: Number) -> Fraction:
    slack = probability(delta, "delta")
    if slack == 0:
        raise InvalidParameter("advanced composition needs delta > 0: at delta = 0 budgets add")
    return slack
