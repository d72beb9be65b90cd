from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP, TradeOff
from dalenius.mechanisms.target import largest_scale, least_scale, meets, moved
from dalenius.neighbors import Metric, Sensitivity


@pytest.mark.parametrize("edge", [Fraction(1), Fraction(1, 3), Fraction(10**9), Fraction(7, 10**8)])
def test_the_searches_end_next_to_the_edge_on_the_side_that_holds(edge):
    least = least_scale(lambda scale: scale >= edge, Fraction(1))
    assert edge <= least <= edge * (1 + Fraction(1, 2**35))
    largest = largest_scale(lambda scale: scale <= edge, Fraction(1))
    assert edge * (1 - Fraction(1, 2**34)) <= largest <= edge


def test_a_target_that_no_noise_or_any_noise_meets_is_refused():
    with pytest.raises(InvalidParameter, match="no noise"):
        least_scale(lambda _: False, Fraction(1))
    with pytest.raises(InvalidParameter, match="any noise"):
        least_scale(lambda _: True, Fraction(1))


def test_a_guarantee_meets_each_notion_or_says_that_it_never_will():
    assert meets(PureDP(1), PureDP(1), "x")
    assert not meets(PureDP(1), PureDP(0.9), "x")
    assert meets(GDP(1), ApproxDP(1, 0.13), "x")
    assert not meets(GDP(1), ApproxDP(1, 0.12), "x")
    assert not meets(ApproxDP(1, 0.1), ApproxDP(1, 0.01), "x")
    assert meets(ApproxDP(1, "1e-6"), ApproxDP(1, "1e-6"), "x")  # though δ(1) as a float is rounded up, above 10⁻⁶
    assert meets(GDP(1), ZCDP(0.5), "x")
    assert not meets(GDP(1), ZCDP(0.49), "x")
    assert meets(GDP(1), GDP(1), "x")
    assert not meets(ApproxDP(1, 0.1), PureDP(1), "x")
    for proved, target in (
        (GDP(1), PureDP(1)),
        (GDP(1), ApproxDP(1, 0)),
        (ZCDP(1), GDP(1)),
        (ApproxDP(1, 0.1), ZCDP(9)),
    ):
        with pytest.raises(UnprovenClaim, match="no scale of x"):
            meets(proved, target, "x")
    with pytest.raises(UnprovenClaim, match="calibrated to"):
        meets(PureDP(1), TradeOff([(0, 1), (1, 0)]), "x")


def test_an_answer_that_nobody_moves_is_refused():
    with pytest.raises(InvalidParameter, match="no noise"):
        moved(Sensitivity(0, Metric.L2))
    assert moved(Sensitivity(3, Metric.L2)) == 3
