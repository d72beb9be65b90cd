"""NULL as a key: a row is in one cell, that of NULL exactly if its key is NULL, and moves it as any other."""

import math
import re

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalenius.sql.planner.compile import compile_query
from tests.sql.sensitivity import grammar, worlds

NULLS = ("k", "j", "f", "flag", "x")
TERMS = ["k", "j", "f", "flag", "LEFT(k, 1)", "NULLIF(k, 'a')", "CASE WHEN flag THEN k END", "IF(x > 1, j, NULL)"]


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(config={"threads": 1}) as opened:
        yield opened


def counts(connection, compiled, world, statement=None):
    """The count of each cell, by its keys."""
    parts = worlds.parts_of(connection, compiled, [world], statement)[0][0]
    return {compiled.labels(cell): int(part) for cell, part in enumerate(parts) if part}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(terms=st.lists(st.sampled_from(TERMS), min_size=1, max_size=2, unique=True), seed=st.integers(0, 2**32))
def test_each_cell_counts_the_rows_that_the_engine_groups_there(connection, terms, seed):
    """Also those of NULL. A row whose value is not declared is in no cell, and no other cell counts it."""
    compiled = compile_query(
        f"SELECT {', '.join(terms)}, COUNT(*) AS n FROM t GROUP BY {', '.join(terms)}",
        grammar.policy("row", null_keys=NULLS),
    )
    world = worlds.rows(np.random.default_rng(seed), 40, (1,))
    told = counts(connection, compiled, world)
    connection.execute(
        "CREATE OR REPLACE TEMP VIEW t AS SELECT * REPLACE (CASE WHEN isnan(x) THEN NULL ELSE x END AS x, "
        'CASE WHEN isnan(f) THEN NULL ELSE f END AS f) FROM "source"'
    )
    every = connection.execute(f"SELECT {', '.join(terms)}, COUNT(*) FROM t GROUP BY ALL").fetchall()
    listed = {compiled.labels(cell) for cell in range(compiled.cells)}
    assert told == {row[:-1]: row[-1] for row in every if row[:-1] in listed}
    assert all(None not in key or key in listed for key, *_ in ((row[:-1],) for row in every) if declared(key))


def declared(key):
    """Whether every value of a key that is not NULL is one of those that the policy declares, or made of them."""
    public = {*grammar.KEYS["k"], "i", *grammar.KEYS["j"], *(float(np.float32(one)) for one in grammar.KEYS["f"])}
    return all(value is None or value in public for value in key)


SPOILT = {
    "a row of NULL is in every cell": (
        r'(ON "source"\."k") IS NOT DISTINCT FROM',
        r'ON "source"."k" IS NULL OR "source"."k" =',
    ),
    "the frame of NULL is joined twice": (r"RANGE\(4\)", "LIST_CONCAT(RANGE(4), [3])"),
}


def moved(connection, compiled, statement=None):
    """How far one row moves the counts, in steps, of many rows."""
    random, pairs, listed = np.random.default_rng(5), [], []
    for _ in range(40):
        base = worlds.rows(random, 8, (1,))
        listed += [base, base[1:]]
        pairs.append((len(listed) - 2, len(listed) - 1))
    return worlds.furthest(compiled, worlds.parts_of(connection, compiled, listed, statement), pairs)


@pytest.mark.parametrize("broken", SPOILT)
def test_a_frame_in_which_a_row_of_null_counts_twice_is_caught(connection, broken):
    compiled = compile_query("SELECT k, COUNT(*) AS n FROM t GROUP BY k", grammar.policy("row", null_keys=["k"]))
    assert moved(connection, compiled) == [compiled.groups[0].steps]
    spoilt, changes = re.subn(*SPOILT[broken], compiled.scan)
    assert changes == 1
    assert moved(connection, compiled, spoilt) > [compiled.groups[0].steps]


def test_undeclared_values_that_fall_into_null_are_caught(connection):
    compiled = compile_query("SELECT k, COUNT(*) AS n FROM t GROUP BY k", grammar.policy("row", null_keys=["k"]))
    base = [(1, value, 0, 1.0, 1.0, 0.5, True, None, None, None) for value in ("a", "undeclared", None, "")]
    assert counts(connection, compiled, base) == {("a",): 1, (None,): 1}
    spoilt = compiled.scan.replace(
        'ON "source"."k" IS NOT', 'ON CASE WHEN "source"."k" IN (\'a\', \'b\') THEN "source"."k" END IS NOT'
    )
    assert spoilt != compiled.scan
    assert counts(connection, compiled, base, spoilt) != {("a",): 1, (None,): 1}


def test_nan_is_in_the_cell_of_null_and_infinity_is_not(connection):
    compiled = compile_query("SELECT f, COUNT(*) AS n FROM t GROUP BY f", grammar.policy("row", null_keys=["f"]))
    base = [(1, "a", 0, 1.0, 1.0, value, True, None, None, None) for value in (0.5, math.nan, None, math.inf, 7.0)]
    assert counts(connection, compiled, base) == {(0.5,): 1, (None,): 2}
