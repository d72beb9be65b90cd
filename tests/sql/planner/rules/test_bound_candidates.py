"""Nobody moves a choice among public candidates by more than is paid for, whatever their rows are."""

import itertools
import math
import sys
from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.neighbors import Relation, Unit
from dalenius.sql import Policy
from dalenius.sql.planner import measurements
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.plans.top_k import TopPlan
from dalenius.sql.tables.joinable import read_public
from dalenius.sql.types.engine_names import SOURCE

MODULE = sys.modules["dalenius.sql.planner.rules.bound_candidates"]
COLUMNS = {"who": "BIGINT", "x": "DOUBLE"}
PRICES = pa.table({"price": [1.0, 2.5, 4.0], "side": [-1.0, 0.5, 1.0], "twice": [1, 1, 2]})
PUBLIC, _ = read_public("prices", PRICES)
FROM = "FROM t CROSS JOIN prices p GROUP BY p.price ORDER BY"
UTILITIES = {
    "a sum from 0 up": "SUM(CASE WHEN x >= p.price THEN p.price ELSE 0 END) DESC",
    "a sum of both signs": "SUM(x * p.side) DESC",
    "a sum up to 0": "SUM(0 - ABS(x - p.price)) DESC",
    "the smallest sum": "SUM(ABS(x - p.price))",
    "rows": "COUNT(CASE WHEN x >= p.price THEN 1 END) DESC",
}
VALUES = (-3.0, 1.5, 2.5, 3.0, math.nan, math.inf, -math.inf, None)


def policy(unit="who", relation=Relation.ADD_REMOVE, contributions=2):
    own = Unit("who", relation) if unit == "who" else Unit.row(relation)
    return Policy.declare(
        "t", COLUMNS, unit=own, bounds={"x": (-3, 3)}, contributions=contributions if unit == "who" else None
    )


def planned(utility, relation=Relation.ADD_REMOVE, unit="who", source=FROM):
    query = f"SELECT p.price {source} {utility} LIMIT 1"
    return TopPlan(compile_query(query, policy(unit, relation), others={"prices": PUBLIC}), 1)


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(config={"threads": 1}) as opened:
        opened.register("public rows", PRICES)
        opened.execute(f'CREATE TABLE "{PUBLIC.place}" AS SELECT * FROM "public rows"')
        yield opened


def scores(connection, plan, rows):
    """What the mechanism chooses by, from rows of (who, x)."""
    connection.execute(f'CREATE OR REPLACE TABLE "{SOURCE}" (who BIGINT, x DOUBLE)')
    if rows:
        connection.executemany(f'INSERT INTO "{SOURCE}" VALUES (?, ?)', rows)
    cells = dict(connection.execute(plan.top.scan).fetchall())
    sign = -1 if plan.top.smallest else 1
    return [sign * int(cells.get(cell, 0)) for cell in range(3)]


def owned():
    """What one person may own: nothing, one row, or more rows than count, all alike or not."""
    return [[], *([x] * n for x in VALUES for n in (1, 2, 5)), [3.0, -3.0, 3.0, 3.0], [None, 2.5, math.nan, 2.5]]


def worst_loss(connection, plan, relation):
    others = [(1, 1.5), (1, 2.5), (2, -3.0), (3, 3.0), (None, 3.0)]
    laws = []
    for rows in owned():
        chances = plan.mechanism.selection.probabilities(scores(connection, plan, [*others, *((9, x) for x in rows)]))
        laws.append([math.log(float(chance.mid())) for chance in chances])
    pairs = itertools.combinations(laws, 2)
    if relation is Relation.ADD_REMOVE:
        pairs = ((laws[0], law) for law in laws)
    return max(abs(one - other) for pair in pairs for one, other in zip(*pair, strict=True))


@pytest.mark.theorem("A Thm 7.1")
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("utility", UTILITIES.values(), ids=UTILITIES)
def test_no_person_moves_the_law_of_the_choice_by_more_than_epsilon(connection, utility, relation):
    worst = worst_loss(connection, planned(utility, relation), relation)
    assert 0.2 < worst <= 1 + 1e-9


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("utility", ["COUNT(DISTINCT who) DESC", "p.price * COUNT(*) DESC"])
def test_nor_do_they_over_a_join_by_an_inequality(connection, utility, relation):
    meeting = "FROM prices p JOIN t ON t.x >= p.price GROUP BY p.price ORDER BY"
    worst = worst_loss(connection, planned(utility, relation, source=meeting), relation)
    assert 0.2 < worst <= 1 + 1e-9


def test_a_person_who_is_not_held_is_caught(connection, monkeypatch):
    monkeypatch.setattr(MODULE, "_held", lambda each, low, high: each)
    assert worst_loss(connection, planned(UTILITIES["a sum from 0 up"]), Relation.ADD_REMOVE) > 1.2


def test_half_the_noise_for_sums_of_both_signs_is_caught(connection, monkeypatch):
    """As if no added person lowered a sum: the range of what one adds is taken from 0 up."""

    def one_sided(*facts, **more):
        top = measurements.TopChoice(*facts, **more)
        return replace(top, steps=top.steps // 2)

    monkeypatch.setattr(MODULE, "TopChoice", one_sided)
    assert worst_loss(connection, planned(UTILITIES["a sum of both signs"]), Relation.ADD_REMOVE) > 1.2


def test_the_number_of_candidates_multiplies_nothing():
    many, _ = read_public("prices", pa.table({"price": [number / 25 for number in range(1, 101)]}))
    query = f"SELECT p.price {FROM} {UTILITIES['a sum from 0 up']} LIMIT 1"
    few, all_ = (compile_query(query, policy(), others={"prices": table}) for table in (PUBLIC, many))
    assert (few.cells, all_.cells) == (3, 100)
    assert few.top.steps == all_.top.steps
    moved = few.top.steps * few.top.lattice.step
    assert float(moved) == pytest.approx(2 * 4.0, rel=1e-6)  # two rows of at most the largest price


def test_where_rows_are_units_each_counts_once_for_a_candidate():
    plan = planned(UTILITIES["a sum from 0 up"], unit="row")
    assert float(plan.top.steps * plan.top.lattice.step) == pytest.approx(4.0, rel=1e-6)
    query = "SELECT p.twice FROM t CROSS JOIN prices p GROUP BY p.twice ORDER BY COUNT(*) DESC LIMIT 1"
    with pytest.raises(UnboundedQuery, match="several times for one candidate"):
        compile_query(query, policy("row"), others={"prices": PUBLIC})
    compile_query(query, policy(), others={"prices": PUBLIC})  # a person is held whatever they meet


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT p.price {FROM} AVG(x) DESC LIMIT 1",
        f"SELECT p.price {FROM} MEDIAN(x) DESC LIMIT 1",
        f"SELECT p.price {FROM} SUM(x) - p.price DESC LIMIT 1",
        f"SELECT p.price {FROM} SUM(x) DESC, COUNT(*) LIMIT 1",
        f"SELECT p.price {FROM} SUM(x) DESC LIMIT 3",
        "SELECT who FROM t CROSS JOIN prices p GROUP BY p.price, p.side ORDER BY COUNT(*) DESC LIMIT 1",
        "SELECT COUNT(*) FROM (SELECT p.price FROM t CROSS JOIN prices p GROUP BY p.price ORDER BY COUNT(*) LIMIT 1)",
        "SELECT a.x FROM t a CROSS JOIN t b GROUP BY a.x ORDER BY COUNT(*) DESC LIMIT 1",
    ],
)
def test_whatever_is_no_choice_by_one_sum_is_refused(query):
    with pytest.raises((UnsupportedQuery, UnboundedQuery)):
        compile_query(query, policy(), others={"prices": PUBLIC})


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT p.price {FROM} SUM(x) DESC",
        f"SELECT p.price, SUM(x) AS s {FROM} s DESC LIMIT 1",
        "SELECT p.price, COUNT(*) AS n FROM t CROSS JOIN prices p GROUP BY p.price",
        "SELECT COUNT(*) FROM t CROSS JOIN prices p",
        "SELECT p.price FROM t LEFT JOIN prices p ON x >= p.price GROUP BY p.price ORDER BY COUNT(*) DESC LIMIT 1",
    ],
)
def test_numbers_over_a_meeting_of_all_rows_are_bounded_by_all_joined_rows(query):
    """Two rows of a person, each with three prices: six may count, and move a count by as many."""
    compiled = compile_query(query, policy(), others={"prices": PUBLIC})
    if compiled.top is not None:  # the ordinary choice among public keys
        assert compiled.top.steps == 6 * 2**20
        return
    (group,) = compiled.groups
    assert group.steps * group.lattice.step <= 6 * (1 if group.question == "COUNT(*)" else 4)
