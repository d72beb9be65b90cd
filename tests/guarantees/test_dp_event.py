from dataclasses import make_dataclass
from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.guarantees import (
    GDP,
    ZCDP,
    LossDistribution,
    PoissonSampling,
    PureDP,
    SubsetSampling,
    from_dp_event,
    from_opacus,
    loss,
)
from dalenius.neighbors import Relation

# Stand-ins with the names and fields of dp_accounting's classes, by which events are told apart.
Gaussian = make_dataclass("GaussianDpEvent", ["noise_multiplier"])
Laplace = make_dataclass("LaplaceDpEvent", ["noise_multiplier"])
DiscreteLaplace = make_dataclass("DiscreteLaplaceDpEvent", ["noise_parameter", "sensitivity"])
Response = make_dataclass("RandomizedResponseDpEvent", ["noise_parameter", "num_buckets"])
Poisson = make_dataclass("PoissonSampledDpEvent", ["sampling_probability", "event"])
Subset = make_dataclass("SampledWithoutReplacementDpEvent", ["source_dataset_size", "sample_size", "event"])
Repeated = make_dataclass("SelfComposedDpEvent", ["event", "count"])
Composed = make_dataclass("ComposedDpEvent", ["events"])
Nothing = make_dataclass("NoOpDpEvent", [])
Everything = make_dataclass("NonPrivateDpEvent", [])
Concentrated = make_dataclass("ZCDpEvent", ["rho", "xi"])
Tree = make_dataclass("SingleEpochTreeAggregationDpEvent", ["noise_multiplier", "step_counts"])


@pytest.mark.parametrize(
    ("event", "guarantee"),
    [
        (Gaussian(2.0), GDP(0.5)),
        (Repeated(Laplace(10.0), 5), LossDistribution.of(loss.laplace(0.1)).repeat(5)),
        (DiscreteLaplace(0.05, 3), LossDistribution.of(loss.discrete_laplace(0.05, 3))),
        (Nothing(), PureDP(0)),
        (Concentrated(0.1, 0.0), ZCDP(0.1)),
        (Composed([]), PureDP(0)),
        (Repeated(Poisson(0.01, Gaussian(1.1)), 300), GDP(Fraction(10, 11)).amplify(PoissonSampling(0.01)).repeat(300)),
        (Composed([Gaussian(2.0), Gaussian(2.0)]), GDP(0.5).compose(GDP(0.5))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_event_is_the_guarantee_it_names(event, guarantee):
    assert from_dp_event(event).epsilon_interval(1e-6) == guarantee.epsilon_interval(1e-6)


def test_the_peer_s_wrong_row_is_right_here():
    """100 binary responses at ε₀ = 0.1 cost 4.774568; one accountant counts them as one and says 0.1."""
    import math

    p = 2 / (1 + math.exp(0.1))
    low, high = from_dp_event(Repeated(Response(p, 2), 100)).epsilon_interval(1e-6)
    assert 4.7745 < low <= high < 4.7747


def test_changing_one_unit_doubles_the_sensitivity():
    """A clipped sum moves by 2C when a unit is replaced: two accountants forget it."""
    changed = from_dp_event(Gaussian(2.0), Relation.CHANGE_ONE)
    assert changed.epsilon(1e-6) == GDP(1, Relation.CHANGE_ONE).epsilon(1e-6)
    batches = from_dp_event(Subset(1000, 10, Gaussian(4.0)), Relation.CHANGE_ONE)
    same = GDP(0.5, Relation.CHANGE_ONE).amplify(SubsetSampling(10, 1000))
    assert batches.epsilon(1e-6) == same.epsilon(1e-6)


@pytest.mark.parametrize(
    ("event", "relation"),
    [(Poisson(0.1, Gaussian(1.0)), Relation.CHANGE_ONE), (Subset(100, 10, Gaussian(1.0)), Relation.ADD_REMOVE)],
)
def test_samplings_are_not_read_crosswise(event, relation):
    with pytest.raises(MixedRelations):
        from_dp_event(event, relation)


def test_what_is_not_private_has_no_epsilon():
    assert from_dp_event(Everything()).delta(100) == 1.0


@pytest.mark.parametrize("event", [Tree(1.0, 3), Concentrated(0.1, 0.5), object()])
def test_events_without_a_rule_are_refused_by_name(event):
    with pytest.raises(UnprovenClaim):
        from_dp_event(event)


@pytest.mark.parametrize(
    "event", [Gaussian(0.0), Gaussian(float("nan")), Laplace(-1.0), Response(0.5, 1), Response(2, 2)]
)
def test_bad_numbers_in_an_event_are_refused(event):
    with pytest.raises(InvalidParameter):
        from_dp_event(event)


def test_an_opacus_history_is_a_composition_of_sampled_gaussians():
    history = [(1.1, 0.004, 1000), (1.3, 0.004, 500)]
    parts = [
        GDP(1 / Fraction(str(noise))).amplify(PoissonSampling(rate)).repeat(steps) for noise, rate, steps in history
    ]
    assert from_opacus(history).epsilon(1e-5) == parts[0].compose(parts[1]).epsilon(1e-5)
    assert from_opacus([]).epsilon(0) == 0
    with pytest.raises(InvalidParameter, match="noise multiplier"):
        from_opacus([(-1.0, 0.01, 10)])
