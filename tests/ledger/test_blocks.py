import itertools
import math

import pytest

from dalenius.errors import (
    BudgetExceeded,
    InvalidParameter,
    LedgerMismatch,
    MixedRelations,
    UnknownName,
    UnprovenClaim,
)
from dalenius.guarantees import ApproxDP, PureDP
from dalenius.ledger import Blocks, Ledger, Partition
from dalenius.neighbors import Relation, Unit

MONTHS = [f"2025-{month:02d}" for month in range(1, 13)]


@pytest.fixture
def ledger(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("people", epsilon=1, unit="id")
    return book


def ask(ledger, epsilon, partition=None, *labels):
    blocks = None if partition is None else Blocks(partition, labels)
    return ledger.reserve(PureDP(epsilon), dataset="people", unit="id", blocks=blocks)


def test_each_block_has_the_whole_budget_and_everyone_counts_in_all(ledger):
    ledger.partition("people", "region", ["north", "south", "west"], kind="attribute")
    ask(ledger, 0.25)
    ask(ledger, 0.75, "region", "north")
    ask(ledger, 0.5, "region", "south", "west")
    with pytest.raises(BudgetExceeded, match=r"block 'north' of 'people' was asked for ε = 0.1; what is left is ε = 0"):
        ask(ledger, 0.1, "region", "south", "north")
    with pytest.raises(BudgetExceeded):
        ask(ledger, 0.1)
    ask(ledger, 0.25, "region", "south")
    assert ledger.remaining("people").epsilon == 0
    assert float(ledger.budget("people", block="west").branches[0].readings[0].left) == 0.25
    assert [entry.blocks for entry in ledger.entries("people")][2] == Blocks("region", ("south", "west"))
    ledger.verify()


@pytest.mark.theorem("A Prop 4.3")
def test_the_worst_unit_of_any_block_loses_exactly_the_cap():
    # randomized response on a unit's bit, asked of everyone and of its own block; other blocks never see it
    def likelihood(bit, outs, budgets):
        chances = (math.exp(e * (bit == out)) / (1 + math.exp(e)) for e, out in zip(budgets, outs, strict=True))
        return math.prod(chances)

    for own in ((0.25, 0.75), (0.25, 0.5, 0.25)):
        worst = max(
            math.log(likelihood(0, outs, own) / likelihood(1, outs, own))
            for outs in itertools.product((0, 1), repeat=len(own))
        )
        assert worst == pytest.approx(1, abs=1e-12)


def hockey_stick(epsilon, budgets):
    """The exact δ(ε) for one person whose bit is asked by randomized response with each of these budgets."""
    total = 0.0
    for outs in itertools.product((0, 1), repeat=len(budgets)):
        p = math.prod(math.exp(e * (out == 0)) / (1 + math.exp(e)) for e, out in zip(budgets, outs, strict=True))
        q = math.prod(math.exp(e * (out == 1)) / (1 + math.exp(e)) for e, out in zip(budgets, outs, strict=True))
        total += max(0.0, p - math.exp(epsilon) * q)
    return total


def spent_by_months(ledger, step):
    """Ask of one month after another as long as the ledger lets it; the budgets that a person of all months pays."""
    paid = []
    for month in MONTHS:
        try:
            ask(ledger, step, "month", month)
        except BudgetExceeded:
            continue
        paid.append(step)
    return paid


@pytest.mark.parametrize("step", [0.25, 0.08, 0.05])
def test_a_person_in_twelve_months_stays_within_the_cap(ledger, step):
    ledger.partition("people", "month", MONTHS, kind="row", per_unit=12)
    paid = spent_by_months(ledger, step)
    assert hockey_stick(1, paid) <= 1e-12
    assert len(paid) == (12 if step <= 0.08 else 0)
    ledger.verify()


def test_charging_each_month_alone_is_caught_by_enumeration(ledger, monkeypatch):
    monkeypatch.setattr(
        Partition, "declare", lambda unit, name, labels, kind, per: Partition(name, tuple(labels), kind, 1)
    )
    ledger.partition("people", "month", MONTHS, kind="row", per_unit=12)
    paid = spent_by_months(ledger, 1)  # each month has room for all of ε = 1, and δ = 0 was promised
    assert len(paid) == 12
    # the promise was δ(1) = 0; twelve responses attain their optimal composition
    assert hockey_stick(1, paid) == pytest.approx(PureDP(1).repeat(12).delta(1.0))
    assert hockey_stick(1, paid) > 0.5


def test_a_unit_of_two_blocks_cannot_have_one_in_either_branch_of_the_filter(tmp_path):
    """Block by block the disjunction would hold: one block fills the plain sums, the other the concentrated ones."""
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, delta=1e-3, unit="id")
    ledger.partition("people", "half", ["a", "b"], kind="row", per_unit=2)
    fill_sums, fill_rho = ApproxDP(0.5, 0), PureDP(0.02)
    ledger.reserve(fill_sums, dataset="people", unit="id", blocks=Blocks("half", ("a",)))
    count = 0
    while ledger.admits(fill_rho, dataset="people", blocks=Blocks("half", ("b",))):
        ledger.reserve(fill_rho, dataset="people", unit="id", blocks=Blocks("half", ("b",)))
        count += 1
    assert count == 25  # the plain sums of b, as those of a; the concentrated branch was overrun by a
    assert ApproxDP(0.5, 0).compose(PureDP(0.02).repeat(count)).delta(1.0) <= 1e-3


def test_all_of_one_branch_can_be_used_when_all_blocks_keep_to_it(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, delta=1e-3, unit="id")
    ledger.partition("people", "half", ["a", "b"], kind="row", per_unit=2)
    for label in ("a", "b"):
        for _ in range(60):  # 60·0.02·2 is far more than 1
            ledger.reserve(PureDP(0.02), dataset="people", unit="id", blocks=Blocks("half", (label,)))
    assert PureDP(0.02).repeat(120).delta(1.0) <= 1e-3


def test_change_one_has_no_blocks(ledger):
    ledger.create("fixed", epsilon=1, unit=Unit("id", Relation.CHANGE_ONE))
    with pytest.raises(MixedRelations, match=r"A Rem 4\.3"):
        ledger.partition("fixed", "region", ["a", "b"], kind="attribute")


def test_rows_of_a_person_are_no_blocks_unless_their_number_is_bounded(ledger):
    with pytest.raises(UnprovenClaim, match="per_unit"):
        ledger.partition("people", "month", MONTHS, kind="row")
    with pytest.raises(InvalidParameter, match="how a unit is put"):
        ledger.partition("people", "month", MONTHS)
    with pytest.raises(InvalidParameter, match="must be 1"):
        ledger.partition("people", "month", MONTHS, kind="hash", per_unit=3)
    for wrong in (0, True, 1.5):
        with pytest.raises(InvalidParameter, match="per_unit"):
            ledger.partition("people", "month", MONTHS, kind="row", per_unit=wrong)
    ledger.create("rows", epsilon=1, unit="row")
    ledger.partition("rows", "month", MONTHS)
    ledger.reserve(PureDP(1), dataset="rows", unit="row", blocks=Blocks("month", (MONTHS[0],)))
    ledger.reserve(PureDP(1), dataset="rows", unit="row", blocks=Blocks("month", (MONTHS[1],)))


def test_there_is_one_partition_and_only_its_blocks(ledger):
    with pytest.raises(UnknownName, match="no partition"):
        ask(ledger, 0.1, "region", "north")
    ledger.partition("people", "region", ["north", "south"], kind="attribute")
    ledger.partition("people", "region", ["south", "north"], kind="attribute")
    with pytest.raises(LedgerMismatch, match="second partition"):
        ledger.partition("people", "age", ["young", "old"], kind="attribute")
    with pytest.raises(UnknownName, match="'east'"):
        ask(ledger, 0.1, "region", "east")
    with pytest.raises(UnknownName, match="'age'"):
        ask(ledger, 0.1, "age", "young")
    with pytest.raises(UnknownName, match="'east'"):
        ledger.budget("people", block="east")


@pytest.mark.parametrize("labels", [(), ("a", "a"), (1,), ("",), ("\ud800",), [f"{i}" for i in range(10_001)]])
def test_labels_are_some_different_texts(labels):
    with pytest.raises(InvalidParameter):
        Blocks("region", labels)


def test_a_partition_comes_back_from_its_words():
    kept = Partition.declare(Unit("id"), "month", MONTHS, "row", 12)
    assert Partition.from_dict(kept.to_dict()) == kept
    assert Blocks.from_dict(Blocks("month", ("b", "a")).to_dict()) == Blocks("month", ("a", "b"))
