import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import UnsupportedQuery
from dalenius.guarantees import PureDP
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.plans.choose_plan import plan_for
from dalenius.sql.plans.sums import QueryPlan
from dalenius.sql.plans.top_k import TopPlan, missed_by_noise

COLUMNS = {"who": "BIGINT", "k": "VARCHAR", "x": "DOUBLE"}
KEYS = ["a", "b", "c", "d"]
PEOPLE = "SELECT k FROM t GROUP BY k ORDER BY COUNT(DISTINCT who) DESC LIMIT {}"


def compiled_of(query, relation=Relation.ADD_REMOVE, contributions=5, keys=KEYS):
    terms = Policy.declare(
        *("t", COLUMNS),
        unit=Unit("who", relation),
        keys={"k": keys},
        bounds={"x": (0, 4)},
        contributions=contributions,
    )
    return compile_query(query, terms)


def laws(mechanism, scores):
    """log P of every list of k different cells: each is chosen among those that are left."""
    found = {}
    for listed in itertools.permutations(range(len(scores)), mechanism.k):
        left, total = list(range(len(scores))), 0.0
        for cell in listed:
            chances = mechanism.selection.probabilities([scores[at] for at in left])
            total += math.log(float(chances[left.index(cell)].mid()))
            left.remove(cell)
        found[listed] = total
    return found


def worst_loss(mechanism, relation):
    """Over all sets of cells that a unit may be in, and what it was in before if it is replaced."""
    random, worst = np.random.default_rng(3), 0.0
    sets = list(itertools.product((0, 1), repeat=4))
    for _ in range(2):
        base = random.integers(0, 4, 4)
        listed = [laws(mechanism, (base + held).tolist()) for held in sets]
        pairs = itertools.combinations(listed, 2)
        if relation is Relation.ADD_REMOVE:
            pairs = ((listed[0], other) for other in listed)
        worst = max(worst, *(abs(one[key] - other[key]) for one, other in pairs for key in one))
    return worst


@pytest.mark.theorem("A §5.1 report noisy max", "A Thm 3.3")
@pytest.mark.parametrize("relation", Relation)
def test_no_unit_moves_the_law_of_the_list_by_more_than_epsilon_and_half_the_noise_is_caught(relation):
    plan = TopPlan(compiled_of(PEOPLE.format(2), relation), 1)
    assert plan.guarantee == PureDP(1, relation)
    worst = worst_loss(plan.mechanism, relation)
    assert 0.55 < worst <= 1 + 1e-9
    assert worst_loss(plan.mechanism.scaled(Fraction(1, 2)), relation) > 1


def test_the_law_for_units_that_come_or_go_is_not_enough_for_one_that_is_replaced():
    assert worst_loss(TopPlan(compiled_of(PEOPLE.format(2)), 1).mechanism, Relation.CHANGE_ONE) > 1


def table():
    """Everyone in a, fewer in b, c and d; the first has a thousand rows in d."""
    rows = [(who, key, 1.0) for who in range(400) for place, key in enumerate(KEYS) if who % (place + 1) == 0]
    rows += [(0, "d", 4.0)] * 1000 + [(None, "d", 4.0)] * 1000 + [(1, None, math.nan), (2, "other", 1.0)]
    return pa.table(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("by", ["COUNT(*)", "COUNT(x)", "COUNT(DISTINCT who)", "SUM(x)"])
def test_the_largest_cells_leave_in_order_and_nothing_else_does(by, relation):
    query = f"SELECT k AS name FROM t GROUP BY k ORDER BY {by} DESC LIMIT 3"
    plan = TopPlan(compiled_of(query, relation), 10**6)
    outcome = plan.run(DuckDB(table(), table="t"), Bits())
    assert [item.name for item in outcome.shown] == ["name"]
    assert outcome.column(outcome.shown[0]) == ("a", "b", "c")


def test_distinct_values_are_ranked_by_a_choice_too():
    query = "SELECT k FROM t GROUP BY k ORDER BY COUNT(DISTINCT who + 0) DESC LIMIT 1"
    assert isinstance(plan_for(compiled_of(query), 1), TopPlan)
    outcome = TopPlan(compiled_of(query), 10**6).run(DuckDB(table(), table="t"), Bits())
    assert outcome.column(outcome.shown[0]) == ("a",)


def test_a_choice_is_planned_where_its_proven_error_is_less():
    """One count alone by a choice; several rows by noise; people, whom a choice counts in full in all cells, again."""
    assert isinstance(plan_for(compiled_of("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1"), 1), TopPlan)
    several = plan_for(compiled_of("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 3"), 1)
    assert isinstance(several, QueryPlan)
    assert "planned    noise on all cells: report noisy max in 3 rounds would be ± " in str(several.explain())
    people = plan_for(compiled_of(PEOPLE.format(3)), 1)
    assert isinstance(people, TopPlan)
    assert "planned    report noisy max in 3 rounds: with noise on all cells it would be ± " in str(people.explain())
    assert people.missed < missed_by_noise(people.compiled, Fraction(1))


def test_the_errors_compared_are_those_of_the_laws():
    """Exponential tails: 1/ε a round and a third of β each, against twice a Laplace law of scale 4/ε in 4 cells."""
    people = TopPlan(compiled_of(PEOPLE.format(3)), 1)
    assert float(people.missed) == pytest.approx(3 * math.log(1.5 * 3 * 20), rel=1e-9)
    noisy = float(missed_by_noise(people.compiled, Fraction(1)))
    assert noisy == pytest.approx(2 * 4 * math.log(1 / (1 - 0.95**0.25)), rel=0.01)


def test_the_chosen_miss_no_more_often_than_told():
    """3000 draws: no more than 5 % miss, with 6 standard deviations to spare."""
    plan = TopPlan(compiled_of(PEOPLE.format(1)), 1)
    scores, far = [30, 30 - int(plan.missed) - 1, 30 - int(plan.missed) - 1, 0], 0
    for _ in range(3000):
        far += scores[int(plan.mechanism.release(scores, Bits())[0])] < 30 - plan.missed
    assert far <= 150 + 6 * math.sqrt(3000 * 0.05 * 0.95)


@pytest.mark.parametrize(
    "query",
    [
        *("SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1",),
        *("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) LIMIT 1",),
        *("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1 OFFSET 1",),
        *("SELECT k FROM t GROUP BY k HAVING COUNT(*) > 3 ORDER BY COUNT(*) DESC LIMIT 1",),
        *("SELECT k FROM t GROUP BY k ORDER BY AVG(x) DESC LIMIT 1",),
        *("SELECT k FROM t GROUP BY k ORDER BY SUM(x - 1) DESC LIMIT 1",),
        *("SELECT k FROM t GROUP BY k ORDER BY MEDIAN(x) DESC LIMIT 1",),
        *("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC, SUM(x) LIMIT 1",),
        *("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 4",),
        *("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC",),
    ],
)
def test_what_is_not_so_is_planned_as_before(query):
    assert isinstance(plan_for(compiled_of(query), 1), QueryPlan)


def test_it_is_answered_charged_and_kept_as_a_view(tmp_path):
    db = dalenius.connect(
        table(),
        table="t",
        unit="who",
        contributions=5,
        keys={"k": KEYS},
        budget={"epsilon": 10**4},
        ledger=tmp_path / "l",
    )
    answer = db.sql(PEOPLE.format(2), epsilon=1000)
    assert answer.rows == [("a",), ("b",)]
    assert answer.guarantee.sum_form == (1000, 0)
    assert db.sql(PEOPLE.format(2), epsilon=1000).rows == answer.rows
    assert db.budget.epsilon == 9000
    db.sql(f"CREATE PRIVATE VIEW best AS {PEOPLE.format(1)}", epsilon=1000)
    assert db.sql("SELECT k FROM best").rows == [("a",)]
    three = db.sql("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 3", epsilon=1000)
    assert [row[0] for row in three.rows] == ["a", "b", "c"]


@pytest.mark.parametrize("wanted", [{"within": 100}, {"within": "5%", "max_epsilon": 1}])
def test_an_error_target_needs_a_number_that_is_shown(tmp_path, wanted):
    terms = {"unit": "who", "contributions": 5, "keys": {"k": KEYS}, "budget": {"epsilon": 9}, "table": "t"}
    db = dalenius.connect(table(), ledger=tmp_path / "l", **terms)
    with pytest.raises(UnsupportedQuery):
        db.sql(PEOPLE.format(1), **wanted)
    assert db.budget.epsilon == 9


def test_fingerprints_tell_questions_apart():
    prints = {
        TopPlan(compiled_of(PEOPLE.format(k)), epsilon).fingerprint for k, epsilon in ((1, 1), (2, 1), (1, 2))
    } | {plan_for(compiled_of("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1"), 1).fingerprint}
    assert len(prints) == 4


def test_ties_and_equal_people_keep_every_cell_possible():
    plan = TopPlan(compiled_of(PEOPLE.format(1)), "0.01")
    drawn = Counter(int(plan.mechanism.release([0] * 4, Bits())[0]) for _ in range(2000))
    assert all(abs(times - 500) < 6.2 * math.sqrt(2000 * 0.25 * 0.75) for times in drawn.values())
    assert len(drawn) == 4
