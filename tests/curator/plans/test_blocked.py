import datetime
import itertools
import logging
import math
import sys
import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from dalenius.curator import Curator, Measure
from dalenius.curator.plans.blocked import Blocked, Result
from dalenius.errors import InvalidParameter, UnknownName, UnprovenClaim
from dalenius.ledger import Ledger
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Sum, Table, View
from tests.curator.plans.test_sampled import Scripted

ROW, ANSWER = Unit.row(), Unit.row(Relation.CHANGE_ONE)
RESULT = Result("z", Fraction(0), Fraction(2), Fraction(1))
AGGREGATE = Measure(Sum("z", (0, 2), missing=1), Geometric(Fraction(2)), ANSWER)  # ε = 1
REACH = 60
DAY = datetime.datetime(2024, 2, 29, 12)


def plan_of(f, parts=2, unit=ROW, plan=AGGREGATE):
    return Blocked(f, ("x",), parts, (RESULT,), plan, unit, "test 1")


def summed(block):
    return block["x"].sum()


def fails_if_nine(block):
    if 9 in block["x"]:
        raise ValueError(f"9 is in {block}")
    return len(block["x"])


def odd_if_nine(block):
    return {0: 0.0, 1: math.nan, 2: [1, 2], 3: math.inf}[int((block["x"] == 9).sum())]


FUNCTIONS = [summed, fails_if_nine, odd_if_nine, lambda block: len(block["x"])]


def table(rows):
    return Table({"x": np.array(rows, np.int64)})


def answers(plan, rows, blocks):
    return tuple(plan.answers(table(rows), np.array(blocks, np.int64)).column("z").tolist())


def neighbors(relation):
    pool = (0, 1, 9)
    for size in range(3):
        for rows in itertools.product(pool, repeat=size):
            if relation is Relation.ADD_REMOVE:
                yield from ((rows, (*rows, row)) for row in pool)
            elif rows:
                yield from ((rows, (*rows[:-1], row)) for row in pool)


@pytest.mark.theorem("A Rem 8.1")
def test_the_answer_of_a_block_is_the_function_of_its_rows_held_in_the_bounds():
    """Blocks {0, 1}, {9} and none: sums 1, 9 held to 2, and 0; where it fails, the public default 1."""
    assert answers(plan_of(summed, 3), (0, 9, 1), (0, 1, 0)) == (1, 2, 0)
    assert answers(plan_of(fails_if_nine, 3), (0, 9, 1), (0, 1, 0)) == (2, 1, 0)


@pytest.mark.theorem("A Rem 8.1")
@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("function", FUNCTIONS)
def test_one_unit_changes_the_answer_of_its_own_block_alone_however_the_function_fails(function, relation):
    plan = plan_of(function, 3, Unit.row(relation))
    for first, second in neighbors(relation):
        shared = first if relation is Relation.ADD_REMOVE else first[:-1]
        for blocks in itertools.product(range(3), repeat=len(shared)):
            for own in range(3):
                here = answers(plan, first, blocks if relation is Relation.ADD_REMOVE else (*blocks, own))
                there = answers(plan, second, (*blocks, own))
                assert all(a == b for at, (a, b) in enumerate(zip(here, there, strict=True)) if at != own)


def law(plan, rows, leak=None):
    """The exact law of the released sum: every assignment of blocks, times noise by its formula."""
    a = math.exp(-1 / 2)
    out = np.zeros(2 * REACH + 1)
    for blocks in itertools.product(range(plan.parts), repeat=len(rows)):
        given = answers(plan, rows, blocks) if leak is None else leak(plan, rows, blocks)
        out += (1 - a) / (1 + a) * a ** np.abs(np.arange(-REACH, REACH + 1) - sum(map(round, given)))
    return out / plan.parts ** len(rows)


def excess(plan, leak=None):
    grid = [(epsilon, plan.guarantee.delta(epsilon)) for epsilon in (0, 0.2, 0.5, 0.8, 1)]
    worst = -1.0
    for first, second in neighbors(plan.unit.relation):
        p, q = law(plan, first, leak), law(plan, second, leak)
        for one, other in ((p, q), (q, p)):
            worst = max(worst, *(np.maximum(one - math.exp(e) * other, 0).sum() - delta for e, delta in grid))
    return worst


@pytest.mark.theorem("A Alg 1")
@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_exact_output_law_keeps_the_promise_for_all_neighbors(function, relation):
    plan = plan_of(function, 2, Unit.row(relation))
    assert plan.guarantee.sum_form == (1, 0)
    assert plan.guarantee.relation is relation
    assert excess(plan) <= 1e-12


def test_a_failure_that_shows_in_every_block_is_caught():
    def all_fail_together(plan, rows, blocks):
        return (2.0,) * plan.parts if 9 in rows else (0.0,) * plan.parts

    assert excess(plan_of(fails_if_nine), all_fail_together) > 1e-2


def test_answers_beyond_the_bounds_are_held_and_a_mutant_that_does_not_is_caught(monkeypatch):
    plan = plan_of(lambda block: 5.0 * len(block["x"]))
    assert excess(plan) <= 1e-12
    monkeypatch.setattr("dalenius.curator.plans.blocked._held", lambda number, default, result: number)
    assert excess(plan) > 1e-2


def test_every_assignment_of_units_is_equally_likely_and_rows_of_a_unit_stay_together():
    view = Table.of({"u": ["a", "b", "a", None], "x": [1, 2, 3, 4]})
    plan = plan_of(summed, 4, Unit("u"))
    seen = Counter(
        tuple(plan.drawn(view, Scripted(script)).tolist()) for script in itertools.product(range(4), repeat=3)
    )
    assert {blocks[3] for blocks in seen} == {-1}
    assert all(blocks[0] == blocks[2] for blocks in seen)
    assert len(seen) == 16
    assert set(seen.values()) == {4}
    rows = plan_of(summed, 4)
    once = Counter(
        tuple(rows.drawn(table([1, 2]), Scripted(s)).tolist()) for s in itertools.product(range(4), repeat=2)
    )
    assert len(once) == 16


def noisy(block):
    sys.stdout.write(f"row {block['x']}")
    sys.stderr.write("row")
    logging.getLogger("f").error("row %s", block["x"])
    warnings.warn("row", stacklevel=1)
    np.log(np.zeros(1)) / 0
    sys.exit(3)


def interrupted(block):
    raise KeyboardInterrupt


def recursive(block):
    return recursive(block)


FAILURES = [
    noisy,
    interrupted,
    recursive,
    lambda block: None,
    lambda block: "text",
    lambda block: [],
    lambda block: [[1.0]],
    lambda block: 1j,
    lambda block: -math.inf,
    lambda block: 10**400,
    lambda block: object(),
    lambda block: block["no such column"],
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("function", FAILURES)
def test_whatever_goes_wrong_is_the_default_and_nothing_is_heard(function, capfd, caplog):
    before = logging.root.manager.disable
    found = plan_of(function, 2).answers(table([1, 2]), np.array([0, 1])).column("z")
    assert found.tolist() == [1.0, 1.0]
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []
    assert logging.root.manager.disable == before


def test_the_function_cannot_write_to_the_data():
    def spoils(block):
        block["x"][:] = 0
        return 0

    data = table([1, 2, 3])
    plan_of(spoils).run(data, Bits())
    assert data.column("x").tolist() == [1, 2, 3]


def test_it_goes_through_the_gate(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    curator = Curator({"x": [1] * 100}, unit="row", ledger=ledger, dataset="people")
    release = curator.release(plan_of(lambda block: 2, 50))
    assert abs(release.value - 100) < 60  # e^−30
    assert curator.budget.epsilon == 0
    with pytest.raises(UnknownName):
        Blocked(summed, ("y",), 2, (RESULT,), AGGREGATE, Unit.row(), "v").check(table([1]))
    with pytest.raises(UnprovenClaim):
        plan_of(summed).check(View())


@pytest.mark.parametrize(
    "build",
    [
        lambda: plan_of(3),
        lambda: plan_of(summed, 0),
        lambda: plan_of(summed, True),
        lambda: plan_of(summed, 2**21),
        lambda: Blocked(summed, (), 2, (RESULT,), AGGREGATE, Unit.row(), "v"),
        lambda: Blocked(summed, ("x",), 2, (), AGGREGATE, Unit.row(), "v"),
        lambda: Blocked(summed, ("x",), 2, (RESULT,), AGGREGATE, Unit.row(), ""),
        lambda: Result("z", Fraction(1), Fraction(1), Fraction(1)),
        lambda: Result("z", Fraction(0), Fraction(1), Fraction(2)),
    ],
)
def test_bad_plans_are_refused(build):
    with pytest.raises(InvalidParameter):
        build()


def test_an_aggregate_for_other_neighbors_is_refused():
    other = Measure(Sum("z", (0, 2)), Geometric(Fraction(2)), Unit.row())
    with pytest.raises(UnprovenClaim):
        plan_of(summed, plan=other)


def test_the_fingerprint_follows_the_version_and_not_the_function():
    same = {plan_of(f).fingerprint for f in FUNCTIONS}
    assert len(same) == 1
    other = Blocked(summed, ("x",), 2, (RESULT,), AGGREGATE, Unit.row(), "test 2")
    assert len(same | {other.fingerprint, plan_of(summed, 3).fingerprint, plan_of(summed, 2, ANSWER).fingerprint}) == 4
    assert "2 random blocks" in str(other.explain())


@pytest.mark.parametrize(
    ("rows", "more"),
    [
        (pd.DataFrame({"x": [1] * 20}), pd.DataFrame({"x": [1] * 20 + [None]})),
        ({"x": [1] * 20}, {"x": [1] * 20 + [None]}),
        ({"x": [1] * 20}, {"x": [1] * 20 + [1.5]}),
        ({"x": [True] * 20}, {"x": [True] * 20 + ["text"]}),
        ({"x": [2**70] * 20}, {"x": [2**70] * 20 + [10**400]}),
        ({"x": np.array(["ab"] * 20)}, {"x": np.array(["ab"] * 20 + ["long " * 9])}),
        (pd.DataFrame({"x": [DAY] * 20}), pd.DataFrame({"x": [DAY] * 20 + [None]})),
        (pd.DataFrame({"x": [DAY] * 20}), pd.DataFrame({"x": [DAY] * 20 + ["text"]})),
        ({"x": np.array([DAY] * 20, "datetime64[h]")}, {"x": np.array([DAY] * 21, "datetime64[ns]")}),
        ({"x": [DAY] * 20}, {"x": [DAY] * 20 + [datetime.date.max]}),
    ],
    ids=["pandas null", "null", "float", "text", "huge", "long text", "no date", "date and text", "unit", "far date"],
)
def test_one_row_more_changes_what_its_own_block_is_given_and_no_other(rows, more):
    """The type of a whole column would tell every block of one row elsewhere."""
    given = []

    def seen(block):
        given.append((block["x"].dtype, block["x"].tolist()))
        return 0.0

    plan, blocks = plan_of(seen, parts=3), np.arange(20) % 3
    plan.answers(Table.of(rows), blocks)
    plan.answers(Table.of(more), np.append(blocks, 2))
    assert given[0:2] == given[plan.parts : plan.parts + 2]
    assert given[2] != given[plan.parts + 2]


def test_a_function_is_given_dates():
    def latest(block):
        return float((block["x"].max() - np.datetime64("2024-02-28", "us")) / np.timedelta64(1, "D"))

    answers = plan_of(latest, parts=1).answers(Table.of(pd.DataFrame({"x": [DAY, DAY]})), np.zeros(2, np.int64))
    assert answers.column("z").tolist() == [1.5]


def test_the_type_of_the_whole_column_handed_on_is_caught():
    """The mutant: an added NULL turns the numbers of every block into another type."""
    kinds = [Table.of(pd.DataFrame({"x": rows})).column("x").dtype for rows in ([1] * 20, [1] * 20 + [None])]
    assert kinds[0] != kinds[1]
