"""The laws of the selection mechanisms, written a second time from their definitions: mpmath and enumeration only.

Every law is computed to 50 digits, whatever the precision that callers work at.
"""

from fractions import Fraction
from functools import cache, wraps
from itertools import permutations, product

import mpmath as mp


def fifty_digits(law):
    @wraps(law)
    def computed(*arguments, **options):
        with mp.workdps(50):
            return law(*arguments, **options)

    return computed


def number(value) -> mp.mpf:
    exact = Fraction(value)
    return mp.mpf(exact.numerator) / exact.denominator


@fifty_digits
def softmax(scores, scale, base=None):
    weights = [mp.exp(number(score) / number(scale)) for score in scores]
    weights = [w * number(b) for w, b in zip(weights, base or [1] * len(weights), strict=True)]
    return [weight / mp.fsum(weights) for weight in weights]


@fifty_digits
def permute_and_flip(scores, scale):
    """Every order, and every place at which the walk can stop."""
    chance = [mp.exp(number(score - max(scores)) / number(scale)) for score in scores]
    law = [mp.mpf(0)] * len(scores)
    orders = list(permutations(range(len(scores))))
    for order in orders:
        alive = mp.mpf(1) / len(orders)
        for at in order:
            law[at] += alive * chance[at]
            alive *= 1 - chance[at]
    return law


def exponential_noisy_max(scores, scale):
    """P[score_i + E_i is the largest], by quadrature over the noise of i."""
    scale = number(scale)

    def wins(at):
        def density(noise):
            here = mp.exp(-noise / scale) / scale
            for other, score in enumerate(scores):
                if other != at:
                    here *= max(mp.mpf(0), 1 - mp.exp(-(scores[at] + noise - score) / scale))
            return here

        start = max(0, max(scores) - scores[at])
        return mp.quad(density, [start, start + 5 * scale, start + 20 * scale, start + 60 * scale, mp.inf])

    return [wins(at) for at in range(len(scores))]


@cache
@fifty_digits
def geometric_mass(z, scale):
    alpha = mp.exp(1 / number(scale))
    return (alpha - 1) / (alpha + 1) * alpha ** -abs(z)


@cache
@fifty_digits
def geometric_at_least(z, scale):
    alpha = mp.exp(1 / number(scale))
    return alpha ** (1 - z) / (alpha + 1) if z > 0 else 1 - alpha**z / (alpha + 1)


@fifty_digits
def laplace_noisy_max(scores, scale):
    """Over the noise of the winner, which comes before later candidates of the same noisy score."""
    reach = int(100 * scale) + max(scores) - min(scores)
    law = []
    for at, mine in enumerate(scores):
        total = mp.mpf(0)
        for z in range(-reach, reach + 1):
            beats = mp.mpf(1)
            for other, score in enumerate(scores):
                if other != at:
                    # an earlier candidate wins ties: it must stay strictly below
                    line = mine + z - score + (0 if other < at else 1)
                    beats *= 1 - geometric_at_least(line, scale)
            total += geometric_mass(z, scale) * beats
        law.append(total)
    return law


def response(values, stay, truth):
    return [stay if value == truth else (1 - stay) / (values - 1) for value in range(values)]


@fifty_digits
def sparse_vector(answers, threshold_scale, query_scale, cutoff, *, mass=geometric_mass, at_least=geometric_at_least):
    """All output sequences of a run that ends after `cutoff` times above (None: never), with their chances.

    Sums over ρ within 60 scales; the rest is below 1e-25.
    """
    reach = int(60 * threshold_scale) + 1
    law = {}
    for outputs in product((False, True), repeat=len(answers)):
        shown = _shown(outputs, cutoff)
        if shown in law:
            continue
        total = mp.mpf(0)
        for rho in range(-reach, reach + 1):
            here = mass(rho, threshold_scale)
            for answer, above in zip(answers, shown, strict=False):
                high = at_least(rho - answer, query_scale)
                here *= high if above else 1 - high
            total += here
        law[shown] = total
    return law


@fifty_digits
def run_probability(answers, outputs, threshold_scale, at_least):
    """P[these outputs] of a run without cutoff, ρ two-sided geometric, `at_least(z)` the tail of ν."""
    reach = int(60 * threshold_scale) + 1
    total = mp.mpf(0)
    for rho in range(-reach, reach + 1):
        here = geometric_mass(rho, threshold_scale)
        for answer, above in zip(answers, outputs, strict=True):
            high = at_least(rho - answer)
            here *= high if above else 1 - high
        total += here
    return total


def _shown(outputs, cutoff):
    if cutoff is None:
        return outputs
    seen = 0
    for at, above in enumerate(outputs):
        seen += above
        if seen == cutoff:
            return outputs[: at + 1]
    return outputs


@fifty_digits
def violates(p, q, claim, grid):
    """Whether two laws differ, in either direction, by more than `claim` at its ε or at some ε of the grid."""
    for first, second in ((p, q), (q, p)):
        growth = mp.exp(number(claim.budget))
        pure = getattr(claim, "slack", 0) == 0  # with a δ an outcome may pass e^ε: the sticks below say by how much
        if pure and any(a > growth * b * (1 + mp.mpf(10) ** -20) for a, b in zip(first, second, strict=True)):
            return True
        for epsilon in grid:
            growth = mp.exp(number(epsilon))
            told = mp.fsum(max(mp.mpf(0), a - growth * b) for a, b in zip(first, second, strict=True))
            if told > mp.mpf(claim.delta(float(epsilon))) + mp.mpf(10) ** -20:
                return True
    return False


@fifty_digits
def largest_loss(p, q):
    return max(abs(mp.log(a / b)) for a, b in zip(p, q, strict=True))


def neighbors_of(scores, monotone):
    """All score vectors that one unit of sensitivity 1 can make of these."""
    moves = [(0, 1), (0, -1)] if monotone else [(-1, 0, 1)]
    return [
        tuple(s + m for s, m in zip(scores, move, strict=True))
        for allowed in moves
        for move in product(allowed, repeat=len(scores))
    ]
