"""The claim that makes the product true: no unit moves the exact answer by more than its sensitivity."""

import re

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalenius.sql.planner.compile import compile_query
from tests.sql.sensitivity import grammar, worlds

DATABASES = 12


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(config={"threads": 1}) as opened:
        yield opened


def gathered(seed, databases=DATABASES):
    """Data sets and their neighbors in one list, and which of them are neighbors in which way."""
    random, listed, removed, changed = np.random.default_rng(seed), [], [], []
    for _ in range(databases):
        base = worlds.rows(random, 14)
        without, others = worlds.neighbors(random, base)
        here = len(listed)
        listed += [base, *without, *others]
        removed += [(here, here + 1 + place) for place in range(len(without))]
        changed += [(here, here + 1 + len(without) + place) for place in range(len(others))]
    return listed, removed, changed


def check(connection, query, contributions, seed, **terms):
    compiled = compile_query(query, grammar.policy("who", contributions, **terms))
    listed, removed, changed = gathered(seed)
    answer = worlds.parts_of(connection, compiled, listed)
    for group, moved, replaced in zip(
        compiled.groups,
        worlds.furthest(compiled, answer, removed),
        worlds.furthest(compiled, answer, changed),
        strict=True,
    ):
        assert moved <= group.steps, (query, group)
        assert replaced <= group.change, (query, group)
    for pairs, times in ((removed, 1), (changed, 2)):
        furthest = worlds.furthest_weights(connection, compiled, listed, pairs)
        for one, moved in zip(worlds.chosen_by(compiled), furthest, strict=True):
            assert moved <= times * one.steps, (query, one)


QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.mark.theorem("G sensitivity", "A Ex 3.4")
@settings(max_examples=60, suppress_health_check=QUIET)
@given(
    query=grammar.queries(),
    contributions=st.integers(1, 4),
    seed=st.integers(0, 2**32),
    infinity=st.sampled_from(["clamp", "null"]),
    fill=st.sampled_from([{}, {"x": 2, "y": -1e9}]),
    sums=grammar.SUMS,
    null_keys=grammar.NULL_KEYS,
)
def test_no_person_moves_the_answer_by_more_than_the_sensitivity(
    connection, query, contributions, seed, infinity, fill, sums, null_keys
):
    """Of 72 pairs of neighbors for each query: one person added or removed, one replaced."""
    check(connection, query, contributions, seed, infinity=infinity, fill=fill, sums=sums, null_keys=null_keys)


@pytest.mark.theorem("A Ex 3.4")
@pytest.mark.parametrize("sums", [{"SUM(x)": (0, 9)}, {"SUM(x)": (-2.5, 1), "SUM(y)": (0, 1.75)}])
@pytest.mark.parametrize("by", ["", "k", "k, j", "k, j, MONTH(d)"])
@pytest.mark.parametrize(
    "asked", ["SUM(x)", "SUM(y), SUM(x)", "COUNT(DISTINCT who), SUM(y), MEDIAN(x)", "SUM(x), AVG(y)"]
)
def test_no_person_moves_a_sum_by_more_than_its_own_bound(connection, sums, by, asked):
    """Every statement that holds people's sums: of one cell, of few, of many, beside people and beside rows."""
    keys, group = (f"{by}, ", f" GROUP BY {by}") if by else ("", "")
    check(connection, f"SELECT {keys}{asked} FROM t{group}", 2, 11, sums=sums)


@pytest.mark.parametrize("by", ["k, j", "k, j, MONTH(d)"])
@pytest.mark.parametrize("asked", ["COUNT(DISTINCT who)", "COUNT(DISTINCT who), SUM(x), COUNT(*)"])
def test_people_are_counted_alike_in_few_cells_and_in_many(connection, by, asked):
    """Up to 62 cells are the bits of a number; more are counted one by one."""
    for contributions in (1, 2, 5):
        check(connection, f"SELECT {by}, {asked} FROM t GROUP BY {by}", contributions, contributions)


@pytest.mark.long
@settings(max_examples=3000, suppress_health_check=QUIET)
@given(
    query=grammar.queries(),
    contributions=st.integers(1, 5),
    seed=st.integers(0, 2**32),
    sums=grammar.SUMS,
    null_keys=grammar.NULL_KEYS,
)
def test_no_person_moves_the_answer_by_more_than_the_sensitivity_at_length(
    connection, query, contributions, seed, sums, null_keys
):
    check(connection, query, contributions, seed, sums=sums, null_keys=null_keys)


@settings(max_examples=25, suppress_health_check=QUIET)
@given(query=grammar.queries(people=False), seed=st.integers(0, 2**32), null_keys=grammar.NULL_KEYS)
def test_no_row_moves_the_answer_by_more_than_the_sensitivity(connection, query, seed, null_keys):
    compiled = compile_query(query, grammar.policy("row", null_keys=null_keys))
    random = np.random.default_rng(seed)
    base = worlds.rows(random, 14)
    listed = [base, *(base[:place] + base[place + 1 :] for place in range(len(base)))]
    changed = [base[:place] + worlds.rows(random, 1) + base[place + 1 :] for place in range(len(base))]
    changed = [world for world in changed if len(world) == len(base)]
    answer = worlds.parts_of(connection, compiled, [*listed, *changed])
    removed = [(0, place) for place in range(len(listed))]
    replaced = [(0, place) for place in range(len(listed), len(listed) + len(changed))] or [(0, 0)]
    for group, moved, other in zip(
        compiled.groups,
        worlds.furthest(compiled, answer, removed),
        worlds.furthest(compiled, answer, replaced),
        strict=True,
    ):
        assert moved <= group.steps, (query, group)
        assert other <= group.change, (query, group)


@settings(max_examples=15, suppress_health_check=QUIET)
@given(query=grammar.queries(), seed=st.integers(0, 2**32))
def test_the_worlds_of_one_query_are_those_of_many(connection, query, seed):
    """What the other tests run is the compiled statement in each world."""
    compiled = compile_query(query, grammar.policy("who", 2))
    listed, *_ = gathered(seed, 1)
    together = worlds.parts_of(connection, compiled, listed)
    for place, world in enumerate(listed):
        connection.register("arrived", worlds.table([world]))
        connection.execute('CREATE OR REPLACE TEMP TABLE "source" AS SELECT * FROM arrived')
        alone = np.zeros((len(worlds.every_part(compiled)), compiled.cells), object)
        start = 0
        for scan in filter(None, (compiled.scan, *(group.scan for group in compiled.groups))):
            for cell, *parts in connection.execute(scan).fetchall():
                alone[start : start + len(parts), cell] = parts
            start += len(compiled.parts) if scan == compiled.scan else 1
        assert (alone == together[place]).all()


@settings(max_examples=20, suppress_health_check=QUIET)
@given(query=grammar.top_queries(), contributions=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_no_person_lowers_a_number_that_cells_are_chosen_by_or_moves_one_by_more(
    connection, query, contributions, seed
):
    """What monotone mechanisms rest on: who is added raises every cell by 0 to the bound."""
    compiled = compile_query(query, grammar.policy("who", contributions))
    top = compiled.top
    assert (top is None) == (compiled.cells == 1)  # where WHERE leaves one group there is nothing to choose
    if top is None:
        return
    listed, removed, changed = gathered(seed)
    held = worlds.cells_of(connection, listed, top.scan)
    for (a, b), added in [*((pair, True) for pair in removed), *((pair, False) for pair in changed)]:
        for cell in held[a].keys() | held[b].keys():
            moved = held[a].get(cell, 0) - held[b].get(cell, 0)  # the second lacks a person whom the first has
            assert (0 if added else -top.steps) <= moved <= top.steps


@pytest.mark.parametrize("by", ["COUNT(DISTINCT who)", "COUNT(*)"])
def test_cells_chosen_by_numbers_that_are_not_bounded_are_caught(connection, by):
    top = compile_query(f"SELECT k FROM t GROUP BY k ORDER BY {by} DESC LIMIT 1", grammar.policy("who", 2)).top
    listed, removed, _ = gathered(7, 60)
    broken = re.sub(r'COUNT\(DISTINCT "unit"\)', 'COUNT("unit")', top.scan)
    broken = re.sub(r"LEAST\(1048576, \d+ // COUNT\(\*\)\)", "1048576", broken)
    assert broken != top.scan
    for scan, sound in ((top.scan, True), (broken, False)):
        held = worlds.cells_of(connection, listed, scan)
        furthest = max(abs(held[a].get(at, 0) - held[b].get(at, 0)) for a, b in removed for at in held[a] | held[b])
        assert (furthest <= top.steps) is sound


@pytest.mark.parametrize("term", ["MEDIAN(x)", "MODE(k)"])
def test_a_choice_by_weights_that_are_not_bounded_is_caught(connection, term):
    compiled = compile_query(f"SELECT flag, {term} FROM t GROUP BY flag", grammar.policy("who", 2))
    (one,) = worlds.chosen_by(compiled)
    listed, removed, _ = gathered(7, 60)
    broken, changes = re.subn(r"LEAST\(1048576, \d+ // COUNT\(\*\)\)", "1048576", one.scan)
    assert changes == 1
    assert worlds.furthest_weights(connection, compiled, listed, removed) <= [one.steps]
    assert worlds.furthest_weights(connection, compiled, listed, removed, [broken]) > [one.steps]


MUTANTS = {
    "weights that are not bounded": (
        "SELECT k, COUNT(*) FROM t GROUP BY k",
        r"LEAST\(1048576, \d+ // COUNT\(\*\)\)",
        "1048576",
    ),
    "weights in each cell alone": (
        "SELECT k, COUNT(*), COUNT(DISTINCT who) FROM t GROUP BY k",
        r'"w" \* \("n"\)',
        'LEAST(1048576, 2097152 // "n") * ("n")',
    ),
    "people in every cell counted in full": (
        "SELECT k, COUNT(DISTINCT who) FROM t GROUP BY k",
        r'SUM\("g"\)',
        "SUM(1048576)",
    ),
    "a number counted as a gap too": (
        "SELECT COUNT(*), AVG(x) FROM t",
        r'"n" - "c0"',
        '"n"',
    ),
    "a number that is not held": (
        "SELECT SUM(x) FROM t",
        r"LEAST\(GREATEST\((.*?), \(-.*?\)\), .*?e0\)",
        r"LEAST(GREATEST(\1, -4e9), 4e9)",
    ),
    "parts rounded up one by one": (
        "SELECT VARIANCE(x) FROM t WHERE x > 0 AND x < 7",
        r'- "q0" - "r0"',
        '- "q0" - "r0" + 2 * "c0"',
    ),
    "a product of two numbers counted twice": (
        "SELECT COVAR_POP(x, y) FROM t",
        r'- "f0"',
        "",
    ),
    "the second of two numbers not held": (
        "SELECT CORR(x, y) FROM t",
        r'(?s)GREATEST\(\("u0"\) \* 1073741824e0, 0e0\), 1073741824e0',
        'GREATEST(("u0") * 1073741824e0, 0e0), 2147483647e0',
    ),
    "distinct values that are not bounded": (
        "SELECT k, COUNT(DISTINCT note) FROM t GROUP BY k",
        r'"of_p0"\) <= 2',
        '"of_p0") <= 99',
    ),
    "distinct values of each cell alone": (
        "SELECT k, COUNT(DISTINCT note) FROM t GROUP BY k",
        r'PARTITION BY "unit"',
        'PARTITION BY "unit", "cell"',
    ),
    "distinct values by weights": (  # which make a unit's rows light, and not its values fewer
        "SELECT COUNT(DISTINCT note) FROM t",
        r"CAST\(COUNT\(\*\) AS BIGINT\) AS \"p0\" FROM \(SELECT .*",
        'CAST(COUNT(*) AS BIGINT) AS "p0" FROM (SELECT "cell", "of_p0" FROM (SELECT "cell", "of_p0", LEAST(1048576, '
        '2097152 // COUNT(*) OVER (PARTITION BY "unit")) AS "w" FROM "pairs") AS "weighted" WHERE "w" > 0 '
        'GROUP BY "cell", "of_p0") AS "values" GROUP BY "cell"',
    ),
    "weights rounded up": (
        "SELECT k, COUNT(*) FROM t GROUP BY k",
        r"LEAST\(1048576, (\d+) // COUNT\(\*\)\)",
        r"LEAST(1048576, \1 // COUNT(*) + 1)",
    ),
}


HELD = {"SUM(x)": (-4, 4), "SUM(y)": (0, 1.2)}
HELD_MUTANTS = {
    "sums that are not held": (
        "SELECT k, SUM(y) FROM t GROUP BY k",
        r'ABS\(SUM\("s0"\)\) > \d+',
        "FALSE",
    ),
    "sums held in each cell alone": (
        "SELECT k, SUM(x) FROM t GROUP BY k",
        r'SUM\(ABS\("s0"\)\)',
        'MAX(ABS("s0"))',
    ),
    "a norm in which signs cancel": (
        "SELECT k, SUM(x) FROM t GROUP BY k",
        r'SUM\(ABS\("s0"\)\)',
        'ABS(SUM("s0"))',
    ),
    "a scale rounded up": (
        "SELECT SUM(y) FROM t",
        r"(CAST\(\d+ // ABS.*? AS BIGINT\)) ELSE",
        r"\1 + 1 ELSE",
    ),
    "rows weighed by T in place of the sum": (
        "SELECT k, SUM(y) FROM t GROUP BY k",
        r'"w0" \* \(',
        '"w" * (',
    ),
}


@pytest.mark.theorem("A Ex 3.4")
@pytest.mark.parametrize("mutant", HELD_MUTANTS)
def test_a_broken_bound_of_sums_is_caught(connection, mutant):
    query, found, broken = HELD_MUTANTS[mutant]
    compiled = compile_query(query, grammar.policy("who", 2, sums=HELD))
    statement, changes = re.subn(found, broken, compiled.scan)
    assert changes >= 1, compiled.scan
    listed, removed, _ = gathered(7, 60)
    sound = worlds.furthest(compiled, worlds.parts_of(connection, compiled, listed), removed)
    wrong = worlds.furthest(compiled, worlds.parts_of(connection, compiled, listed, statement), removed)
    assert sound[0] <= compiled.groups[0].steps
    assert wrong[0] > compiled.groups[0].steps


@pytest.mark.theorem("G complaints count")
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_rule_is_caught(connection, mutant):
    query, found, broken = MUTANTS[mutant]
    compiled = compile_query(query, grammar.policy("who", 2))
    statement, changes = re.subn(found, broken, compiled.scan or compiled.groups[0].scan)
    assert changes >= 1
    listed, removed, _ = gathered(7, 60)
    sound = worlds.furthest(compiled, worlds.parts_of(connection, compiled, listed), removed)
    wrong = worlds.furthest(compiled, worlds.parts_of(connection, compiled, listed, statement), removed)
    assert all(moved <= group.steps for moved, group in zip(sound, compiled.groups, strict=True))
    assert any(moved > group.steps for moved, group in zip(wrong, compiled.groups, strict=True))
