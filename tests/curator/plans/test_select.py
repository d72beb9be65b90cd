import itertools
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.curator import Curator, TableRelease
from dalenius.curator.plans.select import Select
from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.ledger import Ledger
from dalenius.mechanisms import PartitionSelection
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Keys, Table
from dalenius.queries.groups import Groups
from tests.contracts.selection_laws import number, violates
from tests.statistics.small import column, owned, row_pairs, unit_pairs

EPSILON, DELTA = Fraction(1), Fraction(1, 10)
LEVELS = [Fraction(k, 10) for k in range(0, 31, 5)]
KEYS = ["a", "b", "c"]
UNITS = [["a"], ["b", "a"], ["a", "b", "c"], ["c"] * 3, [None]]


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


def chance(units, groups=1, times=1):
    """The recursion that defines the optimal law, one unit at a time  [DVGM22]."""
    grown, slack = mp.exp(number(EPSILON / groups / times)), number(DELTA / groups / times)
    p = mp.mpf(0)
    for _ in range(units):
        p = min(grown * p + slack, 1 - (1 - p - slack) / grown, mp.mpf(1))
    return p


def law(query, view, chance):
    """P[exactly these keys are named], for every set of keys."""
    values, units = query.evaluate(view)
    counts = dict(zip(values, units.tolist(), strict=True))
    each = [chance(counts.get(key, 0)) for key in KEYS]
    return [
        mp.fprod(p if kept else 1 - p for p, kept in zip(each, named, strict=True))
        for named in itertools.product((True, False), repeat=len(KEYS))
    ]


def plan_of(unit, groups):
    mechanism = PartitionSelection(EPSILON, DELTA, groups)
    if unit.relation is Relation.CHANGE_ONE:
        mechanism = PartitionSelection(EPSILON / 2, DELTA / 2, groups)
    return Select(Groups("x", unit.column, groups), mechanism, unit)


@pytest.mark.parametrize("relation", list(Relation))
def test_every_neighbor_of_every_small_table_is_within_the_guarantee(relation):
    plan, times = plan_of(Unit.row(relation), 1), 1 if relation is Relation.ADD_REMOVE else 2
    assert plan.guarantee.sum_form == (EPSILON, DELTA)
    for first, second in row_pairs(["a", "b", None], 3, relation):
        laws = [law(plan.query, column(data), lambda n: chance(n, 1, times)) for data in (first, second)]
        assert not violates(*laws, plan.guarantee, LEVELS)


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("groups", [1, 2])
def test_units_in_several_groups_are_within_the_guarantee(relation, groups):
    plan, times = plan_of(Unit("u", relation), groups), 1 if relation is Relation.ADD_REMOVE else 2
    for base in ([], [["a", "b"], ["a"]], [["a", "b", "c"]] * 5):
        for first, second in unit_pairs(UNITS, base, relation):
            laws = [law(plan.query, owned(data), lambda n: chance(n, groups, times)) for data in (first, second)]
            assert not violates(*laws, plan.guarantee, LEVELS)


def test_a_unit_in_more_groups_than_priced_is_caught():
    claim = plan_of(Unit("u"), 1).guarantee
    unbounded = Groups("x", "u", 3)
    laws = [law(unbounded, owned(data), chance) for data in ([], [["a", "b", "c"]])]
    assert violates(*laws, claim, LEVELS)
    with pytest.raises(UnboundedQuery):
        Select(unbounded, PartitionSelection(EPSILON, DELTA, 2), Unit("u"))


def test_naming_whatever_occurs_and_a_higher_chance_are_caught():
    plan = plan_of(Unit.row(), 1)
    for wrong in (lambda n: mp.mpf(n > 0), lambda n: min(mp.mpf(1), chance(n) * 1.25)):
        laws = [law(plan.query, column(data), wrong) for data in ([], ["a"])]
        assert violates(*laws, plan.guarantee, LEVELS)


def test_the_chances_of_the_mechanism_are_those_enumerated_here():
    from dalenius.numerics import precision

    with precision(200):
        for groups, n in itertools.product((1, 2), range(12)):
            told = PartitionSelection(EPSILON, DELTA, groups).chance(n)
            assert abs(mp.mpf(told.mid().str(40, radius=False)) - chance(n, groups)) < mp.mpf(10) ** -30


def test_the_named_keys_are_a_table_without_numbers(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=2, delta=0.4, unit="row")
    curator = Curator({"x": ["b"] * 500 + ["a"] * 500 + [3] * 500}, unit="row", ledger=ledger, dataset="people")
    release = curator.release(plan_of(Unit.row(), 1))
    assert isinstance(release, TableRelease)
    assert release.value == {"x": (3, "a", "b")}


def test_no_key_at_all_is_an_answer():
    never = Select(Groups("x"), PartitionSelection(EPSILON, DELTA, 1, 100), Unit.row())
    for rows in ([], [None], ["a"] * 99):
        assert never.run(Table.of({"x": rows}), Bits()).keys == Keys.none("x")


def test_each_key_is_named_as_often_as_its_chance_says():
    # 20 000 groups of three rows: 6 standard deviations have a false alarm of 2e-9, and 25 % off is 17 of them
    values = np.repeat(np.arange(20_000), 3)
    outcome = plan_of(Unit.row(), 1).run(Table.of({"x": values}), Bits())
    p = float(chance(3))
    assert abs(len(outcome.keys) - 20_000 * p) < 6 * (20_000 * p * (1 - p)) ** 0.5
    assert 0.25 * p * 20_000 > 12 * (20_000 * p * (1 - p)) ** 0.5


def test_another_unit_is_refused_and_every_fact_is_in_the_fingerprint():
    with pytest.raises(InvalidParameter):
        Select(Groups("x", "u"), PartitionSelection(EPSILON, DELTA), Unit.row())
    plans = [
        plan_of(Unit.row(), 1),
        plan_of(Unit("u"), 1),
        plan_of(Unit("u"), 2),
        plan_of(Unit("u", Relation.CHANGE_ONE), 1),
    ]
    plans += [Select(Groups("x", salt="s"), PartitionSelection(EPSILON, DELTA), Unit.row())]
    assert len({plan.fingerprint for plan in plans}) == len(plans)


def test_explain_says_which_groups_are_sure_to_be_named():
    plan = plan_of(Unit.row(), 1)
    certain = next(n for n in range(100) if chance(n) == 1)
    told = str(plan.explain())
    assert f"{plan.mechanism.certain} units" in told
    assert certain <= plan.mechanism.certain <= certain + 1
