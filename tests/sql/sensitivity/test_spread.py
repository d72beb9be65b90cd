"""In ℓ2, the norm of Gaussian noise: no unit moves the exact answer by more than its sensitivity."""

import re

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalenius.neighbors import Metric, Relation
from dalenius.sql.planner.compile import compile_query
from tests.sql.sensitivity import grammar, worlds
from tests.sql.sensitivity.test_sensitivity import gathered

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(config={"threads": 1}) as opened:
        yield opened


def squares(compiled, answer, pairs):
    """For each group, the largest squared ℓ2 distance between the two worlds of a pair, in whole numbers."""
    places = {name: place for place, name in enumerate(worlds.every_part(compiled))}
    rows = [[places[name] for name in group.parts] for group in compiled.groups]
    return [max(int(((answer[a][own] - answer[b][own]) ** 2).sum()) for a, b in pairs) for own in rows]


def check(connection, query, contributions, seed, sums=None, **terms):
    compiled = compile_query(query, grammar.policy("who", contributions, sums=sums, **terms), norm=Metric.L2)
    listed, removed, changed = gathered(seed)
    answer = worlds.parts_of(connection, compiled, listed)
    for pairs, relation in ((removed, Relation.ADD_REMOVE), (changed, Relation.CHANGE_ONE)):
        for group, moved in zip(compiled.groups, squares(compiled, answer, pairs), strict=True):
            assert moved <= group.sensitivity(relation).square, (query, group, relation)


@pytest.mark.theorem("G sensitivity")
@settings(max_examples=30, suppress_health_check=QUIET)
@given(query=grammar.queries(), contributions=st.integers(1, 4), seed=st.integers(0, 2**32), sums=grammar.SUMS)
def test_no_person_moves_the_answer_by_more_than_the_sensitivity_in_l2(connection, query, contributions, seed, sums):
    """Of 72 pairs of neighbors for each query: one person added or removed, one replaced."""
    check(connection, query, contributions, seed, sums)


@pytest.mark.parametrize("by", ["k", "k, j", "k, j, MONTH(d)"])
def test_no_person_moves_a_sum_by_more_than_its_own_bound_in_l2(connection, by):
    query = f"SELECT {by}, SUM(x), SUM(y), COUNT(DISTINCT who) FROM t GROUP BY {by}"
    check(connection, query, 2, 5, {"SUM(x)": (-2.5, 1), "SUM(y)": (0, 1.75)})


@pytest.mark.long
@settings(max_examples=1500, suppress_health_check=QUIET)
@given(query=grammar.queries(), contributions=st.integers(1, 5), seed=st.integers(0, 2**32))
def test_no_person_moves_the_answer_by_more_than_the_sensitivity_in_l2_at_length(
    connection, query, contributions, seed
):
    check(connection, query, contributions, seed)


MUTANTS = {
    "weights that are not bounded": ("SELECT k, COUNT(*) FROM t GROUP BY k", r'WHEN "s" <= 4 THEN', "WHEN TRUE THEN"),
    "the norm of the largest cell alone": (
        "SELECT k, COUNT(*) FROM t GROUP BY k",
        r'SUM\(CAST\("n" AS INT128\) \* "n"\)',
        'MAX(CAST("n" AS INT128) * "n")',
    ),
    "a root rounded down": (
        "SELECT k, COUNT(*) FROM t GROUP BY k",
        r"\* 1048576\.000001e0",
        "* 1048570.0",
    ),
    "presence by the bound in ℓ1": (
        "SELECT k, j, COUNT(DISTINCT who) FROM t GROUP BY k, j",
        r'WHEN "c" <= 2 THEN',
        'WHEN "c" <= 4 THEN',
    ),
}


MUTANTS |= {
    "sums that are not held": (
        "SELECT k, SUM(x) FROM t GROUP BY k",
        r'CASE WHEN "w0 square" > \d+ THEN',
        "CASE WHEN FALSE THEN",
    ),
    "sums held by the largest cell": (
        "SELECT k, SUM(x) FROM t GROUP BY k",
        r'SUM\(CAST\("s0" AS INT128\) \* "s0"\)',
        'MAX(CAST("s0" AS INT128) * "s0")',
    ),
    "a root of sums rounded down": (
        "SELECT k, SUM(x) FROM t GROUP BY k",
        r"\* 1048576\.000001e0",
        "* 1048570.0",
    ),
}


@pytest.mark.theorem("G sensitivity")
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_norm_is_caught(connection, mutant):
    query, found, broken = MUTANTS[mutant]
    compiled = compile_query(query, grammar.policy("who", 2, sums={"SUM(x)": (-4, 4)}), norm=Metric.L2)
    statement, changes = re.subn(found, broken, compiled.scan)
    assert changes >= 1
    listed, removed, _ = gathered(7, 40)
    sound = squares(compiled, worlds.parts_of(connection, compiled, listed), removed)
    wrong = squares(compiled, worlds.parts_of(connection, compiled, listed, statement), removed)
    assert all(moved <= group.square for moved, group in zip(sound, compiled.groups, strict=True))
    assert any(moved > group.square for moved, group in zip(wrong, compiled.groups, strict=True))


def test_the_bound_is_reached_by_rows_of_one_cell_and_spread_rows_count_for_more(connection):
    """9 rows in one cell weigh T = 2 together, one in each of 9 cells 6: ℓ1 would let them weigh 2."""
    query = "SELECT k, j, COUNT(*) FROM t GROUP BY k, j"
    compiled = compile_query(query, grammar.policy("who", 2), norm=Metric.L2)
    keys = [(k, j) for k in ("a", "b", "it's") for j in (0, 1, -7)]
    blank = (None,) * 7
    one_cell = [(1, "a", 0, *blank)] * 9
    spread = [(1, k, j, *blank) for k, j in keys]
    answer = worlds.parts_of(connection, compiled, [one_cell, spread, []]).astype(np.float64) / 2**20
    assert answer[0].sum() == pytest.approx(2, rel=1e-5)
    assert answer[1].sum() == pytest.approx(6, rel=1e-5)
    assert (answer[1] ** 2).sum() == pytest.approx(4, rel=1e-5)
    assert (answer[1] ** 2).sum() <= 4
