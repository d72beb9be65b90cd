import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.guarantees import PureDP
from dalenius.mechanisms import Ranks
from dalenius.neighbors import Relation, Unit
from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.plans.quantiles import CellQuantiles, ranks_of

COLUMNS = {"who": "BIGINT", "x": "DOUBLE", "flag": "BOOLEAN"}
PLACES, WEIGHT = 3, 2


def plan_of(level, by="flag", relation=Relation.ADD_REMOVE):
    """A plan on a grid so small that all neighbors can be listed: a unit weighs 2."""
    terms = Policy.declare("t", COLUMNS, unit=Unit("who", relation), bounds={"x": (0, 1)}, contributions=1)
    grouped = f" GROUP BY {by}" if by else ""
    compiled = compile_query(f"SELECT QUANTILE_CONT(x, {level}) FROM t{grouped}", terms)
    return CellQuantiles(compiled, replace(compiled.ranks[0], places=PLACES, steps=WEIGHT), Fraction(1))


def laws(plan, weights):
    """log P[place] in each cell."""
    found = []
    for cell in range(plan.compiled.cells):
        rows = [(place, n) for (at, place), n in sorted(weights.items()) if at == cell]
        ranks = Ranks.of([place for place, _ in rows], [n for _, n in rows], size=PLACES)
        found.append([math.log(float(mass.mid())) for mass in plan.mechanism.masses(ranks)])
    return found


def loss(one, other):
    """The largest |log ratio| of a tuple of places: the draws are independent."""
    return sum(max(abs(a - b) for a, b in zip(*pair, strict=True)) for pair in zip(one, other, strict=True))


def units(cells, most=WEIGHT):
    """Every way in which a unit's weight may lie."""
    return [Counter(held) for n in range(most + 1) for held in itertools.combinations_with_replacement(cells, n)]


@pytest.mark.theorem("A Thm 7.1")
@pytest.mark.parametrize("level", ["0.5", "0.2", "0", "1"])
@pytest.mark.parametrize("by", ["", "flag"])
@pytest.mark.parametrize("relation", Relation)
def test_no_unit_moves_the_draws_of_all_cells_by_more_than_epsilon(level, by, relation):
    plan = plan_of(level, by, relation)
    cells = list(itertools.product(range(plan.compiled.cells), range(PLACES)))
    random, worst = np.random.default_rng(5), 0.0
    for _ in range(4):
        base = Counter({cell: int(random.integers(0, 9)) for cell in cells})
        listed = [laws(plan, base + unit) for unit in units(cells)]
        alone = listed[0] if relation is Relation.ADD_REMOVE else None
        pairs = ((alone, other) for other in listed) if alone else itertools.combinations(listed, 2)
        worst = max(worst, *(loss(*pair) for pair in pairs))
    assert plan.guarantee == PureDP(1, relation)
    assert 0.25 < worst <= 1 + 1e-9


def test_a_unit_bounded_in_each_cell_alone_is_caught():
    """Cells are not free for a unit that is in nine of them with its whole weight."""
    plan = plan_of("0.5", "FLOOR(x * 8)")
    base = Counter({(cell, 0): 6 for cell in range(9)})
    once = Counter({(0, 2): WEIGHT})
    everywhere = Counter({(cell, 2): WEIGHT for cell in range(9)})
    assert plan.compiled.cells == 9
    assert loss(laws(plan, base), laws(plan, base + once)) <= 1
    assert loss(laws(plan, base), laws(plan, base + everywhere)) > 1


def test_a_heavy_place_is_split_into_rows_that_weigh_what_they_may():
    places, weights = np.array([5, 0]), np.array([2, 3 * 2**30 + 7])
    ranks = ranks_of(places, weights, 8, 2**30)
    assert ranks.total == 3 * 2**30 + 9
    assert ranks.runs(0, ranks.blocks).upto.tolist()[-1] == ranks.total


@pytest.mark.parametrize("heaviest", [1, 3, 4])
def test_a_weight_that_grows_moves_the_rows_of_its_place_by_no_more(heaviest):
    """Halving orders the rows of one place by random digits, the first by the first: so each row counts by itself."""

    def rows(weight):
        held = ranks_of(np.array([2]), np.array([weight]), 8, heaviest).weights
        return np.pad(held, (0, 20 - len(held)))

    for weight, more in itertools.product(range(9), range(9)):
        assert abs(rows(weight + more) - rows(weight)).sum() == more


def halved_plan(by="flag", relation=Relation.ADD_REMOVE):
    """Three levels on three places, where a unit weighs 1."""
    terms = Policy.declare("t", COLUMNS, unit=Unit("who", relation), bounds={"x": (0, 1)}, contributions=1)
    asked = "QUANTILE_CONT(x, 0.2), MEDIAN(x), QUANTILE_CONT(x, 0.9)"
    grouped = f" GROUP BY {by}" if by else ""
    compiled = compile_query(f"SELECT {asked} FROM t{grouped}", terms)
    return CellQuantiles(compiled, replace(compiled.ranks[0], places=PLACES, steps=1, row=1), Fraction(1))


def halved_laws(plan, weights):
    """P[places of all levels] in each cell, where every row has a place of its own."""
    found = []
    for cell in range(plan.compiled.cells):
        rows = [(place, n) for (at, place), n in sorted(weights.items()) if at == cell]
        ranks = Ranks.of([place for place, _ in rows], [n for _, n in rows], size=PLACES)
        outputs = plan.mechanism.outputs(ranks)
        found.append([math.log(float(outputs[key].mid())) for key in sorted(outputs)])
    return found


@pytest.mark.theorem("A Thm 3.3")
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("by", ["", "flag"])
def test_several_quantiles_of_all_cells_cost_their_rounds(by, relation):
    plan = halved_plan(by, relation)
    cells = list(itertools.product(range(plan.compiled.cells), range(PLACES)))
    random, worst = np.random.default_rng(5), 0.0
    for _ in range(3):
        base = Counter({cell: int(random.integers(0, 6)) for cell in cells})
        listed = [halved_laws(plan, base + unit) for unit in units(cells, 1)]
        pairs = (
            ((listed[0], other) for other in listed)
            if relation is Relation.ADD_REMOVE
            else itertools.combinations(listed, 2)
        )
        worst = max(worst, *(loss(*pair) for pair in pairs))
    assert plan.guarantee == PureDP(1, relation)
    assert 0.2 < worst <= 1 + 1e-9


def test_three_quantiles_share_two_rounds_and_two_do_not(db):
    three = db.explain("SELECT QUANTILE_CONT(x, 0.2), MEDIAN(x), QUANTILE_CONT(x, 0.9), COUNT(*) FROM t", epsilon=1)
    assert [line.epsilon for line in three.lines] == [Fraction(1, 3), Fraction(2, 3)]
    two = db.explain("SELECT QUANTILE_CONT(x, 0.2), MEDIAN(x), COUNT(*) FROM t", epsilon=1)
    assert [line.epsilon for line in two.lines] == [Fraction(1, 3)] * 3
    assert "cost         1-differential privacy" in str(two)
    assert "1e-06" not in str(two) + str(three)
    extremes = db.explain("SELECT MIN(x), MEDIAN(x), MAX(x) FROM t", epsilon=1)
    assert len(extremes.lines) == 3


def test_halved_quantiles_are_near_those_of_the_data_through_ties_too(tmp_path):
    """Half of the rows are equal, and the split of the first round falls among them."""
    values = [5.0] * 600 + list(np.linspace(0, 10, 600))
    rows = pa.table({"who": range(1200), "x": values})
    terms = {"unit": "who", "contributions": 1, "bounds": {"x": (0, 10)}, "table": "t"}
    db = dalenius.connect(rows, ledger=tmp_path / "l", budget={"epsilon": 10**6}, **terms)
    levels = [0.1, 0.3, 0.5, 0.7, 0.9]
    asked = ", ".join(f"QUANTILE_CONT(x, {level}) AS q{place}" for place, level in enumerate(levels))
    found = list(db.sql(f"SELECT {asked} FROM t", epsilon=5000).value.values())
    assert found == pytest.approx(np.quantile(values, levels), abs=0.1)


def test_a_quantile_is_named_as_it_is_written(db):
    asked = (
        "SELECT QUANTILE_CONT(x, 0.25), QUANTILE_CONT(x, 0.5), PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x) FROM t"
    )
    assert db.explain(asked, epsilon=1).columns == (
        "quantile_cont(x, 0.25)",
        "quantile_cont(x, 0.5)",
        "percentile_cont(0.9) WITHIN GROUP (ORDER BY x)",
    )


@pytest.fixture
def db(tmp_path):
    values = list(np.arange(1000) / 10)
    table = pa.table(
        {"who": [*range(1000), 5, 5], "x": [*values, None, math.nan], "k": [*(["a", "b"] * 500), "a", None]}
    )
    terms = {"unit": "who", "contributions": 3, "bounds": {"x": (0, 100)}, "keys": {"k": ["a", "b", "none"]}}
    return dalenius.connect(table, ledger=tmp_path / "l", budget={"epsilon": 10**6}, table="t", **terms)


def test_quantiles_are_near_those_of_the_data(db):
    query = "SELECT MEDIAN(x), QUANTILE_CONT(x, 0.25), MIN(x), MAX(x) FROM t"
    asked = query.replace("FROM", ", PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY x DESC) AS top FROM")
    found = list(db.sql(asked, epsilon=5000).value.values())
    assert found == pytest.approx([50, 25, 0, 100, 75], abs=0.5)


def test_quantiles_stand_beside_sums_by_keys_and_empty_cells_have_one_too(db):
    answer = db.sql("SELECT k, MEDIAN(x) AS m, COUNT(*) AS n FROM t GROUP BY k HAVING MEDIAN(x) < 1000", epsilon=5000)
    assert [row[0] for row in answer.rows] == ["a", "b", "none"]
    assert [row[1] for row in answer.rows[:2]] == pytest.approx([50, 50], abs=0.5)
    assert 0 <= answer.rows[2][1] <= 100
    assert answer.guarantee.sum_form == (5000, 0)
    assert "ranks" in str(db.explain("SELECT MEDIAN(x) FROM t", epsilon=1))


@pytest.mark.parametrize(
    ("term", "error"),
    [
        *(("MEDIAN(who)", UnboundedQuery), ("MIN(x, 3)", UnsupportedQuery)),
        *(("QUANTILE_CONT(x, 2)", UnsupportedQuery), ("QUANTILE_CONT(x, [0.1, 2])", UnsupportedQuery)),
        *(("MEDIAN(k)", UnsupportedQuery), ("MEDIAN(DISTINCT x)", UnsupportedQuery), ("MAX(SUM(x))", UnsupportedQuery)),
        *(("QUANTILE_CONT(x, x)", UnsupportedQuery), ("MEDIAN(CLAMP(x, 1, 1))", UnsupportedQuery)),
    ],
)
def test_what_has_no_rule_is_refused(db, term, error):
    with pytest.raises(error):
        db.sql(f"SELECT {term} FROM t", epsilon=1)
    assert db.budget.epsilon == 10**6


@pytest.mark.parametrize("epsilon", [1000, 10**6, 10**8])
def test_extremes_of_rows_lie_inside_of_the_data_however_large_epsilon_is(tmp_path, epsilon):
    """The aim lies inside by as much as a draw misses by with a chance of 1/1000: 1e-9 and less that seven all miss."""
    ages = pa.table({"age": [17 + n % 40 for n in range(400)]})
    terms = {"table": "t", "unit": "row", "bounds": {"age": (0, 90)}, "budget": {"epsilon": 10**10}}
    db = dalenius.connect(ages, ledger=tmp_path / "ledger", **terms)
    least, largest = (
        [db.sql(f"SELECT {word}(age) FROM t", epsilon=epsilon, key=f"{word} {n}").value for n in range(7)]
        for word in ("MIN", "MAX")
    )
    assert any(17 - 0.01 < one < 17.01 for one in least)
    assert any(56 - 0.01 < one < 56.01 for one in largest)
