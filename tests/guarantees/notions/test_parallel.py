from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP, TradeOff, parallel
from dalenius.neighbors import Relation
from tests.guarantees.guarantee_truth import hockey_stick


@pytest.mark.theorem("A Prop 4.3")
def test_the_largest_budget_counts():
    assert parallel(PureDP(1), PureDP(3), PureDP(2)) == PureDP(3)
    assert parallel(GDP(1), GDP(2)) == GDP(2)
    assert parallel(ZCDP(1), ZCDP(2)) == ZCDP(2)


@pytest.mark.theorem("A Rem 4.2")
def test_unordered_guarantees_give_the_envelope():
    first, second = ApproxDP("0.5", "0.05"), ApproxDP(2, 0)
    joint = parallel(first, second)
    for alpha in (0.0, 0.01, 0.1, 0.3, 0.6, 0.9):
        assert joint.beta(alpha) <= min(first.beta(alpha), second.beta(alpha)) + 1e-15
    for epsilon in (0.0, 0.2, 0.5, 1.0, 2.0):
        assert joint.delta(epsilon) == pytest.approx(max(first.delta(epsilon), second.delta(epsilon)), abs=1e-14)


@pytest.mark.theorem("A Rem 4.2")
def test_unlike_notions_go_through_their_lines():
    joint = parallel(PureDP(1), GDP(1))
    assert isinstance(joint, TradeOff)
    for epsilon in (0.1, 0.5, 1.0):
        assert joint.delta(epsilon) >= max(PureDP(1).delta(epsilon), GDP(1).delta_interval(epsilon)[0]) - 1e-12


@pytest.mark.theorem("A Rem 4.3")
def test_change_one_is_refused_with_the_reason():
    with pytest.raises(MixedRelations, match=r"A Rem 4\.3"):
        parallel(PureDP(1, Relation.CHANGE_ONE), PureDP(1, Relation.CHANGE_ONE))
    # exact sizes of two parts: 0-DP part by part for change-one, yet moving one person is seen for sure
    sizes, moved = (1, 0), (0, 1)
    assert hockey_stick(sizes, moved, 100) == 1
    # a person who comes is in one part only: what is refused for a changed one costs the larger of the two here
    assert parallel(PureDP(1), PureDP("1.5")) == PureDP("1.5")


def test_nothing_to_compose_is_refused():
    with pytest.raises(InvalidParameter):
        parallel()


@pytest.mark.theorem("A Prop 4.3")
def test_two_parts_by_enumeration():
    """Randomized response on the count's parity of each part: adding one person to one part moves that part only."""
    p = Fraction(3, 4)
    laws = {0: (p, 1 - p), 1: (1 - p, p)}

    def joint(a: int, b: int) -> list[Fraction]:
        return [x * y for x in laws[a] for y in laws[b]]

    for epsilon in (0.0, 0.5, 1.0):
        assert (
            hockey_stick([float(x) for x in joint(0, 0)], [float(x) for x in joint(1, 0)], epsilon)
            <= parallel(PureDP("1.0986122886681098"), PureDP("1.0986122886681098")).delta(epsilon) + 1e-15
        )
