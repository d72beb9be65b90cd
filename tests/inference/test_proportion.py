from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from dalenius import inference
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.noise import ReleaseNoise
from dalenius.inference.proportion import binomial_ends
from dalenius.mechanisms import Geometric, Tulap
from tests.inference.releases import CHANGED, counts, release_of

GOLDEN = [  # 30-digit sums over everything, ends found by bisection
    (33, 100, "1", 0.235578724733, 0.434984184347),
    (-2, 50, "0.5", 0, 0.110121175406),
    (305, 1000, "0.1", 0.264866288472, 0.346387952107),
    (2987, 10000, "1", 0.289735226172, 0.307782174188),
    (3, 20, "10", 0.032068980987, 0.378929468945),
    (12, 20, "0.1", 0, 1),
    (0, 1000, "1", 0, 0.005331145661),
]


def geometric(epsilon):
    return Geometric(1 / Fraction(epsilon))


@pytest.mark.parametrize(("y", "n", "epsilon", "low", "high"), GOLDEN)
def test_ends_are_the_printed_ones(y, n, epsilon, low, high):
    found = inference.proportion(y, rows=n, mechanism=geometric(epsilon))
    assert found.interval == pytest.approx((low, high), abs=2e-12)
    assert found.whole_range == ((low, high) == (0, 1))


def covered(n, p, epsilon, ends):
    """P[the interval holds p], exactly: both ends grow with y, so the y that hold it are neighbors of each other."""
    a = float(np.exp(-float(epsilon)))
    reach = round(45 / float(epsilon)) + 2
    first = bisect(lambda y: ends(y)[1] >= p, -reach, n + reach)
    last = bisect(lambda y: ends(y)[0] > p, -reach, n + reach) - 1
    x = np.arange(n + 1)
    masses = binom.pmf(x, n, p)

    def cdf(y):
        k = y - x
        tail = a ** np.where(k >= 0, k + 1, -k) / (1 + a)
        return float(masses @ np.where(k >= 0, 1 - tail, tail))

    return cdf(last) - cdf(first - 1)


def bisect(holds, low, high):
    """The first whole number at which a statement that stays true becomes true."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


@pytest.mark.parametrize("n", [20, 100, 1000, 10_000])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
def test_coverage_is_never_below_the_level(n, epsilon):
    noise = ReleaseNoise.of(geometric(epsilon))
    for p in (0.002, 0.02, 0.3, 0.5):
        chance = covered(n, p, epsilon, lambda y: binomial_ends(y, n, noise, 0.95))
        assert chance >= 0.95 - 1e-9


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "100"])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_coverage_holds_at_the_edges_too(epsilon, level):
    """One to a few people, nobody or everybody with the property, hardly any noise, noise far above all people."""
    noise = ReleaseNoise.of(geometric(epsilon))
    for n in (1, 2, 7, 300):
        for p in (0.0, 1e-12, 1e-3, 0.5, 1 - 1e-6, 1.0):
            assert covered(n, p, epsilon, lambda y, n=n: binomial_ends(y, n, noise, level)) >= level - 1e-9


def test_shares_far_below_one_in_the_count_do_not_fail():
    """At p = 1e-17 the mean over the count rounds to nothing: the ends still come, where 1 + t would be 0."""
    from dalenius.inference.convolution import NoisyBinomial

    law = NoisyBinomial(30.0, 1000, ReleaseNoise.of(geometric("1")))
    for p in (1e-300, 1e-17, 1e-5):
        assert law.upper_tail(p) == pytest.approx(np.exp(-30) / (1 + np.exp(-1)), rel=1e-1)


def test_ends_that_forget_the_noise_are_seen_to_cover_too_little():
    silent = ReleaseNoise.of(geometric("30"))  # as if next to no noise had been added
    assert covered(100, 0.3, "0.1", lambda y: binomial_ends(y, 100, silent, 0.95)) < 0.7
    quarter = ReleaseNoise.of(Geometric(Fraction(30, 4)))
    assert covered(20, 0.3, "0.1", lambda y: binomial_ends(y, 20, quarter, 0.95)) < 0.95


def test_ends_grow_with_the_count():
    noise = ReleaseNoise.of(geometric("1"))
    ends = np.array([binomial_ends(y, 50, noise, 0.95) for y in range(-10, 61)])
    assert np.all(np.diff(ends, axis=0) >= -1e-12)


def test_noise_of_any_law_is_taken():
    tulap = inference.proportion(3.1, rows=20, mechanism=Tulap(1, 1))
    geometric_noise = inference.proportion(3, rows=20, mechanism=Geometric(1))
    assert tulap.interval == pytest.approx(geometric_noise.interval, abs=0.02)
    assert tulap.coverage == "guaranteed"


def test_a_release_of_every_key_needs_no_further_arguments():
    answer = counts(["a"] * 300 + ["b"] * 700, 1)
    found = inference.proportion(answer)
    assert found.interval[0] < 0.3 < found.interval[1]
    other = inference.proportion(answer, key="b")
    assert other.interval == pytest.approx((1 - found.interval[1], 1 - found.interval[0]), abs=1e-6)
    assert "proportion of 'a'" in found.sentence
    assert "ε = 1 differential privacy" in found.sentence
    public = counts(["a"] * 300 + ["b"] * 700, 1, about=CHANGED)
    assert inference.proportion(public, rows=1000, key="a").rows == 1000


def test_a_mean_of_zeros_and_ones_is_a_proportion():
    from dalenius import statistics as st

    answer = release_of(st.mean("x", (0, 1), epsilon=1), {"x": [1.0] * 40 + [0.0] * 60})
    found = inference.proportion(answer)
    assert found.interval[0] < 0.4 < found.interval[1]
    assert found.width < 0.25
    wide = release_of(st.mean("x", (0, 2), epsilon=1), {"x": [1.0] * 40})
    with pytest.raises(UnprovenClaim, match="0 and 1"):
        inference.proportion(wide)


def test_the_whole_range_is_said_to_be_it():
    found = inference.proportion(12, rows=20, mechanism=Geometric(10))
    assert "the whole range" in str(found)
    assert "say nothing" in found.sentence


@pytest.mark.parametrize("level", [0, 1, -1, 1.5])
def test_levels_outside_are_refused(level):
    with pytest.raises(InvalidParameter, match="level"):
        inference.proportion(3, level, rows=20, mechanism=Geometric(1))


def test_what_lacks_its_number_of_rows_or_its_mechanism_is_refused():
    from dalenius import statistics as st

    single = release_of(st.count(epsilon=1), {"g": ["a"] * 9})
    with pytest.raises(UnprovenClaim, match="rows="):
        inference.proportion(single)
    for call in (
        lambda: inference.proportion(3, rows=20),
        lambda: inference.proportion(3, mechanism=Geometric(1)),
        lambda: inference.proportion(3, rows=0, mechanism=Geometric(1)),
        lambda: inference.proportion(3, rows=True, mechanism=Geometric(1)),
        lambda: inference.proportion(single, rows=20, mechanism=Geometric(1)),
        lambda: inference.proportion((3, 4), rows=20, mechanism=Geometric(1)),
        lambda: inference.proportion(float("nan"), rows=20, mechanism=Geometric(1)),
    ):
        with pytest.raises(InvalidParameter):
            call()
