from fractions import Fraction

import mpmath
import pytest

from dalenius.guarantees.curves.clones import clone_profile, response_profile, tail_ratio
from dalenius.numerics import ball, precision


def brute_clones(n, rate, local, epsilon):
    """Σ over all (c, a) of (P − e^ε Q)₊, in forty digits, straight from the definition of the pair."""
    with mpmath.workdps(40):
        e0, e = mpmath.mpf(local.numerator) / local.denominator, mpmath.mpf(epsilon.numerator) / epsilon.denominator
        s, alpha = rate(e0), mpmath.exp(e0) / (1 + mpmath.exp(e0))
        total = mpmath.mpf(0)
        for c in range(n):
            weight = mpmath.binomial(n - 1, c) * s**c * (1 - s) ** (n - 1 - c)
            b = [mpmath.binomial(c, a) / mpmath.mpf(2) ** c if 0 <= a <= c else 0 for a in range(-1, c + 2)]
            for a in range(c + 2):
                before, here = b[a], b[a + 1]
                p, q = alpha * before + (1 - alpha) * here, (1 - alpha) * before + alpha * here
                total += weight * max(p - mpmath.exp(e) * q, 0)
        return total


RATES = {
    "clones": (lambda e0: mpmath.exp(-e0), lambda x: (-ball(x)).exp()),
    "stronger": (lambda e0: 2 / (1 + mpmath.exp(e0)), lambda x: 2 / (1 + ball(x).exp())),
}


@pytest.mark.parametrize("kind", RATES)
@pytest.mark.parametrize("n", [1, 2, 20, 31])
@pytest.mark.parametrize(
    ("local", "epsilon"), [("1", "0"), ("1", "0.3"), ("1", "0.999"), ("3", "0.5"), ("0.1", "0.02")]
)
def test_the_profile_holds_the_brute_force_sum(kind, n, local, epsilon):
    local, epsilon = Fraction(local), Fraction(epsilon)
    truth = brute_clones(n, RATES[kind][0], local, epsilon)
    with precision(128):
        rate = RATES[kind][1](local)
    low, high = clone_profile(n - 1, rate, local, epsilon)
    assert low <= truth <= high
    assert high - low <= 1e-7 * high + 1e-18
    wrong = brute_clones(n, RATES[kind][0], local, epsilon * Fraction(101, 100) + Fraction(1, 1000))
    assert not low <= wrong <= high or wrong == truth


@pytest.mark.parametrize(("n", "local", "epsilon"), [(20, "1", "0.2"), (20, "2", "1.5"), (50, "0.5", "0")])
@pytest.mark.parametrize("values", [2, 3])
def test_shuffled_responses_attain_what_is_claimed_of_them(n, local, epsilon, values):
    local, epsilon = Fraction(local), Fraction(epsilon)
    with mpmath.workdps(40):
        e0, e = mpmath.mpf(float(local)), mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        q = 1 / (mpmath.exp(e0) + values - 1)
        p = mpmath.exp(e0) * q
        b = [mpmath.binomial(n - 1, s) * q**s * (1 - q) ** (n - 1 - s) for s in range(n)] + [mpmath.mpf(0)]
        P = [p * (b[s - 1] if s else 0) + (1 - p) * b[s] for s in range(n + 1)]
        Q = [q * (b[s - 1] if s else 0) + (1 - q) * b[s] for s in range(n + 1)]
        truth = max(
            sum(max(x - e * y, 0) for x, y in zip(P, Q, strict=True)),
            sum(max(y - e * x, 0) for x, y in zip(P, Q, strict=True)),
        )
    found = response_profile(n - 1, local, epsilon, values)
    assert found <= truth
    assert found == pytest.approx(float(truth), rel=1e-9)


def test_a_tail_is_the_sum_of_its_ratios():
    with mpmath.workdps(40):
        truth = sum(mpmath.binomial(1000, j) for j in range(521, 1001)) / mpmath.binomial(1000, 520)
    value, error = tail_ratio(1000, 520, ball(1))
    assert abs(value - truth) <= error <= 1e-11 * value
    assert tail_ratio(7, 7, ball(1))[0] == 0.0


def test_nothing_is_left_at_the_epsilon_of_one_report_and_little_far_out():
    with precision(128):
        rate = ball(Fraction(1, 2))
    assert clone_profile(10**6, rate, Fraction(1), Fraction(1)) == (0.0, 0.0)
    low, high = clone_profile(10**6, rate, Fraction(1), Fraction(9, 10))
    assert low == 0.0
    assert high < 1e-60
    assert response_profile(100, Fraction(1), Fraction(2)) == 0.0
