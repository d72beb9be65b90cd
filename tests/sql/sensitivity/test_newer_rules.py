"""Rules for keys from WHERE, keys that hang together, weighted means and distinct rows: what breaks one is caught."""

import re

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from sqlglot import exp

from dalenius.sql import Policy
from dalenius.sql.planner import public_keys
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.rows import public_terms
from tests.sql.sensitivity import grammar, worlds
from tests.sql.sensitivity.test_sensitivity import gathered

YEARS = "SELECT YEAR(d), MONTH(d), COUNT(*) FROM t WHERE d < '2024-07-01' GROUP BY 1, 2"
LISTED = "SELECT note, COUNT(*) FROM t WHERE note IN ('1', '', 'zz') GROUP BY note"
PAIRS = "SELECT k, COUNT(DISTINCT (note, x)) FROM t GROUP BY k"
WEIGHTED = "SELECT WEIGHTED_AVG(x, y) FROM t"
MUTANTS = {
    "a row in every combination of keys": (
        "row",
        YEARS,
        *(r'"public0"."cell" \* \d+ \+ "public1"."cell" = "joint0"."key"', "TRUE"),
    ),
    "a combination of keys listed twice": ("row", YEARS, r"'0\|1\|2\|", "'0|0|2|"),
    "a key of WHERE listed twice": ("row", LISTED, r"'1\|\|zz'", "'1||1'"),
    "a weighted product counted twice": ("who", WEIGHTED, r'- "f0"', ""),
    "a weight of a mean that is not held": (
        "who",
        WEIGHTED,
        *(
            r'GREATEST\(\("u0"\) \* 1073741824e0, 0e0\), 1073741824e0',
            'GREATEST(("u0") * 1073741824e0, 0e0), 2147483647e0',
        ),
    ),
    "distinct rows that are not bounded": ("who", PAIRS, r'"of_p0"\) <= 2', '"of_p0") <= 99'),
    "distinct rows of each cell alone": ("who", PAIRS, r'PARTITION BY "unit"', 'PARTITION BY "unit", "cell"'),
}


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(config={"threads": 1}) as opened:
        yield opened


def neighbors(unit):
    """Data sets, and pairs of which one lacks a person, or a row, of the other."""
    if unit == "who":
        return gathered(7, 60)[:2]
    base = worlds.rows(np.random.default_rng(5), 60)
    listed = [base, *(base[:place] + base[place + 1 :] for place in range(len(base)))]
    return listed, [(0, place) for place in range(1, len(listed))]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_rule_is_caught(connection, mutant):
    unit, query, pattern, broken = MUTANTS[mutant]
    compiled = compile_query(query, grammar.policy(unit, 2))
    statement, changes = re.subn(pattern, broken, compiled.scan or compiled.groups[0].scan)
    assert changes >= 1, compiled.scan
    listed, pairs = neighbors(unit)
    sound = worlds.furthest(compiled, worlds.parts_of(connection, compiled, listed), pairs)
    wrong = worlds.furthest(compiled, worlds.parts_of(connection, compiled, listed, statement), pairs)
    assert sound[0] <= compiled.groups[0].steps
    assert wrong[0] > compiled.groups[0].steps


POLICY = Policy.declare(
    *("t", {"who": "BIGINT", "a": "VARCHAR", "b": "VARCHAR", "d": "DATE"}),
    **{"unit": "row", "keys": {"a": ["x", "1:", ""]}, "bounds": {"d": ("2023-11-01", "2024-02-29")}},
    as_of="2025-01-01",
)
TEXTS = ["x", "1:", ":1", "1:x", "", "-", "1", None]
ROWS = pa.table(
    {
        "who": range(256),
        "a": [TEXTS[n % 8] for n in range(256)],
        "b": [TEXTS[n // 8 % 8] for n in range(256)],
        "d": pa.array([19662 + n % 121 for n in range(256)], pa.int32()).cast(pa.date32()),
    }
)


def counted(connection, query, change=lambda scan: scan):
    """The sum of a query's exact parts over all cells, and what SQL answers over the same rows."""
    compiled = compile_query(query, POLICY)
    connection.register("arrived", ROWS)
    connection.execute('CREATE OR REPLACE TEMP TABLE "source" AS SELECT * FROM arrived')
    rows = connection.execute(change(compiled.scan or compiled.groups[0].scan)).fetchall()
    return sum(part for _, part in rows), connection.execute(query.replace("FROM t", "FROM source")).fetchall()


WHERE = {
    "a": "SELECT a, COUNT(*) FROM t WHERE a = 'x' OR b = 'x' GROUP BY a",
    "not a": "SELECT a, COUNT(*) FROM t WHERE NOT a IN ('x') GROUP BY a",
    "b": "SELECT b, COUNT(*) FROM t WHERE b IN ('x', '1:x', '-') AND a <> '' GROUP BY b",
    "d": "SELECT YEAR(d), MONTH(d), COUNT(*) FROM t WHERE d > '2023-11-20' GROUP BY 1, 2",
    "days": "SELECT DATE_TRUNC('month', d), DAYNAME(d), COUNT(*) FROM t GROUP BY 1, 2",
}


@pytest.mark.parametrize("asked", WHERE)
def test_every_row_that_is_left_and_has_declared_keys_is_in_one_cell(connection, asked):
    total, groups = counted(connection, WHERE[asked])
    declared = POLICY.keys["a"].values if asked.endswith("a") else None
    assert total == sum(group[-1] for group in groups if declared is None or group[0] in declared) > 0


def test_keys_taken_from_a_condition_that_not_every_row_meets_are_caught(connection, monkeypatch):
    def loose(where):
        for term in where.find_all(exp.EQ, exp.In):
            yield from conditions(term)

    conditions = public_terms._conditions
    for asked in ("a", "not a"):
        with monkeypatch.context() as broken:
            broken.setattr(public_terms, "_conditions", loose)
            with pytest.raises(AssertionError):
                test_every_row_that_is_left_and_has_declared_keys_is_in_one_cell(connection, asked)


def test_a_combination_of_keys_that_is_left_out_is_caught(connection, monkeypatch):
    values = public_keys.joint_values
    monkeypatch.setattr(public_keys, "joint_values", lambda *terms: values(*terms)[:-1])
    for asked in ("d", "days"):
        with pytest.raises(AssertionError):
            test_every_row_that_is_left_and_has_declared_keys_is_in_one_cell(connection, asked)


DISTINCT = ["SELECT COUNT(DISTINCT (a, b)) FROM t", "SELECT COUNT(DISTINCT (a, b, a)) FROM t"]
SIZES = r"CAST\(LENGTH\(CAST\(\"source\"\.\"\w\" AS TEXT\)\) AS TEXT\) \|\| ':' \|\| "


@pytest.mark.parametrize("query", DISTINCT)
def test_distinct_rows_are_counted_as_rows_and_not_as_texts_that_look_alike(connection, query):
    total, ((expected,),) = counted(connection, query)
    assert total == expected
    glued, _ = counted(connection, query, lambda scan: re.sub(SIZES, "", scan))
    assert glued < expected
