import math

import numpy as np
import pytest

from dalenius.audit.claim import Ceiling, ceiling
from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, ZCDP, ApproxDP, LossDistribution, PureDP, RenyiDP, TradeOff, loss

CLAIMS = [
    PureDP(1),
    ApproxDP(1, "0.01"),
    GDP(1),
    ZCDP("0.1"),
    TradeOff.of_guarantee(GDP(1)),
    PureDP("0.1").repeat(10),
    RenyiDP.adding((PureDP(1), ZCDP("0.1"))),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: type(claim).__name__)
@pytest.mark.theorem("A Thm 3.4", "A Prop 13.8")
def test_the_ceiling_is_the_claims_own_curve_and_never_below_it(claim):
    shape = ceiling(claim)
    for q in (0.001, 0.02, 0.1, 0.3, 0.5, 0.8):
        curve = 1 - claim.beta(q)
        assert shape.at(q) >= curve - 1e-9
        assert shape.at(q) <= curve + 0.012
        assert shape.at(q) == pytest.approx(float(shape(q)), abs=1e-12)


def test_the_ceiling_of_a_loss_is_that_of_its_pair():
    # T(Lap(0, 1), Lap(1, 1)) in closed form: 1 − eα, 1/(4eα), (1 − α)/e
    shape = ceiling(LossDistribution.of(loss.laplace(1)))
    for q in (0.001, 0.02, 0.1, 0.3, 0.45, 0.8):
        beta = max(1 - math.e * q, (1 - q) / math.e)
        beta = 1 / (4 * math.e * q) if 0.5 / math.e < q < 0.5 else beta
        assert 1 - beta - 1e-9 <= shape.at(q) <= 1 - beta + 0.002


def test_the_line_that_binds_is_named():
    assert ceiling(PureDP(1)).line(0.1) == (1, 0, False)
    assert ceiling(PureDP(1)).line(0.9) == (1, 0, True)


def test_slopes_are_those_of_the_lines():
    shape = Ceiling.of_line(1, 0)
    assert shape.slope(0.01) == pytest.approx(math.e)
    assert shape.slope(0.9) == pytest.approx(1 / math.e)
    assert shape(np.array([0.0, 1.0])) == pytest.approx([0, 1])
    assert shape.least_tail == pytest.approx(1 / math.e)
    assert ceiling(ApproxDP(0, 1)).least_tail == 0


def test_a_claim_that_is_none_is_refused():
    with pytest.raises(InvalidParameter, match="PureDP"):
        ceiling(1.0)
