"""Every promise of `Guarantee`, on every notion."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest

from dalenius.errors import DaleniusError, InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.guarantees import (
    GDP,
    ZCDP,
    ApproxDP,
    Guarantee,
    PoissonSampling,
    PureDP,
    RenyiDP,
    SubsetSampling,
    TradeOff,
)
from dalenius.guarantees.curves.renyi_curves import BoundedRangeCurve, LaplaceCurve, LinearCurve
from dalenius.neighbors import Relation

TIGHT: dict[str, Guarantee] = {
    "pure": PureDP("0.7"),
    "nothing": PureDP(0),
    "approx": ApproxDP("0.5", "0.001"),
    "equal parts": PureDP("0.1").repeat(30),
    "unequal parts": PureDP("0.1").repeat(5).compose(ApproxDP("0.25", "1e-4"), PureDP("0.4")),
    "gaussian": GDP("0.8"),
    "polyline": TradeOff([(0, 1), ("1/4", "1/4"), (1, 0)]),
    "profile": TradeOff.of_profile([("0.1", "0.2"), (1, "0.01"), (3, 0)]),
    "sampled gaussian": GDP(1).amplify(PoissonSampling("0.05")).repeat(20),
    "unlike parts": PureDP("0.3").compose(GDP("0.5")),
}
LOOSE: dict[str, Guarantee] = {
    "zcdp": ZCDP("0.1"),
    "renyi": RenyiDP(LinearCurve(Fraction(1, 10))),
    "table": RenyiDP({2: "0.1", 16: 1}),
    "laplace": RenyiDP(LaplaceCurve(Fraction(1))),
    "exponential": RenyiDP(BoundedRangeCurve(Fraction(1))).repeat(4),
}
ALL = TIGHT | LOOSE
EPSILONS = (0.0, 0.01, 0.1, 0.35, 0.7, 1.0, 2.0, 3.5)
DELTAS = (1e-9, 1e-5, 1e-3, 0.02, 0.3)
ALPHAS = (0.0, 0.001, 0.05, 0.3, 0.5, 0.8, 1.0)


def of(names):
    return pytest.mark.parametrize("guarantee", [pytest.param(ALL[name], id=name) for name in names])


@of(ALL)
def test_intervals_are_ordered_and_their_upper_end_is_the_figure(guarantee):
    for epsilon in EPSILONS:
        low, high = guarantee.delta_interval(epsilon)
        assert 0.0 <= low <= high <= 1.0
        assert guarantee.delta(epsilon) == high
    for delta in DELTAS:
        low, high = guarantee.epsilon_interval(delta)
        assert 0.0 <= low <= high
        assert guarantee.epsilon(delta) == high


@of(ALL)
@pytest.mark.theorem("A Thm 9.1")
def test_delta_falls_in_epsilon_and_epsilon_in_delta(guarantee):
    for low, high in pairwise(EPSILONS):
        assert guarantee.delta_interval(high)[0] <= guarantee.delta(low)
    for low, high in pairwise(DELTAS):
        assert guarantee.epsilon_interval(high)[0] <= guarantee.epsilon(low)


@of(TIGHT)
@pytest.mark.theorem("A Lem 16", "A Prop 13.9")
def test_delta_is_convex_in_e_to_the_epsilon(guarantee):
    for a, b, c in zip(EPSILONS, EPSILONS[1:], EPSILONS[2:], strict=False):
        x, y, z = math.exp(a), math.exp(b), math.exp(c)
        chord = (guarantee.delta(a) * (z - y) + guarantee.delta(c) * (y - x)) / (z - x)
        assert guarantee.delta_interval(b)[0] <= chord * (1 + 1e-12) + 1e-15


@of(TIGHT)
def test_epsilon_inverts_delta(guarantee):
    for delta in DELTAS:
        low, high = guarantee.epsilon_interval(delta)
        if high < math.inf:
            assert guarantee.delta_interval(high)[0] <= delta
            assert high - low <= 1e-5 * high or guarantee.delta_interval(low)[1] > delta * (1 - 1e-6)


@of(ALL)
def test_a_narrower_interval_still_meets_the_wider(guarantee):
    wide, narrow = guarantee.epsilon_interval(1e-5, rtol=1e-3), guarantee.epsilon_interval(1e-5, rtol=1e-8)
    assert max(wide[0], narrow[0]) <= min(wide[1], narrow[1])


@of(ALL)
@pytest.mark.theorem("A Thm 3.4", "A Prop 13.8", "A Prop 13.1")
def test_beta_is_a_trade_off_function_that_the_profile_allows(guarantee):
    values = [guarantee.beta(alpha) for alpha in ALPHAS]
    for alpha, beta in zip(ALPHAS, values, strict=True):
        assert 0.0 <= beta <= 1 - alpha + 1e-15
        for epsilon in (0.0, 0.35, 1.0):
            # no test may contradict the *lower* ends: a smaller beta than the lines of the upper ends is only loose
            low = guarantee.delta_interval(epsilon)[1]
            assert beta >= 1 - low - math.exp(epsilon) * alpha - 1e-3
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(values))


@of(TIGHT)
@pytest.mark.theorem("A Prop 13.9")
def test_beta_does_not_claim_more_than_the_profile(guarantee):
    ends = [(e, guarantee.delta_interval(e)[0]) for e in (i * i / 400 for i in range(45))]
    for alpha in ALPHAS:
        best = max(max(1 - low - math.exp(e) * alpha, math.exp(-e) * (1 - low - alpha)) for e, low in ends)
        assert guarantee.beta(alpha) <= best + 1e-2


@of(ALL)
@pytest.mark.theorem("A Rem 12.2")
def test_renyi_does_not_fall_with_its_order(guarantee):
    values = [guarantee.renyi(order) for order in (1.5, 2, 4, 16, math.inf)]
    assert all(a <= b * (1 + 1e-9) for a, b in pairwise(values))
    with pytest.raises(InvalidParameter):
        guarantee.renyi(0.5)


@of(TIGHT)
@pytest.mark.theorem("A Thm 12.2", "A Prop 13.6")
def test_renyi_never_claims_more_than_the_profile(guarantee):
    bound = RenyiDP.adding([guarantee])
    for delta in (1e-5, 1e-2):
        assert guarantee.epsilon_interval(delta)[0] <= bound.epsilon(delta)


@of(ALL)
def test_composition_commutes_with_every_notion(guarantee):
    for other in (PureDP("0.2"), GDP("0.3"), ZCDP("0.05"), guarantee):
        first, second = guarantee.compose(other).delta_interval(0.5), other.compose(guarantee).delta_interval(0.5)
        assert max(first[0], second[0]) <= min(first[1], second[1])
        assert guarantee.compose(other).delta(0.5) >= max(
            guarantee.delta_interval(0.5)[0], other.delta_interval(0.5)[0]
        )


@of(ALL)
def test_repeat_is_composition_with_itself(guarantee):
    assert guarantee.repeat(0).epsilon(0.0) == 0.0
    assert guarantee.repeat(1).delta_interval(0.3)[0] <= guarantee.delta(0.3) + 1e-12
    for epsilon in (0.1, 1.0):
        repeated = guarantee.repeat(3).delta_interval(epsilon)
        composed = guarantee.compose(guarantee, guarantee).delta_interval(epsilon)
        assert max(repeated[0], composed[0]) <= min(repeated[1], composed[1]) * (1 + 1e-12)
    for bad in (-1, 1.5, True):
        with pytest.raises(InvalidParameter):
            guarantee.repeat(bad)


@of(ALL)
def test_groups_cost_more(guarantee):
    assert guarantee.group(1).delta(0.3) >= guarantee.delta_interval(0.3)[0]
    assert guarantee.group(3).delta(0.3) >= guarantee.group(2).delta_interval(0.3)[0]
    assert guarantee.group(2).delta(0.3) >= guarantee.delta_interval(0.3)[0]
    with pytest.raises(InvalidParameter):
        guarantee.group(-1)


@of(ALL)
@pytest.mark.theorem("A Prop 4.1", "A Prop 4.2")
def test_relations_convert_one_way_and_do_not_mix(guarantee):
    assert guarantee.relation is Relation.ADD_REMOVE
    assert guarantee.to(Relation.ADD_REMOVE) is guarantee
    try:
        changed = guarantee.to(Relation.CHANGE_ONE)
    except UnprovenClaim:
        return
    assert changed.relation is Relation.CHANGE_ONE
    assert changed.delta(0.3) >= guarantee.delta_interval(0.3)[0]
    assert changed.delta_interval(0.3)[0] <= guarantee.group(2).delta(0.3)
    with pytest.raises(MixedRelations):
        changed.to(Relation.ADD_REMOVE)
    with pytest.raises(MixedRelations):
        changed.compose(guarantee)
    with pytest.raises(MixedRelations):
        guarantee.compose(PureDP(1, Relation.CHANGE_ONE))


@of(ALL)
@pytest.mark.theorem("A Thm 14.3", "A Prop 11.1")
def test_sampling_helps_where_it_is_proved_and_is_refused_elsewhere(guarantee):
    with pytest.raises(DaleniusError):
        guarantee.amplify(SubsetSampling(1, 10))
    try:
        sampled = guarantee.amplify(PoissonSampling("0.1"))
    except UnprovenClaim:
        return
    for epsilon in (0.0, 0.3, 1.0):
        assert sampled.delta_interval(epsilon)[0] <= guarantee.delta(epsilon)
    assert sampled.relation is Relation.ADD_REMOVE


@of(ALL)
def test_forms_for_filters_are_stated_and_cover_the_guarantee(guarantee):
    form = guarantee.sum_form
    if form is not None:
        assert guarantee.delta_interval(float(form[0]))[0] <= float(form[1]) * (1 + 1e-12)
    concentrated = guarantee.concentrated_form
    if concentrated is not None:
        bound = ZCDP(concentrated.rho).delta(0.5) + float(concentrated.delta)
        assert guarantee.delta_interval(0.5)[0] <= bound
        if concentrated.delta == 0:
            assert guarantee.renyi(4) <= 4 * float(concentrated.rho) * (1 + 1e-9)
    square = guarantee.gaussian_form
    if square is not None:
        assert guarantee.delta_interval(0.5)[0] <= GDP.root(square).delta(0.5)


@of(ALL)
def test_dominating_pairs_and_lines_cover_the_guarantee(guarantee):
    loss = guarantee.loss()
    if loss is not None:
        assert guarantee.delta_interval(0.4)[0] <= loss.delta(0.4)
    assert guarantee.delta_interval(0.4)[0] <= guarantee.tradeoff().delta(0.4) + 1e-12


@of(ALL)
def test_prints_a_sentence_for_a_paper(guarantee):
    text = str(guarantee)
    assert "differential privacy" in text
    assert "add-remove neighbors" in text
    assert ", by " in text
    assert "\n" not in text


@of(ALL)
@pytest.mark.parametrize("bad", [-1, float("nan"), "x", None])
def test_bad_epsilons_are_refused(guarantee, bad):
    with pytest.raises(InvalidParameter):
        guarantee.delta(bad)


@of(ALL)
@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), None])
def test_bad_deltas_and_levels_are_refused(guarantee, bad):
    with pytest.raises(InvalidParameter):
        guarantee.epsilon(bad)
    with pytest.raises(InvalidParameter):
        guarantee.beta(bad)


@of(ALL)
@pytest.mark.parametrize("bad", [0, 1, -1, float("nan")])
def test_bad_widths_are_refused(guarantee, bad):
    with pytest.raises(InvalidParameter):
        guarantee.epsilon_interval(1e-6, rtol=bad)


@of(ALL)
def test_is_a_frozen_value(guarantee):
    with pytest.raises(AttributeError):
        guarantee.relation = Relation.CHANGE_ONE
    assert guarantee == guarantee.compose()
    assert guarantee != PureDP("0.123")
