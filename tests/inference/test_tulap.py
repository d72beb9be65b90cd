from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from dalenius import inference
from dalenius import statistics as st
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.noise import tulap_below
from dalenius.mechanisms import Geometric, Laplace, Tulap
from tests.inference.releases import counts, generator, release_of

P_VALUES = [  # 30-digit sums; OpenDP's BinomialCND has the same to 15 digits
    (18.3, 30, "0.5", "1", 0.139796448289909, 0.860203551710091, 0.279592896579817),
    (12.25, 30, "0.4", "0.5", 0.469979894318147, 0.530020105681853, 0.944563651442058),
    (55.7, 100, "0.5", "0.1", 0.313262072133556, 1 - 0.313262072133556, 0.626524144267111),
]
POWERS = [
    (30, "0.9", "0.95", "1", 0.135298673104, 30.3146521075),
    (100, "0.5", "0.6", "1", 0.617620678718, 58.5093490808),
    (100, "0.5", "0.6", "0.1", 0.135107049193, 74.2718003833),
    (500, "0.5", "0.55", "0.5", 0.700897295703, 268.96705708),
]


@pytest.mark.parametrize(("z", "n", "p0", "epsilon", "greater", "less", "either"), P_VALUES)
def test_p_values_are_the_printed_ones(z, n, p0, epsilon, greater, less, either):
    for alternative, printed in (("greater", greater), ("less", less), ("two-sided", either)):
        found = inference.test_proportion(z, p0, alternative, rows=n, mechanism=Tulap(1, epsilon))
        assert found.p_value == pytest.approx(printed, abs=1e-13)
        assert found.size == "guaranteed"


@pytest.mark.parametrize(("n", "p0", "p1", "epsilon", "power", "threshold"), POWERS)
def test_powers_are_the_printed_ones(n, p0, p1, epsilon, power, threshold):
    found = inference.power_of_proportion(n, p0, p1, epsilon=epsilon)
    assert found == pytest.approx((power, threshold), abs=1e-9)


@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_no_private_test_has_more_power(delta):
    """The largest power of any (ε, δ)-private test of a count, by linear programming over all of its chances."""
    n, p0, p1, epsilon, level = 12, 0.4, 0.7, 1.0, 0.05
    x = np.arange(n + 1)
    null, other = binom.pmf(x, n, p0), binom.pmf(x, n, p1)
    rows, bounds = [], []
    for i in range(n):
        for a, b, sign in ((i, i + 1, 1), (i + 1, i, 1), (i, i + 1, -1), (i + 1, i, -1)):
            row = np.zeros(n + 1)
            row[a] += sign
            row[b] -= sign * np.exp(epsilon)
            rows.append(row)  # φ(a) ≤ e^ε φ(b) + δ, and the same for 1 − φ
            bounds.append(delta if sign > 0 else delta + np.exp(epsilon) - 1)
    best = linprog(-other, A_ub=[*rows, null], b_ub=[*bounds, level], bounds=(0, 1))
    power, _ = inference.power_of_proportion(n, p0, p1, epsilon=epsilon, delta=delta, level=level)
    assert power == pytest.approx(-best.fun, abs=1e-6)


def test_the_size_is_exact_and_half_the_noise_breaks_it():
    """E φ = α by enumeration over the count, with the p-value's own threshold."""
    n, p0, epsilon = 40, 0.3, 0.7
    _, threshold = inference.power_of_proportion(n, p0, 0.5, epsilon=epsilon)
    masses = binom.pmf(np.arange(n + 1), n, p0)

    def rejects(scale):
        return float(masses @ tulap_below((np.arange(n + 1) - threshold) / scale, epsilon))

    assert rejects(1.0) == pytest.approx(0.05, abs=1e-9)
    assert rejects(1.25) > 0.053


def test_power_below_the_hypothesis_mirrors_power_above():
    up, down = (inference.power_of_proportion(50, p0, p1, epsilon=1)[0] for p0, p1 in ((0.4, 0.6), (0.6, 0.4)))
    assert up == pytest.approx(down, abs=1e-10)


def test_a_geometric_count_becomes_a_tulap_one_by_a_number_of_its_receipt():
    answer = release_of(st.count(epsilon=1), {"x": range(60)})
    one, again = (inference.test_proportion(answer, 0.5, rows=100) for _ in range(2))
    assert one.p_value == again.p_value
    assert abs(one.statistic - answer.value) < 0.5
    other = release_of(st.count(epsilon=1), {"x": range(60)}, number=2)
    assert (other.value - inference.test_proportion(other, 0.5, rows=100).statistic) != answer.value - one.statistic


def test_p_values_from_releases_are_uniform_under_the_hypothesis():
    """By a Kolmogorov–Smirnov bound: D > √(log(2/1e-9)/2n) has a chance of 1e-9; noise ignored gives D = 0.25."""
    rng, values, a = generator(), [], np.exp(-0.2)
    for _ in range(600):
        y = int(rng.binomial(60, 0.4) + rng.geometric(1 - a) - rng.geometric(1 - a))
        z = y + rng.uniform(-0.5, 0.5)
        values.append(inference.test_proportion(z, 0.4, "greater", rows=60, mechanism=Tulap(1, Fraction(1, 5))).p_value)
    gap = np.abs(np.sort(values) - np.arange(1, 601) / 601).max()
    assert gap < np.sqrt(np.log(2 / 1e-9) / 1200) + 1 / 600


def test_with_private_n_the_test_agrees_with_the_interval():
    answer = counts(["a"] * 300 + ["b"] * 700, 1)
    low, high = inference.proportion(answer).interval
    assert inference.test_proportion(answer, low - 0.01).rejected(0.06)
    assert not inference.test_proportion(answer, (low + high) / 2).rejected()
    assert inference.test_proportion(answer, 0.5, "less").rejected()


def test_other_noise_and_other_words_are_refused():
    with pytest.raises(UnprovenClaim, match="Tulap"):
        inference.test_proportion(3.0, 0.5, rows=10, mechanism=Laplace(1))
    with pytest.raises(InvalidParameter, match="alternative"):
        inference.test_proportion(3, 0.5, "more", rows=10, mechanism=Geometric(1))
    with pytest.raises(InvalidParameter, match="p0"):
        inference.test_proportion(3, 1.5, rows=10, mechanism=Geometric(1))
