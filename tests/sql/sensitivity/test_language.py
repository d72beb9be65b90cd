"""No unit moves the exact answer over joins, foreign keys, attributes and subqueries by more than its sensitivity."""

import itertools
import re

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from dalenius.errors import UnboundedQuery
from dalenius.neighbors import Metric, Relation
from dalenius.noise.lattice import INTEGERS
from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.tables import join, subquery_sets, subquery_windows
from dalenius.sql.tables.subquery import resolve
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.parse import parse
from tests.sql.sensitivity import grammar, language, test_named, test_spread, worlds

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much]


@pytest.fixture(scope="module")
def connection():
    with language.opened() as connected:
        yield connected


def compiled_of(query, contributions, unknown=None, null_keys=()):
    others = language.NULL_OTHERS if null_keys else language.OTHERS
    return compile_query(query, language.policy(contributions, null_keys=null_keys), unknown, others)


def exceeded(connection, compiled, seed, databases=6, statement=None):
    """What some neighbor moves by more than was proved."""
    listed, removed, replaced = language.gathered(seed, databases)
    language.load(connection, listed)
    answer = worlds.parts_loaded(connection, compiled, len(listed), statement)
    moved, other = (worlds.furthest(compiled, answer, pairs) for pairs in (removed, replaced))
    found = [
        group.question
        for group, most, changed in zip(compiled.groups, moved, other, strict=True)
        if most > group.steps or changed > group.change
    ]
    for pairs, times in ((removed, 1), (replaced, 2)):
        told = worlds.ranks_loaded(connection, [rank.scan for rank in compiled.ranks], len(listed), pairs)
        found += [rank.question for rank, most in zip(compiled.ranks, told, strict=True) if most > times * rank.steps]
    return found


def check(connection, query, contributions, seed, null_keys, databases=6):
    compiled = compiled_of(query, contributions, null_keys=null_keys)
    assert exceeded(connection, compiled, seed, databases) == [], query


CASES = {"query": language.queries(), "contributions": st.integers(1, 4), "seed": st.integers(0, 2**32)}
WITH_NULLS = {**CASES, "null_keys": grammar.NULL_KEYS}


@pytest.mark.theorem("G sensitivity", "G complaints count")
@settings(max_examples=45, suppress_health_check=QUIET)
@given(**WITH_NULLS)
def test_no_person_moves_the_answer_by_more_than_the_sensitivity(connection, query, contributions, seed, null_keys):
    """Of 36 pairs of neighbors for each query."""
    check(connection, query, contributions, seed, null_keys)


UNKNOWN = {**CASES, "query": language.queries(unknown=True), "groups": st.integers(1, 3)}


def check_unknown(connection, query, contributions, groups, seed, databases=6):
    compiled = compiled_of(query, contributions, KeySearch(groups))
    listed, removed, replaced = language.gathered(seed, databases)
    language.load(connection, listed)
    if compiled.named:
        test_named.check_loaded(connection, compiled, len(listed), removed, replaced)
    else:
        assert exceeded(connection, compiled, seed) == [], query


@pytest.mark.theorem("G sensitivity", "A Ex 3.4")
@settings(max_examples=25, suppress_health_check=QUIET)
@given(**UNKNOWN)
def test_no_person_moves_more_groups_or_answers_than_is_priced(connection, query, contributions, groups, seed):
    check_unknown(connection, query, contributions, groups, seed)


@pytest.mark.theorem("G sensitivity")
@settings(max_examples=15, suppress_health_check=QUIET)
@given(**CASES)
def test_no_person_moves_the_answer_by_more_than_the_sensitivity_in_l2(connection, query, contributions, seed):
    compiled = compile_query(query, language.policy(contributions), None, language.OTHERS, Metric.L2)
    listed, removed, replaced = language.gathered(seed)
    language.load(connection, listed)
    answer = worlds.parts_loaded(connection, compiled, len(listed))
    for pairs, relation in ((removed, Relation.ADD_REMOVE), (replaced, Relation.CHANGE_ONE)):
        for group, moved in zip(compiled.groups, test_spread.squares(compiled, answer, pairs), strict=True):
            assert moved <= group.sensitivity(relation).to(Metric.L2).square, (query, group, relation)


@pytest.mark.long
@settings(max_examples=900, suppress_health_check=QUIET)
@given(**WITH_NULLS)
def test_no_person_moves_the_answer_by_more_than_the_sensitivity_at_length(
    connection, query, contributions, seed, null_keys
):
    """Of 72 pairs of neighbors for each query: 64 800 cases."""
    check(connection, query, contributions, seed, null_keys, 12)


@pytest.mark.long
@settings(max_examples=600, suppress_health_check=QUIET)
@given(**UNKNOWN)
def test_no_person_moves_more_groups_or_answers_than_is_priced_at_length(
    connection, query, contributions, groups, seed
):
    """Of 72 pairs of neighbors for each query: 43 200 cases."""
    check_unknown(connection, query, contributions, groups, seed, 12)


@settings(max_examples=8, suppress_health_check=QUIET)
@given(query=language.queries(), seed=st.integers(0, 2**32))
def test_the_worlds_of_one_query_are_those_of_many(connection, query, seed):
    """What the other tests run is the compiled statement in each world."""
    compiled = compiled_of(query, 2)
    listed, *_ = language.gathered(seed, 1)
    language.load(connection, listed)
    together = worlds.parts_loaded(connection, compiled, len(listed))
    for place, world in enumerate(listed):
        language.load(connection, [world])
        start, alone = 0, np.zeros(together[place].shape, object)
        for scan in filter(None, (compiled.scan, *(group.scan for group in compiled.groups))):
            for cell, *parts in connection.execute(scan).fetchall():
                alone[start : start + len(parts), cell] = parts
            start += len(compiled.parts) if scan == compiled.scan else 1
        assert (alone == together[place]).all()


def broken(connection, query, found, wrong, contributions=2, databases=40):
    """What is exceeded once the statement is spoilt; as it is, nothing."""
    compiled = compiled_of(query, contributions)
    assert exceeded(connection, compiled, 7, databases) == []
    statement, changes = re.subn(found, wrong, compiled.scan)
    assert changes >= 1, compiled.scan
    return exceeded(connection, compiled, 7, databases, statement)


def test_weights_that_are_taken_before_the_join_are_caught(connection):
    query = "SELECT h, COUNT(*) AS n FROM t JOIN c ON c.r = t.j GROUP BY h"
    before = 'FROM (SELECT "source"."who" AS "unit" FROM "source") AS "before" GROUP BY "unit"'
    assert broken(connection, query, r'FROM "rows" GROUP BY "unit"', before) == ["COUNT(*)"]


def test_rows_of_nobody_that_are_kept_are_caught(connection):
    """NULL kept as if it were one person is many: those without a name who leave move what the others weigh."""
    random, listed = np.random.default_rng(7), []
    for _ in range(60):
        held = language.world(random, (None, 1))
        held["t"] = [(row[0], "a" if row[0] is None and random.random() < 0.5 else "b", *row[2:]) for row in held["t"]]
        listed += [held, {**held, "t": [row for row in held["t"] if row[0] is not None or row[1] == "a"]}]
    language.load(connection, listed)
    pairs = [(place, place + 1) for place in range(0, len(listed), 2)]
    plain = compile_query("SELECT k, COUNT(*) AS n FROM t GROUP BY k", grammar.policy("who", 1))
    sound, wrong = (
        worlds.furthest(plain, worlds.parts_loaded(connection, plain, len(listed), statement), pairs)
        for statement in (plain.scan, kept_nobody(plain.scan))
    )
    assert sound == [0]
    assert wrong > [plain.groups[0].steps]


def kept_nobody(scan):
    """The statement with NULL as a person."""
    named = scan.replace('"source"."who" AS "unit"', 'COALESCE("source"."who", -1) AS "unit"')
    spoilt = named.replace('NOT "source"."who" IS NULL', "TRUE")
    assert scan != named != spoilt
    return spoilt


def test_a_unit_that_is_taken_from_the_wrong_side_is_caught(connection):
    """The order of one person, counted for another who owns one with the same number."""
    compiled = compiled_of("SELECT x > 1 AS big, COUNT(*) AS n FROM t JOIN c ON c.r = t.j GROUP BY big", 1)
    theirs = 'SELECT "i".*, "o"."who" FROM "table c" AS "i" INNER JOIN "source" AS "o" ON "o"."j" = "i"."r"'
    statement = compiled.scan.replace('"table c" AS "joined0"', f'({theirs}) AS "joined0"')
    statement = statement.replace('"source"."who" AS "who"', '"joined0"."who" AS "who"')
    assert exceeded(connection, compiled, 7, 40) == []
    assert exceeded(connection, compiled, 7, 40, statement) == ["COUNT(*)"]


def test_a_join_past_the_foreign_key_is_caught(connection, monkeypatch):
    query = "SELECT COUNT(*) AS n FROM t JOIN c ON c.h = t.k"
    with pytest.raises(UnboundedQuery, match=r"ON t\.j = c\.r"):
        compiled_of(query, 1)
    monkeypatch.setattr(join._Building, "_check_bounded", lambda *_: None)
    assert exceeded(connection, compiled_of(query, 1), 7, 40) == ["COUNT(*)"]


def test_a_join_by_something_else_than_the_unit_is_caught(connection, monkeypatch):
    query = "SELECT COUNT(*) AS n FROM t JOIN b ON {} AND b.z > t.x - 2"
    with pytest.raises(UnboundedQuery, match=r"ON t\.who = b\.who"):
        compiled_of(query.format("(t.who = b.who OR b.g = 'p')"), 1)
    assert exceeded(connection, compiled_of(query.format("t.who = b.who"), 1), 7, 40) == []
    monkeypatch.setattr(join._Building, "_check_bounded", lambda *_: None)
    assert exceeded(connection, compiled_of(query.format("(t.who = b.who OR b.g = 'p')"), 1), 7, 40) == ["COUNT(*)"]


def test_copies_of_a_row_that_weigh_as_one_are_caught(connection):
    """A row that meets six public rows counts six times, and is paid so."""
    compiled = compiled_of("SELECT COUNT(*) AS n FROM t CROSS JOIN p", 1)
    assert compiled.groups[0].steps == 6 * 2**20
    assert exceeded(connection, compiled, 7, 40) == []
    heavy = re.sub(r"\b6291456\b", "12582912", compiled.scan).replace("LEAST(1048576", "LEAST(2097152")
    assert heavy != compiled.scan
    assert exceeded(connection, compiled, 7, 40, heavy) == ["COUNT(*)"]


def test_an_attribute_that_is_not_enforced_is_caught(connection, monkeypatch):
    query = "SELECT k, COUNT(DISTINCT who) AS n FROM t GROUP BY k"
    compiled = compiled_of(query, 3)
    assert [(group.steps, group.lattice) for group in compiled.groups] == [(1, INTEGERS)]
    assert exceeded(connection, compiled, 7, 40) == []
    monkeypatch.setattr(
        QueryTable, "_enforced", lambda self, kept: exp.select("*").from_(exp.table_(self.place, quoted=True))
    )
    assert exceeded(connection, compiled_of(query, 3), 7, 40) == ["COUNT(DISTINCT who)"]


def test_a_subquery_that_mixes_people_is_caught(connection):
    """Grouped by a key alone, a row is made from those of many, and one of them moves it for all."""
    query = "SELECT c, COUNT(*) AS n FROM (SELECT {0}, COUNT(*) > 1 AS c FROM t GROUP BY {0}) AS q GROUP BY c"
    with pytest.raises(UnboundedQuery, match="must GROUP BY who"):
        compiled_of(query.format("k"), 1)
    compiled = compiled_of(query.format("who, j"), 1)
    mixed = compiled.scan.replace('GROUP BY "k0", "k1"', 'GROUP BY "k1"').replace(
        'SELECT "k0"', 'SELECT MIN("k0") AS "k0"'
    )
    assert mixed != compiled.scan
    assert exceeded(connection, compiled, 7, 40) == []
    assert exceeded(connection, compiled, 7, 40, mixed) == ["COUNT(*)"]


def test_a_rank_by_position_is_caught(connection):
    """Values kept in the order in which rows stand: other people's rows change it."""
    query = "SELECT COUNT(DISTINCT note) AS n FROM t JOIN p ON t.k = p.pk"
    compiled = compiled_of(query, 1)
    (group,) = compiled.groups
    wrong, changes = re.subn(
        r'PARTITION BY "unit" ORDER BY HASH\(.*?\), "cell", "of_p0"', 'ORDER BY "of_p0", "unit"', group.scan
    )
    assert changes == 1
    wrong = wrong.replace("<= 1", "% 2 = 1")
    assert exceeded(connection, compiled, 7, 40) == []
    assert exceeded(connection, compiled, 7, 40, wrong) == ["COUNT(DISTINCT note)"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT COUNT(DISTINCT a) AS n FROM (SELECT who, SUM(x) AS a FROM t GROUP BY who) AS q",
        "SELECT COUNT(DISTINCT CAST(a AS VARCHAR)) AS n FROM (SELECT who, MIN(x) AS a FROM t GROUP BY who) AS q",
        "SELECT COUNT(DISTINCT CAST(a AS VARCHAR)) AS n FROM (SELECT who, AVG(x) AS a FROM t GROUP BY who) AS q",
        "SELECT COUNT(DISTINCT CAST(x AS VARCHAR)) AS n FROM (SELECT DISTINCT who, x FROM t) AS q",
    ],
)
def test_no_answer_hangs_on_the_order_of_rows(connection, query):
    listed, *_ = language.gathered(3, 30)
    compiled = compiled_of(query, 2)
    random = np.random.default_rng(5)
    found = []
    for _ in range(3):
        language.load(connection, listed)
        found.append(worlds.parts_loaded(connection, compiled, len(listed)))
        listed = [language.shuffled(random, held) for held in listed]
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()


def test_a_left_join_whose_condition_lets_people_meet_is_caught(connection):
    """Beside the equality of people any condition is theirs alone; in its place it is not."""
    query = "SELECT COUNT(b.z) AS n FROM t LEFT JOIN b ON t.who = b.who AND b.z > t.x"
    assert broken(connection, query, r'"source"."who" = "joined0"."who" AND', "", 1) == ['COUNT("b.z")']


def test_a_union_that_takes_another_column_for_the_unit_is_caught(connection, monkeypatch):
    query = "SELECT COUNT(*) AS n FROM (SELECT who, j FROM t UNION ALL SELECT j, who FROM t) AS q"
    with pytest.raises(UnboundedQuery, match="unit in the same place"):
        compiled_of(query, 1)
    monkeypatch.setattr(
        subquery_sets, "_pairs", lambda left, right: list(zip(left.columns, right.columns, strict=True))
    )
    assert exceeded(connection, compiled_of(query, 1), 7, 40) == ["COUNT(*)"]


def test_a_mode_that_takes_the_row_that_stands_first_is_caught(connection):
    query = (
        "SELECT usual, COUNT(*) AS n FROM (SELECT who, MODE(x > 0) AS usual FROM t GROUP BY who) AS q GROUP BY usual"
    )
    assert broken(connection, query, r'MODE\(("v0") ORDER BY "v0"\)', r"FIRST(\1)", 1) == ["COUNT(*)"]


@pytest.mark.parametrize(
    ("aggregate", "wrong"),
    [("SUM(a)", "SUM({})"), ("MIN(a)", "MIN({})"), ("AVG(a)", "AVG({})"), ("MODE(a)", "FIRST({})")],
)
def test_sums_and_zeros_by_the_order_of_rows_are_caught(aggregate, wrong):
    """Of doubles, 1e16 + 1 − 1e16 is 0 or 1 as they stand; and of two zeros the first is the least."""
    terms = Policy.declare(
        "t", {"who": "BIGINT", "a": "DOUBLE"}, unit="who", contributions=1, bounds={"a": (-1e17, 1e17)}
    )
    query = f"SELECT COUNT(*) AS n FROM (SELECT who, {aggregate} AS s FROM t GROUP BY who) AS q"
    rows = resolve(parse(query), terms, {}).rows.sql(dialect="duckdb")
    spoilt, changes = re.subn(r'(?<=SELECT "k0", ).*? AS "a0"', wrong.format('"v0"') + ' AS "a0"', rows)
    assert changes == 1
    values = [-0.0, 0.0] if aggregate == "MIN(a)" else [1e16, 1.0, -1e16, 3.0]
    told = {rows: set(), spoilt: set()}
    for order in itertools.permutations(values):
        with duckdb.connect() as opened:
            opened.execute('CREATE TABLE "source" (who BIGINT, a DOUBLE)')
            opened.executemany('INSERT INTO "source" VALUES (1, ?)', [[value] for value in order])
            for statement, seen in told.items():
                seen.add(str(opened.execute(statement).fetchall()))
    assert len(told[rows]) == 1
    assert len(told[spoilt]) > 1


@pytest.mark.parametrize(
    ("query", "tie"),
    [
        (
            "SELECT COUNT(*) AS n FROM t WHERE who IN (SELECT who FROM b WHERE z > 1)",
            'AND "inner0"."c0" = "source"."who"',
        ),
        (
            "SELECT COUNT(*) AS n FROM t WHERE x > (SELECT AVG(i.x) FROM t AS i WHERE i.who = t.who)",
            'AND "inner0"."c0" = "source"."who"',
        ),
    ],
)
def test_a_query_inside_that_reads_other_peoples_rows_is_caught(connection, query, tie):
    compiled = compiled_of(query, 1)
    spoilt = compiled.scan.replace(tie, "")
    assert spoilt != compiled.scan
    assert exceeded(connection, compiled, 7, 40) == []
    assert exceeded(connection, compiled, 7, 40, spoilt) == ["COUNT(*)"]


def test_a_window_over_several_people_is_caught(connection):
    inner = "SELECT who, j, ROW_NUMBER() OVER (PARTITION BY who, j ORDER BY x) AS r FROM t"
    compiled = compiled_of(f"SELECT COUNT(*) AS n FROM ({inner}) AS q WHERE r = 2", 1)
    spoilt = compiled.scan.replace('PARTITION BY "source"."who", ', "PARTITION BY ")
    assert spoilt != compiled.scan
    assert exceeded(connection, compiled, 7, 40) == []
    assert exceeded(connection, compiled, 7, 40, spoilt) == ["COUNT(*)"]


def test_ties_that_are_broken_by_position_are_caught(connection, monkeypatch):
    """Whoever stands first among equals is another once the file is written in another order."""
    inner = "SELECT who, note, ROW_NUMBER() OVER (PARTITION BY who ORDER BY flag) AS r FROM t"
    query = f"SELECT COUNT(*) AS n FROM ({inner}) AS q WHERE r = 1 AND note IS NULL"
    assert exceeded(connection, compiled_of(query, 1), 7, 40) == []
    monkeypatch.setattr(subquery_windows, "tie_breakers", lambda table: [])
    assert exceeded(connection, compiled_of(query, 1), 7, 40) == ["COUNT(*)"]
