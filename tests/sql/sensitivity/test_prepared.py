"""No unit moves what is read from a prepared table by more than is claimed; preparing it wrongly is caught."""

import re

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dalenius.errors import UnsupportedQuery
from dalenius.sql.prepared.compile import compile_prepared
from dalenius.sql.prepared.recipe import Preparation
from tests.sql.sensitivity import grammar, worlds
from tests.sql.sensitivity.test_sensitivity import gathered

KEY = "5a" * 32
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(config={"threads": 1}) as opened:
        opened.execute("SET ieee_floating_point_ops = true")
        yield opened


def kept(connection, listed, statement):
    """Every world's kept table, as rows of Arrow."""
    connection.register("arrived", worlds.table(listed))
    connection.execute('CREATE OR REPLACE TEMP TABLE "source" AS SELECT * FROM arrived')
    return connection.sql(worlds.in_worlds(statement)).to_arrow_table()


def parts_of(connection, compiled, listed, statement):
    """The exact integers, [world, part, cell]: of the kept rows, and of all rows for groups with scans of their own."""
    names = worlds.every_part(compiled)
    answer = np.zeros((len(listed), len(names), compiled.cells), object)
    rows = kept(connection, listed, statement)
    for group in compiled.groups:
        if group.scan:
            worlds._fill(connection, group.scan, {names.index(part): part for part in group.parts}, answer)
    over(connection, rows)
    if compiled.scan:
        worlds._fill(connection, compiled.scan, {names.index(part): part for part in compiled.parts}, answer)
    return answer


def over(connection, rows):
    connection.register("kept_rows", rows)
    connection.execute('CREATE OR REPLACE TEMP TABLE "source" AS SELECT * FROM kept_rows')


def ranks_of(connection, compiled, pairs, size):
    """For each quantile the largest ℓ1 distance of a pair, over the kept rows that are there."""
    told = []
    for rank in compiled.ranks:
        held = [{} for _ in range(size)]
        found = connection.execute(worlds.in_worlds(rank.scan)).fetchnumpy()
        columns = (found[name].tolist() for name in ("world", "cell", "place", "weight"))
        for world, cell, place, weight in zip(*columns, strict=True):
            held[world][cell, place] = int(weight)
        told.append(max(worlds.apart(held[a], held[b]) for a, b in pairs))
    return told


def check(connection, query, contributions, seed, **terms):
    preparation = Preparation.of(grammar.policy("who", contributions, **terms))
    try:
        compiled = compile_prepared(query, preparation, asked=True)
    except UnsupportedQuery:
        assume(False)
    listed, removed, changed = gathered(seed)
    answer = parts_of(connection, compiled, listed, preparation.statement(KEY))
    furthest = (worlds.furthest(compiled, answer, pairs) for pairs in (removed, changed))
    for group, moved, replaced in zip(compiled.groups, *furthest, strict=True):
        assert moved <= group.steps, (query, group)
        assert replaced <= group.change, (query, group)
    for pairs, times in ((removed, 1), (changed, 2)):
        for rank, moved in zip(compiled.ranks, ranks_of(connection, compiled, pairs, len(listed)), strict=True):
            assert moved <= times * rank.steps, (query, rank)


@pytest.mark.theorem("G sensitivity", "A Ex 3.4")
@settings(max_examples=15, suppress_health_check=QUIET)
@given(
    query=grammar.queries(),
    contributions=st.integers(1, 4),
    seed=st.integers(0, 2**32),
    infinity=st.sampled_from(["clamp", "null"]),
    fill=st.sampled_from([{}, {"x": 2, "y": -1e9}]),
    null_keys=grammar.NULL_KEYS,
)
def test_no_person_moves_a_prepared_answer_by_more_than_the_sensitivity(
    connection, query, contributions, seed, infinity, fill, null_keys
):
    """With WHERE too, of 72 pairs of neighbors for each query: one person added or removed, one replaced."""
    check(connection, query, contributions, seed, infinity=infinity, fill=fill, null_keys=null_keys)


@pytest.mark.long
@settings(max_examples=1500, suppress_health_check=QUIET)
@given(
    query=grammar.queries(), contributions=st.integers(1, 5), seed=st.integers(0, 2**32), null_keys=grammar.NULL_KEYS
)
def test_no_person_moves_a_prepared_answer_by_more_than_the_sensitivity_at_length(
    connection, query, contributions, seed, null_keys
):
    check(connection, query, contributions, seed, null_keys=null_keys)


def moved_rows(rows, pairs):
    """For each pair of worlds, by how many rows their kept tables differ."""
    told = {}
    for row in rows.to_pylist():
        world = row.pop("world")
        told.setdefault(world, []).append(repr(sorted(row.items())))
    apart = []
    for one, other in pairs:
        left, right = sorted(told.get(one, [])), sorted(told.get(other, []))
        both = set(left) | set(right)
        apart.append(sum(abs(left.count(row) - right.count(row)) for row in both))
    return apart


def test_a_person_brings_at_most_the_declared_rows_and_moves_no_others(connection):
    """The kept table itself: neighbors differ by at most T rows, all of them the person's own."""
    listed, removed, changed = gathered(11, 60)
    for most in (1, 2, 3):
        rows = kept(connection, listed, Preparation.of(grammar.policy("who", most)).statement(KEY))
        assert max(moved_rows(rows, removed)) == most
        assert max(moved_rows(rows, changed)) <= 2 * most


def test_the_same_rows_in_another_order_are_kept(connection):
    listed, *_ = gathered(5, 20)
    statement = Preparation.of(grammar.policy("who", 2)).statement(KEY)
    rows = kept(connection, [*listed, *(world[::-1] for world in listed)], statement)
    assert set(moved_rows(rows, [(place, place + len(listed)) for place in range(len(listed))])) == {0}


def test_equal_rows_have_equal_chances_and_another_key_keeps_others(connection):
    """Of one odd row among two equal ones one is kept: by a third of 3000 people the odd one, ± 6 standard errors."""
    odd, common = ("b", *[None] * 8), ("a", *[None] * 8)
    people = [(who, *row) for who in range(3000) for row in (common, odd, common)]
    first, second = (
        kept(connection, [people], Preparation.of(grammar.policy("who", 1)).statement(key)) for key in (KEY, "00" * 32)
    )
    for rows in (first, second):
        assert abs(rows["k"].to_pylist().count("b") / 3000 - 1 / 3) < 6 * (2 / 9 / 3000) ** 0.5
    told = [dict(zip(rows["who"].to_pylist(), rows["k"].to_pylist(), strict=True)) for rows in (first, second)]
    assert told[0] != told[1]


MUTANTS = {
    "rank by position": (r"MD5_NUMBER\('5a.*?\) AS \"mark\"", 'HASH(ROW_NUMBER() OVER ()) AS "mark"'),
    "rows that are not bounded": (r"<= 2\), \"light\"", '<= 9), "light"'),
    "a bound on all units together": (r'PARTITION BY "c0" ORDER BY', "ORDER BY"),
    "rows of nobody kept": (r'WHERE NOT "source"."who" IS NULL', ""),
}


@pytest.mark.theorem("G complaints count")
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_table_prepared_wrongly_is_caught(connection, mutant):
    found, broken = MUTANTS[mutant]
    preparation = Preparation.of(grammar.policy("who", 2))
    statement = preparation.statement(KEY)
    wrong, changes = re.subn(found, broken, statement, flags=re.DOTALL)
    assert changes >= 1
    listed, removed, _ = gathered(7, 60)
    if mutant == "rows of nobody kept":
        rows = kept(connection, listed, wrong)
        assert None in rows["who"].to_pylist()
        assert None not in kept(connection, listed, statement)["who"].to_pylist()
        return
    assert max(moved_rows(kept(connection, listed, statement), removed)) <= 2
    assert max(moved_rows(kept(connection, listed, wrong), removed)) > 2


def test_a_table_prepared_for_other_terms_is_caught(connection):
    """A sidecar of T = 4, or of an older state of the data, under a policy of T = 2 that is asked of it."""
    strict, loose = (Preparation.of(grammar.policy("who", most)) for most in (2, 4))
    compiled = compile_prepared("SELECT k, COUNT(*) FROM t GROUP BY k", strict)
    listed, removed, _ = gathered(7, 60)
    (group,) = compiled.groups
    sound = worlds.furthest(compiled, parts_of(connection, compiled, listed, strict.statement(KEY)), removed)
    wrong = worlds.furthest(compiled, parts_of(connection, compiled, listed, loose.statement(KEY)), removed)
    assert sound <= [group.steps] < wrong


def test_a_statement_for_kept_rows_that_is_run_over_all_rows_is_caught(connection):
    preparation = Preparation.of(grammar.policy("who", 2))
    compiled = compile_prepared("SELECT COUNT(*) FROM t", preparation)
    every = re.sub(r"HAVING COUNT\(\*\) > 2", "HAVING COUNT(*) > 99", preparation.statement(KEY))
    listed, removed, _ = gathered(7, 60)
    (group,) = compiled.groups
    assert worlds.furthest(compiled, parts_of(connection, compiled, listed, every), removed) > [group.steps]


def test_a_cell_without_numbers_adds_nothing(connection):
    """The engine's LEAST passes NULL over: an empty sum would be the largest number there is."""
    preparation = Preparation.of(grammar.policy("who", 2))
    compiled = compile_prepared("SELECT k, SUM(x), AVG(y) FROM t GROUP BY k", preparation)
    answer = parts_of(connection, compiled, [[(1, "a", *[None] * 8)]], preparation.statement(KEY))
    assert (answer == 0).all()
