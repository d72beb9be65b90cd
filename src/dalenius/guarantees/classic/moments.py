"""The moments accountant, as the notes state it: named bounds, never below the certified answer."""

from fractions import Fraction

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.guarantees.guarantee import Guarantee
from dalenius.numerics import Number, ball, float_above, nonnegative, positive, precision, probability, upper

ORDERS = tuple(range(1, 65))
"""The moments that Abadi et al. tried, and twice as many."""


@named_arguments
def moment(guarantee: Guarantee, order: Number) -> float:
    """The λ-th moment log E e^(λ·loss), largest over neighbors: λ times the Rényi divergence of order λ + 1.

    [A Def 11.1]
    """
    at = positive(order, "moment")
    divergence = guarantee.renyi(at + 1)
    return float_above(at * Fraction(divergence)) if divergence < float("inf") else divergence


@named_arguments
def moments_delta(guarantee: Guarantee, epsilon: Number, orders: tuple[int, ...] = ORDERS) -> float:
    """δ = least over λ of e^(moment(λ) − λε), by Markov, rounded up  [A Thm 11.2, A Lem 6, A Rem 11.4]."""
    at = nonnegative(epsilon, "epsilon")
    deltas = [1.0]
    for order in orders:
        value = moment(guarantee, order)
        if value < float("inf"):
            with precision(96):
                deltas.append(upper((ball(value) - ball(order * at)).exp()))
    return min(deltas)


@named_arguments
def moments_epsilon(guarantee: Guarantee, delta: Number, orders: tuple[int, ...] = ORDERS) -> float:
    """ε = least over λ of (moment(λ) + log(1/δ))/λ, rounded up  [A Thm 11.2, A Thm 12.2]."""
    slack = probability(delta, "delta")
    if slack == 0:
        raise InvalidParameter("the moments accountant needs delta > 0")
    epsilons = []
    for order in orders:
        value = moment(guarantee, order)
        if value < float("inf"):
            with precision(96):
                epsilons.append(upper((ball(value) - ball(slack).log()) / order))
    return max(0.0, min(epsilons, default=float("inf")))
