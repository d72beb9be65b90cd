"""Independent truths: closed forms, residues, exact sums and mpmath integrals. Nothing is shared with the engine."""

from fractions import Fraction

import mpmath as mp


def root(delta_of, delta, low, high, digits=14):
    """ε with δ(ε) = delta, by a bracketing solver on log δ."""
    goal = mp.log(mp.mpf(delta))
    return mp.findroot(
        lambda e: mp.log(delta_of(e)) - goal,
        (mp.mpf(low), mp.mpf(high)),
        solver="anderson",
        tol=mp.mpf(10) ** (-2 * digits),
    )


def number(x):
    x = Fraction(x)
    return mp.mpf(x.numerator) / x.denominator


def gaussian_delta(mu, epsilon):
    """Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)."""
    half = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2  # noqa: E731
    return half(mu / 2 - epsilon / mu) - mp.exp(epsilon) * half(-mu / 2 - epsilon / mu)


def response_delta(epsilon0, k, epsilon):
    """Binomial sum: k responses, j of them likely, have loss (2j − k)ε₀."""
    p = mp.exp(epsilon0) / (1 + mp.exp(epsilon0))
    terms = (
        mp.binomial(k, j) * p**j * (1 - p) ** (k - j) * max(0, 1 - mp.exp(epsilon - (2 * j - k) * epsilon0))
        for j in range(k + 1)
    )
    return mp.fsum(terms)


def lattice_delta(masses, offset, step, k, epsilon):
    """k-fold convolution of masses at offset + step·i by repeated polynomial products."""
    from flint import arb, arb_poly, ctx

    before, ctx.prec = ctx.prec, 256
    try:
        power = arb_poly([arb(mp.nstr(m, 60)) for m in masses]) ** k
        coefficients = [mp.mpf(power[i].mid().str(60, radius=False)) for i in range(power.degree() + 1)]
    finally:
        ctx.prec = before
    losses = (k * offset + step * i for i in range(len(coefficients)))
    return mp.fsum(
        c * (1 - mp.exp(epsilon - loss)) for c, loss in zip(coefficients, losses, strict=True) if loss > epsilon
    )


def laplace_delta(epsilon0, k, epsilon):
    """Residues: M(z) = [((z+1)e^(zε₀) + z·e^(−(1+z)ε₀))/(2z+1)]^k, so δ is a finite sum over poles at −½, 0 and −1."""
    total = mp.mpf(0)
    for j in range(k + 1):
        c = epsilon0 * (2 * j - k) - epsilon
        if c > 0:
            total += mp.binomial(k, j) * _laplace_term(epsilon0, k, j, c)
    return total


def _laplace_term(epsilon0, k, j, c):
    """Sum of residues of (z+1)^(j−1) z^(k−j−1) e^(cz) e^(−ε₀(k−j))/(2z+1)^k."""
    scale = mp.exp(-epsilon0 * (k - j))
    first, second = _powers(mp.mpf(1) / 2, j - 1, k), _powers(-mp.mpf(1) / 2, k - j - 1, k)
    third = [c**i / mp.factorial(i) for i in range(k)]
    product = [mp.fsum(first[a] * second[i - a] for a in range(i + 1)) for i in range(k)]
    value = mp.fsum(product[a] * third[k - 1 - a] for a in range(k)) * mp.exp(-c / 2) / mp.mpf(2) ** k
    if j == k:
        value += 1  # pole at 0: (z+1)^(k−1) e^(cz)/(2z+1)^k at z = 0
    if j == 0:
        value += mp.exp(-c) * (-1) ** (k - 1) / mp.mpf(-1) ** k
    return scale * value


def _powers(shift, power, length):
    """Taylor coefficients of (w + shift)^power."""
    return [mp.binomial(power, i) * shift ** (power - i) for i in range(length)]


def sampled_gaussian_moment(q, mu, z, first=True, step=None, reach=None):
    """E e^(zL) by a fine trapezoid sum at working precision; Q = N(0, 1), mixture first (remove) or second (add)."""
    step = step or min(mp.mpf(1) / 12, 1 / (12 * mu))
    right = max(0, mp.re(z) + 1) * mu + 16
    count = int((right + 16) / step)
    power = z + 1 if first else -z
    return step * mp.fsum(
        mp.npdf(-16 + i * step) * (1 - q + q * mp.exp(mu * (-16 + i * step) - mu * mu / 2)) ** power
        for i in range(count)
    )


def contour_delta(moment_powers, s, step, terms, epsilon):
    """(1/π) Σ Re e^(K − zε)/(z(z+1))·step over t = 0, step…; moment_powers(k) is M(s + ik·step)."""
    total = mp.re(moment_powers[0] * mp.exp(-s * epsilon) / (s * (s + 1))) / 2
    for k in range(1, terms):
        z = mp.mpc(s, k * step)
        total += mp.re(moment_powers[k] * mp.exp(-z * epsilon) / (z * (z + 1)))
    return total * step / mp.pi


def two_sampled_steps(q, mu, epsilon, first):
    """δ of two steps as E δ₁(ε − L₁), δ₁ in closed form; Q = N(0, 1), mixture first or second.

    Where ε − L₁ passes the end of one step's losses, w = e^(±ε)/(1 − q), the integrand bends: a panel ends there.
    """
    weight = lambda y: 1 - q + q * mp.exp(mu * y - mu * mu / 2)  # noqa: E731
    loss = lambda y: mp.log(weight(y)) if first else -mp.log(weight(y))  # noqa: E731
    density = lambda y: mp.npdf(y) * (weight(y) if first else 1)  # noqa: E731
    bend = mp.exp(epsilon if first else -epsilon) / (1 - q)
    corners = [(mp.log((bend - 1 + q) / q) + mu * mu / 2) / mu] if bend > 1 - q else []
    marks = sorted([*mp.linspace(-14, 14 + mu, 29), *corners])
    return mp.quad(lambda y: density(y) * one_sampled_step(q, mu, epsilon - loss(y), first), marks)


def one_sampled_step(q, mu, epsilon, first):
    """P(S) − e^ε·Q(S) on the set S where the loss exceeds ε, for any real ε."""
    w = mp.exp(epsilon if first else -epsilon)
    if w <= 1 - q:
        return 1 - mp.exp(epsilon) if first else mp.mpf(0)
    at = (mp.log((w - 1 + q) / q) + mu * mu / 2) / mu
    above = lambda x: mp.erfc(x / mp.sqrt(2)) / 2  # noqa: E731
    if first:
        return (1 - q) * above(at) + q * above(at - mu) - mp.exp(epsilon) * above(at)
    return above(-at) - mp.exp(epsilon) * ((1 - q) * above(-at) + q * above(mu - at))
