import sys
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from dalenius import inference
from dalenius import statistics as st
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.noise import ReleaseNoise
from dalenius.inference.tables import _chi_square, _multinomial, _simulated, uniform
from dalenius.mechanisms import Geometric
from dalenius.noise import Bits
from dalenius.queries import Keys
from tests.inference.releases import counts, generator, most_hits, release_of

BY = Keys.product(Keys("g", ["a", "b"]), Keys("h", [0, 1, 2]))


def table(rng, n, epsilon, shares=((0.2, 0.5, 0.3), (0.2, 0.5, 0.3))):
    g = rng.integers(0, 2, n)
    h = np.array([rng.choice(3, p=shares[k]) for k in g])
    return release_of(st.count(epsilon=epsilon, by=BY), {"g": np.array(["a", "b"])[g], "h": h})


def test_the_size_is_kept_where_the_naive_test_loses_it():
    """The naive test rejects a quarter of 400 tables: with a probability of 1 − 4e-9 more than a test at 5 % may."""
    rng, ours, naive = generator(), 0, 0
    for _ in range(400):
        answer = table(rng, 300, "0.2")
        ours += inference.test_independence(answer, draws=99).rejected()
        y = np.maximum(np.array(answer.value["count"], float).reshape(2, 3), 0.5)
        expected = np.outer(y.sum(1), y.sum(0)) / y.sum()
        naive += chi2.sf(((y - expected) ** 2 / expected).sum(), 2) <= 0.05
    assert ours <= most_hits(400, 0.05) < naive


def sizes(n, epsilon, shares, draws):
    """How often a true hypothesis is rejected at 5 %: by the test, and by one that takes the noise for people."""
    rng, a = generator(), float(np.exp(-epsilon))
    noise, bits = ReleaseNoise.of(Geometric(1 / Fraction(str(epsilon)))), Bits()
    chances = np.outer(*shares)
    counts = rng.multinomial(n, chances.ravel(), size=draws).astype(float)
    counts += rng.geometric(1 - a, counts.shape) - rng.geometric(1 - a, counts.shape)
    ours = naive = 0
    for row in counts:
        y = row.reshape(chances.shape)
        ours += _simulated(y, noise, _chi_square(noise.variance), "", "", "", 199, bits).rejected()
        held = np.maximum(y, 0.5)
        expected = np.outer(held.sum(1), held.sum(0)) / held.sum()
        naive += chi2.sf(((held - expected) ** 2 / expected).sum(), (y.shape[0] - 1) * (y.shape[1] - 1)) <= 0.05
    sys.stdout.write(f"n = {n}, ε = {epsilon}: size {ours / draws:.4f}, naive {naive / draws:.4f}\n")
    return ours / draws, naive / draws


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "epsilon", "shares"),
    [
        (300, 0.2, ((0.5, 0.5), (0.2, 0.5, 0.3))),
        (300, 0.2, ((0.9, 0.1), (0.05, 0.05, 0.3, 0.6))),
        (1000, 0.1, ((0.5, 0.5), (0.2, 0.5, 0.3))),
        (1000, 0.2, ((0.5, 0.5), (0.2, 0.5, 0.3))),
    ],
)
def test_the_size_is_five_percent_where_the_naive_test_rejects_far_more(n, epsilon, shares):
    """48 000 tables: a standard error of 0.001, and 0.05 ± 0.005 is the claim."""
    ours, naive = sizes(n, epsilon, shares, 48_000)
    assert abs(ours - 0.05) <= 0.005
    assert naive > 0.09


def test_dependence_is_found():
    rng = np.random.default_rng(4)
    answer = table(rng, 1500, 1, ((0.1, 0.5, 0.4), (0.4, 0.5, 0.1)))
    assert inference.test_independence(answer).p_value == 0.001
    assert inference.test_ranks(answer).p_value == 0.001
    assert answer.independent().rejected()


def test_ranks_are_the_same_under_the_hypothesis():
    rng = generator()
    rejected = sum(inference.test_ranks(table(rng, 300, 1), draws=99).rejected() for _ in range(100))
    assert rejected <= most_hits(100, 0.05)


def test_fit_is_tested_against_given_shares():
    answer = counts(["a"] * 300 + ["b"] * 700, 1)
    assert not inference.test_fit(answer, ["0.3", "0.7"]).rejected(0.001)
    assert inference.test_fit(answer, ["0.4", "0.6"]).rejected(0.01)
    with pytest.raises(InvalidParameter):
        inference.test_fit(answer, ["0.4", "0.5"])


def test_multinomial_draws_have_the_moments_of_their_law():
    drawn = _multinomial(40, np.array([0.2, 0.3, 0.5]), 4000, Bits())
    assert np.all(drawn.sum(axis=1) == 40)
    assert drawn.mean(axis=0) == pytest.approx([8, 12, 20], abs=0.5)  # six standard errors and more
    assert drawn[:, 0].var() == pytest.approx(6.4, rel=0.2)
    assert 0 < uniform(Bits(), 1000).min() <= uniform(Bits(), 1000).max() < 1


def test_other_tables_are_refused():
    with pytest.raises(UnprovenClaim, match="two public keys"):
        inference.test_independence(counts(["a"], 1))
    with pytest.raises(InvalidParameter, match="draws"):
        inference.test_independence(table(np.random.default_rng(1), 20, 1), draws=3)
