import itertools
import math
from fractions import Fraction

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from dalenius.guarantees import PureDP
from dalenius.neighbors import Relation, Unit
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.pricing.rows_per_unit import OCTAVES, PerUnit, groups_histogram, rows_histogram
from tests.sql.sensitivity import worlds

COLUMNS = {"who": "BIGINT", "k": "VARCHAR"}
GROUPED = "SELECT k, COUNT(*) AS n FROM t WHERE who > 7 GROUP BY k"


def policy(relation=Relation.ADD_REMOVE):
    return Policy.declare("t", COLUMNS, unit=Unit("who", relation))


@pytest.fixture(scope="module", autouse=True)
def connection():
    """One engine for hundreds of small tables."""
    with duckdb.connect(config={"threads": 1}) as opened:
        CONNECTION.append(opened)
        yield opened
    CONNECTION.clear()


CONNECTION: list[duckdb.DuckDBPyConnection] = []


def bins(rows, plan=None):
    (opened,) = CONNECTION
    opened.execute('CREATE OR REPLACE TEMP TABLE "source" (who BIGINT, k VARCHAR)')
    if rows:
        opened.executemany('INSERT INTO "source" VALUES (?, ?)', list(rows))
    counts = [0] * (OCTAVES + 2)
    for cell, units in opened.execute((plan or rows_histogram(policy(), 1)).query.scan).fetchall():
        counts[cell] += units
    return counts


def test_each_unit_is_in_the_bin_of_its_number_of_rows():
    sizes = (1, 2, 3, 4, 5, 8, 9)
    rows = [(who, "a") for who, size in enumerate(sizes) for _ in range(size)] + [(None, "a")] * 5
    assert bins(rows)[:6] == [1, 1, 2, 2, 1, 0]
    assert sum(bins(rows)) == len(sizes)
    assert bins([]) == [0] * (OCTAVES + 2)


def test_the_last_bin_is_open():
    table = pa.table({"who": [1] * (2**OCTAVES + 1) + [2] * 2**OCTAVES, "k": ["a"] * (2 ** (OCTAVES + 1) + 1)})
    found = rows_histogram(policy(), 1).query.evaluate(DuckDB(table, table="t")).tolist()
    assert found[-2:] == [1, 1]


def test_groups_are_counted_once_whatever_where_says():
    plan = groups_histogram(GROUPED, policy(), KeySearch(), 1)
    rows = [(1, "a")] * 9 + [(1, "b"), (2, "a"), (2, None), (None, "c"), (3, "x" * 2000)]
    assert bins(rows, plan)[:3] == [1, 1, 0]
    other = groups_histogram(GROUPED.replace("who > 7", "who < 3"), policy(), KeySearch(), 1)
    assert other.fingerprint == plan.fingerprint


def all_data():
    """Every data set of up to four rows of two people, and everyone's rows taken away or replaced."""
    for size in range(5):
        yield from itertools.combinations_with_replacement([(1, "a"), (1, "b"), (2, "a"), (None, "a")], size)


def furthest(plan, query=None):
    """The largest ℓ1 move of the bins when one person comes or goes: of every small data set, with every neighbor."""
    answers = {}
    for rows in all_data():
        answers[rows] = bins(rows, plan) if query is None else query(rows)
    moves = []
    for rows, here in answers.items():
        for person in (1, 2):
            without = tuple(row for row in rows if row[0] != person)
            moves.append(sum(abs(a - b) for a, b in zip(here, answers[without], strict=True)))
    return max(moves)


@pytest.mark.theorem("A Ex 3.4")
@pytest.mark.parametrize("plan", [rows_histogram(policy(), 1), groups_histogram(GROUPED, policy(), KeySearch(), 1)])
def test_no_person_moves_more_than_one_bin(plan):
    """Exactly, over all small data sets: so the divergence of the noisy bins is ε = Δ/scale and no more."""
    assert furthest(plan) == plan.query.sensitivity(Unit("who")).value == 1
    assert plan.guarantee == PureDP(1)
    law, here, there = plan.mechanism.noise, 3, 4
    ratios = [float(law.log_mass(y - here)) - float(law.log_mass(y - there)) for y in range(-20, 30)]
    assert max(map(abs, ratios)) == pytest.approx(1)


def test_a_person_who_is_replaced_moves_two_bins():
    plan = rows_histogram(policy(Relation.CHANGE_ONE), Fraction(1, 2))
    assert plan.query.sensitivity(plan.unit).value == 2
    assert plan.mechanism.scale == 4


def test_a_person_counted_in_two_bins_is_caught():
    """The mutant counts a person in its bin and in all below: bins of people with at least so many rows."""
    plan = rows_histogram(policy(), 1)
    assert furthest(plan, lambda rows: list(itertools.accumulate(reversed(bins(rows, plan))))) > 1


def test_no_row_makes_it_fail():
    with duckdb.connect() as connection:
        random = np.random.default_rng(5)
        listed = [worlds.rows(random, 14) for _ in range(20)]
        connection.register("arrived", worlds.table(listed))
        connection.execute('CREATE TABLE "source" AS SELECT * FROM arrived')
        terms = Policy.declare("t", {"who": "BIGINT", "k": "VARCHAR", "x": "DOUBLE", "y": "DOUBLE"}, unit="who")
        for query in (
            "SELECT x + 0, COUNT(*) FROM t GROUP BY x + 0",
            "SELECT y / x, k, COUNT(*) FROM t GROUP BY y / x, k",
        ):
            plan = groups_histogram(query, terms, KeySearch(), 1)
            assert isinstance(plan.query, PerUnit)
            assert all(0 <= cell <= OCTAVES + 1 for cell, _ in connection.execute(plan.query.scan).fetchall())
    assert math.isfinite(plan.explain().error)
