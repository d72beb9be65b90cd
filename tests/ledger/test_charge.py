import itertools
import math
from fractions import Fraction

import pytest

from dalenius.errors import LedgerCorrupted, UnprovenClaim
from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP, RenyiDP, TradeOff
from dalenius.ledger import canonical, from_form, to_form
from dalenius.ledger.charge import charge
from dalenius.mechanisms.shifted import LaplaceLoss
from dalenius.neighbors import Relation


def test_several_parts_cost_their_sums():
    cost = charge(PureDP(0.1).repeat(9).compose(ApproxDP(0.1, 1e-7)))
    assert (cost.epsilon, cost.delta) == (1, Fraction(1, 10**7))


def test_a_pure_guarantee_costs_its_epsilon():
    assert charge(PureDP(0.3)).epsilon == Fraction(3, 10)
    assert charge(PureDP(Fraction(1, 3))).epsilon > Fraction(1, 3)


@pytest.mark.parametrize(
    "guarantee",
    [
        GDP(1),
        ZCDP("1/3"),
        RenyiDP({2: "1/3", 8: 1}),
        PureDP(0),
        PureDP(Fraction(1, 3)),
        PureDP(2, Relation.CHANGE_ONE),
        PureDP(0.1).repeat(9),
        ApproxDP(0.1, 1e-7),
    ],
)
def test_a_guarantee_comes_back_from_its_form_exactly(guarantee):
    assert from_form(to_form(guarantee)) == guarantee


def test_another_notion_or_form_is_refused():
    for other in ("ε = 1", GDP(1)):
        with pytest.raises(UnprovenClaim, match="plain-sum filter"):
            charge(other)
    with pytest.raises(LedgerCorrupted, match="form"):
        from_form({"version": 2, "notion": "pure"})


def test_canonical_json_has_one_spelling():
    assert canonical({"b": 1, "a": "é"}) == canonical({"a": "é", "b": 1}) == b'{"a":"\\u00e9","b":1}'
    with pytest.raises(ValueError, match="JSON"):
        canonical(float("nan"))


@pytest.mark.theorem("A Thm 3.3", "D Thm 1.3")
def test_the_plain_sum_holds_when_the_next_budget_follows_from_the_last_answer():
    # randomized response on one bit at ε₁; the answer decides how large ε₂ is; every path stays within the cap
    cap, first, seconds = 1.0, 0.4, {0: 0.6, 1: 0.1}

    def answer(bit, out, epsilon):
        return math.exp(epsilon * (bit == out)) / (1 + math.exp(epsilon))

    def transcript(bit, outs):
        return answer(bit, outs[0], first) * answer(bit, outs[1], seconds[outs[0]])

    worst = max(
        abs(math.log(transcript(0, outs) / transcript(1, outs))) for outs in itertools.product((0, 1), repeat=2)
    )
    assert worst <= cap + 1e-12
    assert worst > 0.9


def test_a_curve_is_kept_as_true_bounds_at_some_orders():
    kept = from_form(to_form(RenyiDP(lambda order: order / 10)))
    assert all(kept.renyi(order) >= order / 10 for order in (1.25, 2, 7, 64))
    with pytest.raises(UnprovenClaim, match="no order"):
        to_form(RenyiDP(lambda _: math.inf))


def test_a_notion_without_a_form_is_kept_as_all_that_it_implies():
    form = to_form(LaplaceLoss(Fraction(1, 2)))
    assert from_form(form) == PureDP(Fraction(1, 2))
    assert [each["notion"] for each in form["guarantees"]] == ["pure", "zcdp"]
    with pytest.raises(UnprovenClaim, match="ApproxDP"):
        to_form(TradeOff.of_guarantee(GDP(1)))


def test_a_form_that_is_asked_again_is_the_same_and_the_askers_own():
    first = to_form(LaplaceLoss(Fraction(1, 2)))
    first["guarantees"].clear()
    again, changed = to_form(LaplaceLoss(Fraction(1, 2))), to_form(LaplaceLoss(Fraction(1, 2), Relation.CHANGE_ONE))
    assert from_form(again) == PureDP(Fraction(1, 2))
    assert from_form(changed) == PureDP(Fraction(1, 2), Relation.CHANGE_ONE)
    assert from_form(to_form(LaplaceLoss(Fraction(1, 3)))) == PureDP(Fraction(1, 3))
