import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import PureDP
from dalenius.local import Mean
from dalenius.local.mean import truncation
from dalenius.neighbors import Relation


@pytest.mark.parametrize("oracle", [None, "duchi", "piecewise", "laplace"])
def test_the_mean_is_estimated_within_its_error(oracle):
    protocol = Mean(0, 10, 1, oracle)
    values = np.linspace(2, 6, 50_000)
    collected = protocol.aggregator()
    collected.add(protocol.client().randomize_many(values))
    collected.add([protocol.client().randomize(4.0), b"forged"])
    estimate = collected.estimate()
    assert abs(estimate.mean - 4) < 6.2 * estimate.standard_error + estimate.grid_error
    assert abs(estimate.mean - 5) > 6.2 * estimate.standard_error
    assert estimate.rejected == 1
    assert protocol.guarantee(2) == PureDP(2, Relation.CHANGE_ONE)
    assert protocol.resume(collected.to_bytes()) == collected


def test_numbers_outside_are_refused_or_clamped():
    for bad in (-1, 11, float("nan"), float("inf")):
        with pytest.raises(UnknownName, match="outside of the protocol's bounds"):
            Mean(0, 10, 1).client().randomize(bad)
    assert len(Mean(0, 10, 1, clamp=True).client().randomize(11)) == 13
    with pytest.raises(UnknownName):
        Mean(0, 10, 1, clamp=True).client().randomize(float("nan"))
    with pytest.raises(InvalidParameter):
        Mean(3, 3, 1)
    with pytest.raises(UnknownName):
        Mean(0, 1, 1, "no such")
    with pytest.raises(InvalidParameter, match="no options"):
        Mean(0, 1, 1).read(np.zeros(3), 1, 0, consistent=True)


@pytest.mark.theorem("A Thm 4.1")
def test_a_mean_under_a_moment_bound_has_the_minimax_rate():
    # X = ±(nε²)^(1/4) with probability 1/√(nε²)/2 each, else 0.5: E X² ≤ 1; error² ≲ (nε²)^(−1/2) for k = 2
    rng = np.random.default_rng()
    for n in (4_000, 64_000):
        protocol = Mean.with_moment(2, 1, n)
        assert float(protocol.upper) == pytest.approx(n**0.25)
        errors = []
        for _ in range(20):
            heavy = rng.random(n) < 0.5 / n**0.5
            values = np.where(heavy, n**0.25, 0.5)
            errors.append(protocol.simulate(values).mean - (0.5 + 0.5 / n**0.5 * (n**0.25 - 0.5)))
        assert np.mean(np.square(errors)) < 30 * n**-0.5  # the constant of the hybrid at ε = 1 is 4.3, a few of them
    assert truncation(2, 1.0, 10_000) == pytest.approx(10.0)
    for bad in ((1, 1, 10), (2, 0, 10), (2, 1, 0)):
        with pytest.raises(InvalidParameter):
            Mean.with_moment(*bad)
