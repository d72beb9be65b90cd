from fractions import Fraction

import mpmath
import pytest

from dalenius.guarantees.curves.blanket import blanket_profile
from dalenius.guarantees.curves.clones import clone_profile
from dalenius.numerics import ball, precision


def brute_blanket(n, k, local, epsilon):
    """E[(Σ L)₊]/(γn) over all multinomial outcomes, in forty digits."""
    with mpmath.workdps(40):
        e0, e = mpmath.exp(mpmath.mpf(float(local))), mpmath.exp(mpmath.mpf(float(epsilon)))
        truth, other = e0 / (e0 + k - 1), 1 / (e0 + k - 1)
        gamma = k / (e0 + k - 1)
        l0, l1, l2 = k * (truth - e * other), k * (other - e * truth), k * other * (1 - e)
        total = mpmath.mpf(0)
        for u in range(n + 1):
            for v in range(n + 1 - u):
                for r in range(n + 1 - u - v) if k > 2 else (0,):
                    rest = n - u - v - r
                    count = mpmath.factorial(n) / mpmath.fprod(map(mpmath.factorial, (u, v, r, rest)))
                    mass = count * (gamma / k) ** (u + v) * (gamma * (k - 2) / k) ** r * (1 - gamma) ** rest
                    total += mass * max(u * l0 + v * l1 + r * l2, 0)
        return total / (gamma * n)


@pytest.mark.parametrize("k", [2, 3, 8])
@pytest.mark.parametrize(("n", "local", "epsilon"), [(1, "1", "0.5"), (10, "1", "0.25"), (12, "2", "0")])
def test_the_profile_holds_the_brute_force_sum(k, n, local, epsilon):
    truth = brute_blanket(n, k, Fraction(local), Fraction(epsilon))
    low, high = blanket_profile(n, k, Fraction(local), Fraction(epsilon))
    assert low <= truth <= high
    assert high - low <= 1e-8 * high + 1e-20


def test_with_two_values_the_blanket_is_the_stronger_clone_pair():
    with precision(128):
        rate = 2 / (1 + ball(1).exp())
    for epsilon in ("0.05", "0.1", "0.14867062"):
        clones = clone_profile(999, rate, Fraction(1), Fraction(epsilon))
        blanket = blanket_profile(1000, 2, Fraction(1), Fraction(epsilon))
        assert blanket[1] == pytest.approx(clones[1], rel=1e-7)
    assert blanket_profile(10, 3, Fraction(1), Fraction(1)) == (0.0, 0.0)
