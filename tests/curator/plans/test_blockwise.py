import itertools
from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator import (
    AttributeBlocks,
    Blockwise,
    Curator,
    Derived,
    HashedBlocks,
    Measure,
    Shown,
    Together,
)
from dalenius.curator.formula import Cell
from dalenius.errors import BudgetExceeded, InvalidParameter, MixedRelations, UnknownName, UnprovenClaim
from dalenius.ledger import Ledger
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Contributions, Count, Table, View

WHO = Unit("u")
COUNTED = Measure(Count(contributions=Contributions("u", 2)), Geometric(Fraction(2 * 2**20)), WHO)
ROWS = Measure(Count(), Geometric(Fraction(1)), Unit.row())
MONTHS = ("jan", "feb", "mar")
THIRDS = HashedBlocks("thirds", 3)


def table(people):
    """People, each a list of the months of their rows."""
    rows = [(name, month) for name, months in people.items() for month in months]
    return Table.of({"u": [name for name, _ in rows], "month": [month for _, month in rows]})


def kept(rule, view, label, unit=WHO):
    mask = rule.rows(view, unit, (label,))
    return [
        row
        for row, here in zip(zip(*(c.tolist() for c in view.columns.values()), strict=True), mask, strict=True)
        if here
    ]


@pytest.mark.theorem("A Prop 4.3")
@pytest.mark.parametrize(("rule", "labels"), [(THIRDS, THIRDS.labels), (AttributeBlocks("month"), MONTHS)])
def test_a_person_moves_what_is_read_of_one_block_at_most(rule, labels):
    others = {"a": ["jan", "feb"], "b": ["mar"], "c": ["feb", None, 3]}
    for months in itertools.product([*MONTHS, None, "another"], repeat=2):
        with_one = others | {"z": list(months)}
        moved = [label for label in labels if kept(rule, table(others), label) != kept(rule, table(with_one), label)]
        assert len(moved) <= 1


def test_a_month_of_rows_in_place_of_people_is_caught():
    def by_rows(people, label):
        return [
            row for row in zip(*(c.tolist() for c in table(people).columns.values()), strict=True) if row[1] == label
        ]

    others = {"a": ["jan"]}
    one = others | {"z": ["jan", "feb"]}
    assert sum(by_rows(others, month) != by_rows(one, month) for month in MONTHS) == 2


def test_hashed_blocks_divide_the_people_evenly_and_by_name_alone():
    view = Table.of({"u": np.arange(3000)})
    parts = [THIRDS.rows(view, WHO, (label,)) for label in THIRDS.labels]
    assert (np.sum(parts, axis=0) == 1).all()
    assert all(abs(part.sum() - 1000) < 160 for part in parts)  # 26 is a standard deviation
    floats = THIRDS.rows(Table.of({"u": np.arange(3000.0)}), WHO, THIRDS.labels[:1])
    assert (floats == parts[0]).all()
    assert not THIRDS.rows(Table.of({"u": [None, None]}), WHO, THIRDS.labels).any()


def test_a_persons_block_does_not_hang_on_which_blocks_are_read_or_declared():
    view = table({"a": ["apr", "feb"], "b": ["feb", "mar"]})
    rule = AttributeBlocks("month")
    assert kept(rule, view, "feb") == [("b", "feb")]
    assert kept(rule, view, "mar") == []
    assert kept(rule, view, "apr") == [("a", "apr")]


def test_rows_that_are_units_are_in_the_block_of_their_own_text():
    view = Table.of({"month": ["jan", None, "feb", 1, "jan"]})
    assert AttributeBlocks("month").rows(view, Unit.row(), ("jan",)).tolist() == [True, False, False, False, True]


@pytest.mark.filterwarnings("error")
def test_no_rows_are_no_trouble():
    assert AttributeBlocks("month").rows(Table.of({"u": [], "month": []}), WHO, MONTHS).size == 0
    assert Blockwise(COUNTED, THIRDS, ("0 of 3",)).run(Table.of({"u": []}), Bits()).columns[0].values


@pytest.mark.theorem("A Prop 4.3")
def test_only_the_blocks_that_are_read_are_charged(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="u")
    ledger.partition("people", "thirds", THIRDS.labels, kind="hash")
    curator = Curator({"u": np.repeat(np.arange(300), 2)}, unit="u", ledger=ledger, dataset="people")
    for label in THIRDS.labels:
        plan = Blockwise(COUNTED, THIRDS, (label,))
        assert plan.guarantee.sum_form == (1, 0)  # two rows of each person over a scale of two rows
        curator.release(plan)
    assert curator.budget.epsilon == 0
    with pytest.raises(BudgetExceeded):
        curator.release(Blockwise(COUNTED, THIRDS, ("0 of 3",)), fresh=True)
    with pytest.raises(BudgetExceeded):
        curator.release(COUNTED)
    with pytest.raises(UnknownName):
        curator.release(Blockwise(COUNTED, HashedBlocks("thirds", 4), ("0 of 4",)))
    with pytest.raises(UnknownName):
        curator.release(Blockwise(COUNTED, HashedBlocks("other", 3), ("0 of 3",)))


def test_what_is_made_of_it_keeps_the_blocks_and_plans_together_are_charged_to_all():
    plan = Blockwise(COUNTED, THIRDS, ("1 of 3",))
    assert Derived(plan, [Shown("n", Cell("value"))]).blocks == plan.blocks
    assert Together([plan]).blocks is None


@pytest.mark.theorem("A Rem 4.3")
def test_changed_units_have_no_blocks():
    changed = Measure(Count(), Geometric(Fraction(1)), Unit("u", Relation.CHANGE_ONE))
    with pytest.raises(MixedRelations, match="move it between blocks"):
        Blockwise(changed, THIRDS, ("0 of 3",))


def test_bad_blocks_are_refused():
    with pytest.raises(UnprovenClaim):
        Blockwise(ROWS, THIRDS, ("0 of 3",))
    with pytest.raises(UnprovenClaim):
        Blockwise(COUNTED, THIRDS, ("0 of 3",)).check(View())
    for build in (
        lambda: Blockwise(COUNTED, THIRDS, ("3 of 3",)),
        lambda: Blockwise(COUNTED, THIRDS, ()),
        lambda: Blockwise(COUNTED, AttributeBlocks("thirds"), ("0 of 3",)),
        lambda: HashedBlocks("x", 0),
        lambda: HashedBlocks("x", True),
    ):
        with pytest.raises(InvalidParameter):
            build()


def test_the_fingerprint_follows_rule_and_labels():
    plans = [
        Blockwise(COUNTED, THIRDS, ("0 of 3",)),
        Blockwise(COUNTED, THIRDS, ("1 of 3",)),
        Blockwise(COUNTED, HashedBlocks("other", 3), ("0 of 3",)),
        Blockwise(COUNTED, AttributeBlocks("thirds"), ("jan",)),
    ]
    assert len({plan.fingerprint for plan in plans} | {COUNTED.fingerprint}) == 5
    assert "0 of 3" in str(plans[0].explain())
