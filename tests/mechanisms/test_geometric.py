import math
from fractions import Fraction

import mpmath
import pytest

from dalenius.errors import InvalidParameter, MixedMetrics, UnprovenClaim
from dalenius.guarantees import PureDP
from dalenius.guarantees.guarantee import Guarantee
from dalenius.mechanisms import Geometric
from dalenius.mechanisms.shifted import GeometricLoss
from dalenius.neighbors import Metric, Relation, Sensitivity


@pytest.mark.theorem("D Thm 2.8")
def test_cost_is_sensitivity_over_scale_exactly():
    assert Geometric(Fraction(10)).guarantee(Sensitivity(1, Metric.L1)) == PureDP(0.1)
    assert Geometric(Fraction(1, 7)).guarantee(Sensitivity(3, Metric.L1)).sum_form == (21, 0)
    assert Geometric(Fraction(1, 7)).guarantee(Sensitivity("5/2", Metric.L1)) == PureDP("35/2")


def test_the_relation_of_the_neighbors_is_kept():
    claim = Geometric(Fraction(2)).guarantee(Sensitivity(2, Metric.L1), Relation.CHANGE_ONE)
    assert claim == GeometricLoss(Fraction(1, 2), 2, Relation.CHANGE_ONE)


@pytest.mark.parametrize("metric", [Metric.L2, Metric.LINF, Metric.UNITS])
def test_a_sensitivity_in_another_norm_is_refused(metric):
    with pytest.raises(MixedMetrics):
        Geometric(Fraction(1)).guarantee(Sensitivity(1, metric))


def tail(epsilon, reach):
    """P[|Z| > reach] of the law with α = e^ε, by the definition."""
    alpha = mpmath.exp(epsilon)
    return 2 * alpha ** (-math.floor(reach)) / (alpha + 1)


@pytest.mark.theorem("D Thm 2.8")
@pytest.mark.parametrize(("epsilon", "delta"), [("0.9", "0.0673"), ("1", "0.0068")])
def test_the_printed_bound_fails_and_the_rounded_one_holds(epsilon, delta):
    # errata, D Thm 2.8(2): ((Δ/ε)·ln(d/δ), δ)-useful is printed; the bound must be rounded up to an integer
    with mpmath.workdps(30):
        printed = mpmath.log(1 / mpmath.mpf(delta)) / mpmath.mpf(epsilon)
        assert tail(mpmath.mpf(epsilon), printed) > mpmath.mpf(delta)
        assert tail(mpmath.mpf(epsilon), mpmath.ceil(printed)) <= mpmath.mpf(delta)
    mechanism = Geometric(1 / Fraction(epsilon))
    assert mechanism.accuracy(delta) == math.ceil(printed)


@pytest.mark.theorem("D Thm 2.8")
@pytest.mark.parametrize("dimension", [1, 2, 10, 10_000])
@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-6])
def test_exact_joint_accuracy_is_within_the_union_bound(dimension, beta):
    scale = Fraction(10)
    assert Geometric(scale).accuracy(beta, dimension) <= math.ceil(float(scale) * math.log(dimension / beta))


@pytest.mark.parametrize("scale", [0, -1, math.nan, math.inf, Fraction(2**60), "x"])
def test_a_scale_that_cannot_be_drawn_is_refused_at_once(scale):
    with pytest.raises(InvalidParameter):
        Geometric(scale)


def test_a_float_scale_means_its_decimal():
    assert Geometric(0.1) == Geometric(Fraction(1, 10))


def test_least_refuses_another_notion():
    class Other(Guarantee):
        __slots__ = ()
        relation = Relation.ADD_REMOVE
        delta_interval = repeat = group = None

    with pytest.raises(UnprovenClaim, match="Other"):
        Geometric.least(Sensitivity(1, Metric.L1), Other())
