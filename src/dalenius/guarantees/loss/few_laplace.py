"""δ(ε) of a few Laplace mechanisms together, in closed form.

Let ε₀ be the ε of each of k, and u = kε₀ − S how far the sum S of their losses lies below the largest. Under P one
loss falls short by 0 with probability ½, by 2ε₀ with ½e^(−ε₀), and has density ¼e^(−u/2) between; so with the weight
e^(−u/2) taken out, what is left is the measure ν = ½(1 + E) + ¼(1 − E)I, where E shifts by 2ε₀ and I integrates from
0. Hence

    δ(ε) = ∫_{u < c} (1 − e^(u − c)) e^(−u/2) ν^{*k}(du),   c = kε₀ − ε,
    ν^{*k} = Σ_m C(k, m) 2^(−k−m) (1 + E)^(k−m) (1 − E)^m I^m,

and (1 + E)^(k−m) (1 − E)^m is a polynomial in E with whole coefficients. I^m of an atom at 0 is v^(m−1)/(m − 1)!, whose
integrals against e^(−v/2) and e^(v/2) over (0, r) follow from one another in m.
"""

from fractions import Fraction
from math import comb

from flint import arb

from dalenius.guarantees.curves.inversion import invert_profile
from dalenius.numerics import ball, float_above, float_below, lower, precision, upper

MOST = 16
"""How many are added up: terms grow as the square of it."""
_BITS = 320


def few_laplace_delta(each: Fraction, times: int, epsilon: float) -> tuple[float, float]:
    """Proven bounds on δ(ε) of `times` Laplace mechanisms, each purely `each`-DP and tight  [A Thm 3.2, A Thm 14.2]."""
    with precision(_BITS):
        beyond = times * each - Fraction(epsilon)
        if beyond <= 0:
            return 0.0, 0.0
        total, shift = ball(0), 0
        while shift <= times and 2 * each * shift < beyond:
            short = ball(2 * each * shift)
            total += (-short / 2).exp() * _shifted(times, shift, ball(beyond - 2 * each * shift))
            shift += 1
        return max(0.0, lower(total)), min(1.0, upper(total))


def few_laplace_epsilon(each: Fraction, times: int, delta: float, rtol: float) -> tuple[float, float]:
    """Proven bounds on the smallest ε with δ(ε) ≤ delta: a root found in floats, then an evaluation on either side."""
    from scipy.optimize import brentq

    top = float_above(times * each)
    if delta <= 0.0:
        return float_below(times * each), top

    def excess(epsilon: float) -> float:
        low, high = few_laplace_delta(each, times, epsilon)
        return (low + high) / 2 - delta

    if excess(0.0) <= 0.0:  # only at a δ that ε = 0 all but has can the upper end be left open
        return invert_profile(lambda at: few_laplace_delta(each, times, at), Fraction(delta), rtol)
    guess = brentq(excess, 0.0, top, xtol=1e-16 * top, rtol=1e-15)
    low, high = invert_profile(lambda at: few_laplace_delta(each, times, at), Fraction(delta), rtol, guess)
    return low, min(high, top)


def _shifted(times: int, shift: int, r: arb) -> arb:
    """The terms with E^shift: Σ_m C(k, m) 2^(−k−m) K(m, shift) (A_m(½) − e^(−r) A_m(−½))."""
    up, down, faded = (-r / 2).exp(), (r / 2).exp(), (-r).exp()
    falling, growing = ball(1), ball(1)  # A_0: the atom itself
    power, total = ball(1), ball(0)
    for m in range(times + 1):
        if m:  # A_m(β) = (A_(m−1)(β) − r^(m−1)/(m−1)! e^(−βr))/β
            falling, growing = 2 * (falling - power * up), -2 * (growing - power * down)
            power = power * r / m
        weight = ball(Fraction(comb(times, m) * _coefficient(times, m, shift), 1 << (times + m)))
        total += weight * (falling - faded * growing)
    return total


def _coefficient(times: int, m: int, shift: int) -> int:
    """The coefficient of E^shift in (1 + E)^(k−m) (1 − E)^m."""
    return sum((-1) ** j * comb(m, j) * comb(times - m, shift - j) for j in range(min(m, shift) + 1))
