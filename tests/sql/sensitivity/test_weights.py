"""Survey weights: no unit moves a weighted answer by more than its sensitivity, and no weight makes one fail."""

import re
from dataclasses import replace

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalenius.neighbors import Metric
from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.unknown_keys import KeySearch
from tests.sql.error_channel import extremes
from tests.sql.sensitivity import grammar, test_named, test_spread, worlds
from tests.sql.sensitivity.test_sensitivity import check, gathered

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
queries = grammar.queries(aggregates=grammar.weighted_aggregates)


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(config={"threads": 1}) as opened:
        yield opened


@settings(max_examples=15, suppress_health_check=QUIET)
@given(
    query=queries,
    contributions=st.integers(1, 4),
    seed=st.integers(0, 2**32),
    weight=grammar.WEIGHTS,
    infinity=st.sampled_from(["clamp", "null"]),
)
def test_no_person_moves_a_weighted_answer_by_more_than_the_sensitivity(
    connection, query, contributions, seed, weight, infinity
):
    check(connection, query, contributions, seed, weight=weight, infinity=infinity)


@pytest.mark.long
@settings(max_examples=1500, suppress_health_check=QUIET)
@given(query=queries, contributions=st.integers(1, 5), seed=st.integers(0, 2**32), weight=grammar.WEIGHTS)
def test_no_person_moves_a_weighted_answer_by_more_than_the_sensitivity_at_length(
    connection, query, contributions, seed, weight
):
    check(connection, query, contributions, seed, weight=weight)


@settings(max_examples=10, suppress_health_check=QUIET)
@given(query=queries, contributions=st.integers(1, 4), seed=st.integers(0, 2**32), weight=grammar.WEIGHTS)
def test_the_same_holds_in_l2(connection, query, contributions, seed, weight):
    test_spread.check(connection, query, contributions, seed, weight=weight)


@settings(max_examples=10, suppress_health_check=QUIET)
@given(
    query=grammar.named_queries(aggregates=grammar.weighted_aggregates),
    contributions=st.integers(1, 4),
    seed=st.integers(0, 2**32),
    weight=grammar.WEIGHTS,
)
def test_the_same_holds_where_keys_are_to_be_found(connection, query, contributions, seed, weight):
    compiled = compile_query(query, grammar.policy("who", contributions, weight=weight), KeySearch(2))
    test_named.check(connection, compiled, *gathered(seed))


@settings(max_examples=10, suppress_health_check=QUIET)
@given(query=grammar.queries(people=False, aggregates=grammar.weighted_aggregates), seed=st.integers(0, 2**32))
def test_the_same_holds_where_each_row_is_a_unit(connection, query, seed):
    compiled = compile_query(query, grammar.policy("row", weight={"column": "y", "most": 0.7}))
    base = worlds.rows(np.random.default_rng(seed), 14)
    listed = [base, *(base[:place] + base[place + 1 :] for place in range(len(base)))]
    furthest = worlds.furthest(
        compiled, worlds.parts_of(connection, compiled, listed), [(0, place) for place in range(len(listed))]
    )
    assert all(moved <= group.steps for moved, group in zip(furthest, compiled.groups, strict=True))


@pytest.fixture(scope="module")
def odd_engines():
    return [DuckDB(extremes.table(), table="t"), DuckDB(extremes.table(2), table="t")]


@settings(max_examples=15, suppress_health_check=QUIET)
@given(query=queries, weight=grammar.WEIGHTS, norm=st.sampled_from([Metric.L1, Metric.L2]))
def test_no_weight_turns_success_into_failure(odd_engines, query, weight, norm):
    compiled = compile_query(query, grammar.policy("who", weight=weight), norm=norm)
    for engine in odd_engines:
        if compiled.scan:
            engine.scan(compiled.scan, compiled.cells, len(compiled.parts))


HELD = r"LEAST\(GREATEST\(\(\"{}0\"\) \* 536870912e0, 0e0\), 1073741824e0\)"
FREE = r'LEAST(GREATEST(("{}0") * 536870912e0, {}), {})'
MUTANTS = {
    "a weight that is not held from above": (
        "SELECT k, COUNT(*) FROM t GROUP BY k",
        *(HELD.format("v"), FREE.format("v", "0e0", "1e12")),
    ),
    "a negative weight that counts": (
        "SELECT COUNT(note), COUNT(*) FROM t",
        *(HELD.format("u"), FREE.format("u", "-2147483648e0", "1073741824e0")),
    ),
    "a weight beside a mean that is not held": (
        "SELECT k, AVG(y), COUNT(*) FROM t GROUP BY k",
        *(HELD.format("u"), FREE.format("u", "0e0", "2147483647e0")),
    ),
    "a gap counted beside its number": (
        "SELECT AVG(y), COUNT(*) FROM t",
        *(r'CASE WHEN "a0" < 0 THEN \(\(1073741824 \* \(-1 - "a0"\)\) >> 30\) ELSE 0 END', '"a0" & 2147483647'),
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_weight_is_caught(connection, mutant):
    query, found, broken = MUTANTS[mutant]
    compiled = compile_query(query, grammar.policy("who", 2, weight={"column": "x", "most": 2}))
    statement, changes = re.subn(found, broken, compiled.scan)
    assert changes >= 1, compiled.scan
    listed, removed, _ = gathered(7, 60)
    sound = worlds.furthest(compiled, worlds.parts_of(connection, compiled, listed), removed)
    wrong = worlds.furthest(compiled, worlds.parts_of(connection, compiled, listed, statement), removed)
    assert all(moved <= group.steps for moved, group in zip(sound, compiled.groups, strict=True))
    assert any(moved > group.steps for moved, group in zip(wrong, compiled.groups, strict=True))


@pytest.mark.parametrize("asked", ["COUNT(*)", "COUNT(note)", "SUM(y)", "AVG(y)"])
def test_a_sensitivity_that_is_not_multiplied_by_the_largest_weight_is_caught(connection, asked):
    """With the sensitivity of rows that count as one, a person of large weights moves the answer too far."""
    query = f"SELECT k, {asked} FROM t GROUP BY k"
    compiled = compile_query(query, grammar.policy("who", 2, weight={"column": "x", "most": 4}))
    (by_rows,) = compile_query(query, grammar.policy("who", 2)).groups
    (group,) = compiled.groups
    worth = by_rows.steps * by_rows.lattice.step / group.lattice.step
    assert worth < group.steps / 3
    listed, removed, _ = gathered(7, 60)
    (moved,) = worlds.furthest(compiled, worlds.parts_of(connection, compiled, listed), removed)
    assert replace(group, steps=int(worth)).steps < moved <= group.steps
