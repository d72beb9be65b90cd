import math
from fractions import Fraction
from itertools import product

import pytest

from dalenius.errors import UnprovenClaim
from dalenius.guarantees import GDP, ZCDP, ApproxDP, BoundedRange, PureDP, RenyiDP
from dalenius.ledger import Ledger
from dalenius.ledger.amount import Amount
from dalenius.ledger.cost import CONCENTRATED, SUM
from dalenius.ledger.filters import Branch, branches_for, cost_of
from dalenius.ledger.forms import HALVINGS, least_damage, one_shot, price
from dalenius.neighbors import Relation

AUTO = branches_for("auto", Amount.limit(1, 1e-6))
WITHOUT = (ZCDP("0.000001"), GDP("0.1"), ZCDP(3), RenyiDP({8: "0.01", 64: "0.1"}))


def named(value):
    return value.kind.name if isinstance(value, Branch) else repr(value)


@pytest.mark.parametrize("guarantee", WITHOUT, ids=repr)
def test_the_point_charged_lies_on_or_above_the_answers_own_curve(guarantee):
    epsilon, delta = least_damage(guarantee, SUM, AUTO[0].caps)
    assert guarantee.delta(epsilon) <= delta * (1 + 1e-12)
    a = AUTO[0]
    assert cost_of(guarantee, AUTO).units("sum") == (a.kind.meters[0].up(epsilon), a.kind.meters[1].up(delta))


@pytest.mark.parametrize(("guarantee", "branch"), list(product(WITHOUT, AUTO)), ids=named)
def test_no_other_point_of_the_rule_does_less_damage(guarantee, branch):
    """By enumeration of all halvings, where the code bisects."""
    caps = branch.caps

    def part(point):
        form = branch.kind.price(ApproxDP(*point), None)
        return max(value / meter.value(cap) for value, meter, cap in zip(form, branch.kind.meters, caps, strict=True))

    deltas = [SUM.meters[1].value(caps[1] >> k) for k in range(HALVINGS + 1)]
    points = [(Fraction(guarantee.epsilon(delta)), delta) for delta in deltas if delta]
    assert part(least_damage(guarantee, branch.kind, caps)) == min(map(part, points))


def test_an_answer_with_a_form_of_its_own_keeps_it():
    for guarantee in (PureDP("0.1"), ApproxDP("0.1", "1e-9"), BoundedRange("0.1")):
        assert price(guarantee, SUM, AUTO[0].caps, None) == guarantee.sum_form
        assert price(guarantee, CONCENTRATED, AUTO[1].caps, None) == guarantee.concentrated_form
    assert price(GDP(1), CONCENTRATED, AUTO[1].caps, None) == (Fraction(1, 2), 0)


def test_nothing_implies_a_form_where_no_delta_was_granted():
    (pure,) = branches_for("auto", Amount.limit(1))
    assert pure.cost(GDP("0.01")) is None
    with pytest.raises(UnprovenClaim, match="ApproxDP"):
        cost_of(GDP("0.01"), (pure,))


def test_a_run_is_charged_as_a_one_shot_mechanism_with_its_curve():
    for curve in (PureDP("0.1"), ApproxDP("0.1", "1e-9"), GDP("0.1"), PureDP("0.1").repeat(3)):
        assert one_shot(curve, AUTO) is curve
        assert cost_of(curve, AUTO, interactive=True) == cost_of(curve, AUTO)
    assert one_shot(BoundedRange("0.1"), AUTO) == ApproxDP(*BoundedRange("0.1").sum_form)


@pytest.mark.parametrize("guarantee", [ZCDP("0.0001"), RenyiDP({8: "0.01", 64: "0.1"})], ids=repr)
def test_a_run_known_by_divergences_alone_moves_both_branches_through_an_epsilon_and_delta(guarantee):
    charged = cost_of(guarantee, AUTO, interactive=True)
    point = least_damage(guarantee, SUM, AUTO[0].caps)
    assert charged == cost_of(ApproxDP(*point), AUTO)
    assert all(units is not None and units[1] > 0 for _, units in charged.parts)
    assert charged.rho > (cost_of(guarantee, AUTO).rho if isinstance(guarantee, ZCDP) else 0)  # its own ρ is not enough
    renyi = branches_for("renyi", Amount.limit(1, 1e-6))
    assert one_shot(guarantee, renyi) is guarantee


def test_a_run_that_implies_nothing_that_can_be_paid_is_refused_by_name():
    with pytest.raises(UnprovenClaim, match="interactive run known by ZCDP"):
        one_shot(ZCDP("0.1"), branches_for("auto", Amount.limit(1)))
    assert math.isinf(ZCDP("0.1").epsilon(0))


def test_a_run_says_so_in_its_entry(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", 1, 1e-6, unit="row")
    ledger.reserve(ZCDP("0.0001"), dataset="people", unit="row", interactive=True)
    (entry,) = ledger.entries("people")
    assert entry.guarantee == ZCDP("0.0001", Relation.ADD_REMOVE)
    assert entry.charged == cost_of(ZCDP("0.0001"), AUTO, interactive=True)
    ledger.verify()
