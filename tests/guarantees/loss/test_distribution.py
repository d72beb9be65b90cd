import math
from fractions import Fraction
from itertools import product

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.guarantees import GDP, PureDP
from dalenius.guarantees.loss import LossDistribution, from_masses, gaussian, laplace, response
from dalenius.guarantees.sampling import PoissonSampling, SubsetSampling
from dalenius.neighbors import Relation

FIXED = 0.8271428658854342  # a 40-digit integral at another line
SGD = LossDistribution.of(gaussian(1)).amplify(PoissonSampling(Fraction(1, 100)))


def hockey_stick(first, second, steps, epsilon):
    """∫(p − e^ε·q)₊ of a product of finite laws, outcome by outcome."""
    total = 0.0
    for outcome in product(range(len(first)), repeat=steps):
        p = math.prod(first[i] for i in outcome)
        q = math.prod(second[i] for i in outcome)
        total += max(0.0, float(p) - math.exp(epsilon) * float(q))
    return total


weights = st.lists(st.integers(0, 20), min_size=2, max_size=4)


@pytest.mark.theorem("A Def 9.1", "A Thm 14.2", "A Thm 9.1")
@settings(max_examples=60, deadline=None)
@given(weights, weights, st.integers(1, 3), st.sampled_from([0.0, 0.1, 0.7, 2.0]))
def test_profile_of_finite_laws_is_their_hockey_stick(a, b, steps, epsilon):
    size = min(len(a), len(b))
    a, b = a[:size], b[:size]
    if not sum(a) or not sum(b):
        return
    first, second = [Fraction(x, sum(a)) for x in a], [Fraction(x, sum(b)) for x in b]
    guarantee = LossDistribution.of(from_masses(first, second)).repeat(steps)
    expected = max(hockey_stick(first, second, steps, epsilon), hockey_stick(second, first, steps, epsilon))
    low, high = guarantee.delta_interval(epsilon)
    assert low <= expected + 1e-12
    assert expected <= high + 1e-12


@pytest.mark.theorem("A Rem 14.6", "A Thm 14.3", "A §14.5 both directions")
def test_both_directions_count():
    guarantee = SGD.repeat(100)
    forward, backward = (LossDistribution(each) for each in guarantee.directions)
    low, high = guarantee.epsilon_interval(1e-6)
    ends = [each.epsilon_interval(1e-6) for each in (forward, backward)]
    assert low >= max(end[0] for end in ends) * (1 - 1e-5)
    assert high <= max(end[1] for end in ends) * (1 + 1e-5)


def least_epsilon(first, second, steps, delta):
    """Where the hockey stick of a product of two coins falls to δ, to 1e-12, by halving in floats of 50 digits."""
    with mp.workdps(50):
        laws = [[mp.mpf(p.numerator) / p.denominator for p in law] for law in (first, second)]
        below, above = mp.mpf(0), mp.mpf(20)
        while above - below > mp.mpf(10) ** -12:
            middle = (below + above) / 2
            total = mp.fsum(
                mp.binomial(steps, k) * max(0, _mass(laws[0], steps, k) - mp.exp(middle) * _mass(laws[1], steps, k))
                for k in range(steps + 1)
            )
            below, above = (middle, above) if total > delta else (below, middle)
        return float(above)


def _mass(law, steps, heads):
    return law[0] ** (steps - heads) * law[1] ** heads


@pytest.mark.theorem("A §14.5 both directions", "A Rem 14.6")
@pytest.mark.parametrize("steps", [1, 3, 12])
@pytest.mark.parametrize("delta", [1e-2, 1e-6])
def test_epsilon_is_that_of_the_worse_direction_composed_with_itself(steps, delta):
    """Coins of 9/10 and 1/2, whose directions differ: by the binomial sum of either, at 50 digits."""
    first, second = [Fraction(9, 10), Fraction(1, 10)], [Fraction(1, 2), Fraction(1, 2)]
    both = [least_epsilon(*pair, steps, delta) for pair in ((first, second), (second, first))]
    assert abs(both[0] - both[1]) > 1e-3
    guarantee = LossDistribution.of(from_masses(first, second)).repeat(steps)
    low, high = guarantee.epsilon_interval(delta)
    assert low <= max(both) * (1 + 1e-9)
    assert max(both) * (1 - 1e-9) <= high <= max(both) * (1 + 1e-5)


@pytest.mark.theorem("A Thm 14.3")
def test_removal_starts_from_the_removal_pair():
    """P = Bern(.1), Q = Bern(.5), rate ½: the printed pair claims 0 at e^ε = 1.5, where it is .15."""
    add = from_masses([Fraction(9, 10), Fraction(1, 10)], [Fraction(1, 2), Fraction(1, 2)])
    guarantee = LossDistribution.of(add.swapped(), add).amplify(PoissonSampling(Fraction(1, 2)))
    low, high = LossDistribution(guarantee.forward).delta_interval(math.log(1.5))
    assert low <= 0.15 * (1 + 1e-12)
    assert high >= 0.15 * (1 - 1e-12)


@pytest.mark.theorem("A Thm 13.7")
def test_fixed_size_composes_the_symmetric_curve_itself():
    """Response ε₀ = 2, rate .1, 2 steps, ε = .411: true δ .0274, larger of the two pairs .0167, C_p ⊗ C_p .0381."""
    base = LossDistribution.of(response(2), relation=Relation.CHANGE_ONE)
    low, high = base.amplify(SubsetSampling(1, 10)).repeat(2).delta_interval(0.411)
    assert 0.0274 < 0.03805 < low <= high < 0.03815


@pytest.mark.theorem("A Rem 11.6")
@pytest.mark.parametrize(("rate", "expected"), [(Fraction(9, 10), 0.2046), (Fraction(1), 0.2384)])
def test_removal_is_not_amplified_by_the_other_rate(rate, expected):
    """The printed pair ((1−γ)P + γQ, Q) claims .0020 at γ = .9 and 0 at γ = 1."""
    low, high = LossDistribution.of(gaussian(1)).amplify(PoissonSampling(rate)).delta_interval(0.5)
    assert low <= expected + 5e-5
    assert expected - 5e-5 <= high


def test_fixed_size_is_narrow():
    base = LossDistribution.of(gaussian(Fraction(1, 4)), relation=Relation.CHANGE_ONE)
    low, high = base.amplify(SubsetSampling(500, 50000)).repeat(1000).epsilon_interval(1e-6)
    assert low <= FIXED <= high <= low * (1 + 1e-6)


def test_repeat_equals_composition():
    assert SGD.repeat(3) == SGD.compose(SGD, SGD) == SGD.repeat(2).compose(SGD)
    assert SGD.repeat(0).epsilon_interval(1e-9) == (0.0, 0.0)


def test_composition_commutes():
    noise = LossDistribution.of(laplace("0.1"))
    assert SGD.compose(noise).delta_interval(0.5) == pytest.approx(noise.compose(SGD).delta_interval(0.5), rel=1e-9)


def test_profile_falls_and_is_convex_in_the_exponential():
    guarantee = SGD.repeat(1000)
    epsilons = [0.05 * k for k in range(60)]
    low, high = guarantee.delta_curve(epsilons)
    assert all(a <= b for a, b in zip(low, high, strict=True))
    for k in range(1, 59):
        assert low[k] <= high[k - 1]
        x, y, z = (math.exp(epsilons[k + i]) for i in (-1, 0, 1))
        assert low[k] <= (high[k - 1] * (z - y) + high[k + 1] * (y - x)) / (z - x)


def test_curve_agrees_with_single_values():
    guarantee = SGD.repeat(1000)
    low, high = guarantee.delta_curve([0.1, 1.0, 2.5])
    for k, epsilon in enumerate([0.1, 1.0, 2.5]):
        single = guarantee.delta_interval(epsilon)
        assert max(low[k], single[0]) <= min(high[k], single[1])
        assert high[k] - low[k] <= 1e-6 * high[k]


def test_intervals_shrink_with_the_tolerance():
    widths = [high - low for low, high in (SGD.repeat(500).epsilon_interval(1e-6, rtol) for rtol in (1e-2, 1e-4, 1e-6))]
    assert widths[0] >= widths[1] >= widths[2]


@pytest.mark.theorem("A Thm 12.2", "A Thm 12.3")
def test_renyi_bounds_epsilon():
    guarantee = SGD.repeat(1000)
    for order in (2, 5, Fraction(21, 2)):
        bound = guarantee.renyi(order) + math.log(1e6) / (float(order) - 1)
        assert guarantee.epsilon_interval(1e-6)[0] <= bound
    assert guarantee.renyi(1) <= guarantee.renyi(2) <= guarantee.renyi(math.inf) == math.inf


@pytest.mark.theorem("A Thm 12.3", "A Rem 11.6")
@pytest.mark.parametrize("order", [2, 5, 12])
def test_renyi_divergence_of_a_composition_is_the_sum_of_its_parts(order):
    """Gaussian: αμ²/2. Sampled: log Σ C(α,k)(1−q)^(α−k) q^k e^(k(k−1)μ²/2)/(α − 1)  [MTZ19]. Laplace: [Mir17]."""
    with mp.workdps(40):
        q, alpha, b = mp.mpf(1) / 100, mp.mpf(order), mp.mpf(1) / 10
        terms = (
            mp.binomial(order, k) * (1 - q) ** (order - k) * q**k * mp.exp(k * (k - 1) / 2) for k in range(order + 1)
        )
        sampled = mp.log(mp.fsum(terms)) / (alpha - 1)
        grown, shrunk = alpha * mp.exp((alpha - 1) * b), (alpha - 1) * mp.exp(-alpha * b)
        noise = mp.log((grown + shrunk) / (2 * alpha - 1)) / (alpha - 1)
        truth = float(7 * sampled + 3 * alpha / 2 + 11 * noise)
    parts = [SGD.repeat(7), LossDistribution.of(gaussian(1)).repeat(3), LossDistribution.of(laplace("0.1")).repeat(11)]
    found = parts[0].compose(*parts[1:]).renyi(order)
    assert truth * (1 - 1e-12) <= found <= truth * (1 + 1e-6)


@pytest.mark.theorem("A Thm 13.3")
def test_group_of_noise_is_noise_further_apart():
    assert LossDistribution.of(laplace("0.1")).repeat(5).group(3) == LossDistribution.of(laplace("0.3")).repeat(5)
    assert LossDistribution.of(gaussian(1)).group(2) == LossDistribution.of(gaussian(4))
    assert SGD.repeat(100).group(2).delta(2.0) >= SGD.repeat(100).delta(1.0)


def test_change_one_follows_from_add_remove_as_a_pair_of_units():
    changed = LossDistribution.of(laplace("0.1")).to(Relation.CHANGE_ONE)
    assert changed.relation is Relation.CHANGE_ONE
    assert changed.forward == LossDistribution.of(laplace("0.2")).forward
    with pytest.raises(MixedRelations):
        changed.to(Relation.ADD_REMOVE)


def test_refusals_are_named():
    with pytest.raises(MixedRelations):
        LossDistribution.of(gaussian(1)).amplify(SubsetSampling(1, 10))
    with pytest.raises(UnprovenClaim):
        SGD.repeat(2).amplify(PoissonSampling(Fraction(1, 2)))
    with pytest.raises(MixedRelations):
        SGD.compose(LossDistribution.of(gaussian(1), relation=Relation.CHANGE_ONE))
    for bad in (-1.0, math.nan, math.inf):
        with pytest.raises(InvalidParameter):
            SGD.delta_interval(bad)
    for bad in (-0.1, 1.5, math.nan):
        with pytest.raises(InvalidParameter):
            SGD.epsilon_interval(bad)
    with pytest.raises(InvalidParameter):
        SGD.epsilon_interval(1e-6, rtol=0.0)
    with pytest.raises(InvalidParameter):
        from_masses([Fraction(1, 2)], [Fraction(1)])
    with pytest.raises(InvalidParameter):
        gaussian(0)


def test_beta_is_below_the_exact_trade_off_and_close_to_it():
    loss, exact = LossDistribution.of(gaussian(1)), GDP(1)
    for alpha in (0.0, 1e-6, 0.01, 0.3, 0.5, 0.9, 1.0):
        assert loss.beta(alpha) <= exact.beta(alpha) + 1e-15
        assert loss.beta(alpha) >= exact.beta(alpha) - 1e-5


def test_a_group_of_nobody_is_perfectly_private_and_delta_is_a_probability():
    sampled = LossDistribution.of(gaussian(1)).amplify(PoissonSampling(Fraction(1, 10)))
    assert sampled.group(0).delta(0) == 0
    assert LossDistribution.of(gaussian(10**6)).delta(0) <= 1


def test_a_guarantee_in_place_of_a_pair_is_refused_with_the_way_to_its_loss():
    with pytest.raises(InvalidParameter, match="loss\\(\\)"):
        LossDistribution.of(PureDP(1))
