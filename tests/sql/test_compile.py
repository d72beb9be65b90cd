"""The claim that makes the product true: no unit moves the exact answer by more than its sensitivity."""

import math
import re

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Relation, Unit
from dalenius.sql import Policy
from dalenius.sql.columns import KEY_TYPES, UNIT_TYPES
from dalenius.sql.compile import compile_query

COLUMNS = {"who": "BIGINT", "text": "VARCHAR", "whole": "INTEGER", "real": "DOUBLE", "flag": "BOOLEAN"}
KEYS = {"text": ["a", "b", "it's"], "whole": [0, -7], "real": [0.0, 1.5], "flag": [False, True]}
QUERIES = ["SELECT COUNT(*) FROM t", *(f"SELECT {key}, COUNT(*) FROM t GROUP BY {key}" for key in KEYS)]
PEOPLE = [1, 2, 3]
ROW = st.tuples(
    st.sampled_from([*PEOPLE, None]),
    st.sampled_from(["a", "b", "it's", "undeclared", "", None]),
    st.sampled_from([0, -7, 2**31 - 1, None]),
    st.sampled_from([0.0, -0.0, 1.5, math.nan, math.inf, -math.inf, 1e308, None]),
    st.sampled_from([True, False, None]),
)


def policy(unit, contributions=None):
    return Policy.declare("t", COLUMNS, unit=unit, keys=KEYS, contributions=contributions)


def answers(connection, statement, rows, size):
    """The exact answer of a compiled statement on some rows."""
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    connection.execute(f'CREATE OR REPLACE TABLE "source" ({columns})')
    if rows:
        connection.executemany('INSERT INTO "source" VALUES (?, ?, ?, ?, ?)', rows)
    cells = [0] * size
    for cell, value in connection.execute(statement).fetchall():
        cells[cell] = int(value)
    return cells


def furthest(statement, rows, size, neighbors):
    """The largest ℓ1 distance between the answer on the rows and on a neighbor."""
    connection = duckdb.connect()
    here = answers(connection, statement, rows, size)
    there = [answers(connection, statement, other, size) for other in neighbors]
    connection.close()
    return max((sum(abs(a - b) for a, b in zip(here, other, strict=True)) for other in there), default=0)


def without_each(rows):
    """Every data set that lacks one person; read backwards, every data set with one person added."""
    return [[row for row in rows if row[0] != person] for person in PEOPLE]


@pytest.mark.parametrize("query", QUERIES)
@settings(max_examples=8)
@given(rows=st.lists(ROW, max_size=12), contributions=st.integers(1, 4))
def test_no_person_moves_the_answer_by_more_than_the_sensitivity(query, rows, contributions):
    aggregation, _ = compile_query(query, policy("who", contributions))
    size = 1 if aggregation.keys is None else len(aggregation.keys)
    bound = aggregation.sensitivity(Unit("who")).l1
    assert furthest(aggregation.statement, rows, size, without_each(rows)) <= bound


@pytest.mark.parametrize("query", QUERIES)
@settings(max_examples=8)
@given(rows=st.lists(ROW, max_size=6))
def test_no_row_moves_the_answer_by_more_than_the_sensitivity(query, rows):
    aggregation, _ = compile_query(query, policy("row"))
    size = 1 if aggregation.keys is None else len(aggregation.keys)
    neighbors = [rows[:i] + rows[i + 1 :] for i in range(len(rows))]
    assert furthest(aggregation.statement, rows, size, neighbors) <= aggregation.sensitivity(Unit.row()).l1


@pytest.mark.theorem("G sensitivity", "A Ex 3.4")
@pytest.mark.parametrize("query", QUERIES)
@settings(max_examples=8)
@given(rows=st.lists(ROW, max_size=8), new=st.lists(ROW, max_size=4), contributions=st.integers(1, 3))
def test_no_person_who_is_replaced_moves_it_by_more_than_the_sensitivity_for_that(query, rows, new, contributions):
    aggregation, _ = compile_query(query, policy("who", contributions))
    size = 1 if aggregation.keys is None else len(aggregation.keys)
    neighbors = [
        [*others, *((person, *row[1:]) for row in new)]
        for person, others in zip(PEOPLE, without_each(rows), strict=True)
    ]
    bound = aggregation.sensitivity(Unit("who", Relation.CHANGE_ONE)).l1
    assert furthest(aggregation.statement, rows, size, neighbors) <= bound


MUTANTS = {
    "weights that are not bounded": (r"LEAST\(1048576, \d+ // \"n\"\)", "1048576"),
    "weights bounded in each cell alone": (r'// "n"', '// "owned"'),
    "the largest cell taken for the whole": (r'SUM\("owned"\) AS BIGINT\)', 'MAX("owned") AS BIGINT)'),
}


@pytest.mark.theorem("G complaints count")
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_rule_is_caught(mutant):
    aggregation, _ = compile_query("SELECT text, COUNT(*) FROM t GROUP BY text", policy("who", 2))
    broken, changes = re.subn(MUTANTS[mutant][0], MUTANTS[mutant][1], aggregation.statement)
    assert changes == 1
    rows = [(1, key, 0, 0.0, True) for key in ["a", "b", "it's"] * 5] + [(2, "a", 0, 0.0, True)]
    bound = aggregation.sensitivity(Unit("who")).l1
    assert furthest(aggregation.statement, rows, 3, without_each(rows)) <= bound
    assert furthest(broken, rows, 3, without_each(rows)) > bound


def test_few_rows_count_in_full_and_nobodys_rows_do_not():
    aggregation, _ = compile_query("SELECT text, COUNT(*) FROM t GROUP BY text", policy("who", 2))
    rows = [(1, "a", 0, 0.0, True), (1, "b", 0, 0.0, True), (2, "a", 0, 0.0, True), (None, "a", 0, 0.0, True)]
    connection = duckdb.connect()
    assert [cell / 2**20 for cell in answers(connection, aggregation.statement, rows, 3)] == [2, 1, 0]
    connection.close()


def test_facts_hold_all_that_the_answer_depends_on_but_the_data():
    base = compile_query("SELECT text, COUNT(*) FROM t GROUP BY text", policy("who", 2))[0]
    other = compile_query("SELECT text, COUNT(*) FROM t GROUP BY text", policy("who", 3))[0]
    assert base.facts() != other.facts()
    assert base.facts()["keys"]["values"] == KEYS["text"]


def test_a_query_bounded_for_one_unit_is_not_for_another():
    aggregation, _ = compile_query("SELECT COUNT(*) FROM t", policy("row"))
    with pytest.raises(InvalidParameter, match="each row"):
        aggregation.sensitivity(Unit("who"))


LITERALS = {"VARCHAR": ("a", "'a'"), "BOOLEAN": (True, "true"), "FLOAT": (0.1, "0.1"), "DOUBLE": (0.1, "0.1")}
PEOPLES_NAMES = {
    "VARCHAR": "'x'",
    "UUID": "'6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b'",
    "DATE": "'2024-02-29'",
}


@pytest.mark.parametrize("kind", sorted(KEY_TYPES))
def test_a_key_of_every_type_finds_its_rows(kind):
    key, literal = LITERALS.get(kind, (1, "1"))
    terms = Policy.declare("t", {"k": kind}, unit="row", keys={"k": [key]})
    statement = compile_query("SELECT k, COUNT(*) FROM t GROUP BY k", terms)[0].statement
    with duckdb.connect() as connection:
        connection.execute(f'CREATE TABLE "source" AS SELECT {literal}::{kind} AS k UNION ALL SELECT NULL')
        assert connection.execute(statement).fetchall() == [(0, 1)]


@pytest.mark.parametrize("kind", sorted(UNIT_TYPES))
def test_a_person_named_in_every_type_is_one_person(kind):
    terms = Policy.declare("t", {"who": kind}, unit="who", contributions=1)
    statement = compile_query("SELECT COUNT(*) FROM t", terms)[0].statement
    with duckdb.connect() as connection:
        name = f"{PEOPLES_NAMES.get(kind, '1')}::{kind}"
        connection.execute(f'CREATE TABLE "source" AS SELECT {name} AS who FROM range(4) UNION ALL SELECT NULL')
        assert connection.execute(statement).fetchall() == [(0, 2**20)]
