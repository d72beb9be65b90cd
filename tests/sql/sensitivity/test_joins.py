"""No unit moves the exact answer over a join by more than its sensitivity, however many rows the join makes."""

import math
import re
from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalenius.neighbors import Unit
from dalenius.queries import Keys
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.tables import join
from dalenius.sql.tables.joinable import read_public
from dalenius.sql.tables.table import QueryTable
from tests.sql.sensitivity import grammar, worlds

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
BESIDE = QueryTable(
    "b",
    "table b",
    {"who": "BIGINT", "g": "VARCHAR", "z": "DOUBLE"},
    "who",
    {"g": Keys("g", ["p", "q"])},
    {"z": (-2, 5)},
)
PUBLIC_ROWS = pa.table(
    {
        "pk": ["a", "a", "a", "b", "it's", None],
        "pj": pa.array([0, 1, 5, -7, 40, None], pa.int32()),
        "region": ["n", "s", "n", None, "s", "n"],
        "v": [0.5, math.nan, -3.0, 4.0, None, math.inf],
    }
)
PUBLIC, _ = read_public("p", PUBLIC_ROWS)
OTHERS = {"b": BESIDE, "p": PUBLIC}
JOINS = [
    "t JOIN p ON t.k = p.pk",
    "t LEFT JOIN p ON k = pk",
    "t JOIN b USING (who)",
    "t LEFT JOIN b USING (who)",
    "t JOIN b USING (who) JOIN p ON pk = k",
    "t LEFT JOIN p ON j = pj LEFT JOIN b USING (who)",
    "t JOIN b USING (who) JOIN p ON p.pk = b.g",
    "t JOIN p ON t.k = p.pk JOIN p AS again ON again.pk = p.pk",
]
_G, _Z = ["p", "q", "a", None], [0.0, 1.5, -2.0, 9.0, math.nan, math.inf, -1e308, None]


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(config={"threads": 1}) as opened:
        opened.register("public rows", PUBLIC_ROWS)
        opened.execute(f'CREATE TABLE "{PUBLIC.place}" AS SELECT * FROM "public rows"')
        yield opened


def beside(random, people=(*worlds.PEOPLE, None), most=8):
    heavy = random.random() < 0.5
    size = int(random.integers(0, most + 1))
    owners = [
        people[0] if heavy and random.random() < 0.7 else people[random.integers(len(people))] for _ in range(size)
    ]
    return [(who, _G[random.integers(len(_G))], _Z[random.integers(len(_Z))]) for who in owners]


def gathered(seed, databases):
    """Pairs of tables and all their neighbors: a person leaves both tables, or is another in both."""
    random, listed, removed, changed = np.random.default_rng(seed), [], [], []
    for _ in range(databases):
        base, other = worlds.rows(random, 10), beside(random)
        here = len(listed)
        listed.append((base, other))
        for person in worlds.PEOPLE:
            pair = [row for row in base if row[0] != person], [row for row in other if row[0] != person]
            removed.append((here, len(listed)))
            listed.append(pair)
            changed.append((here, len(listed)))
            listed.append((pair[0] + worlds.rows(random, 6, (person,)), pair[1] + beside(random, (person,), 5)))
    return listed, removed, changed


def parts_of(connection, compiled, listed, statement=None):
    """The exact integers, with the private tables joined inside of each world."""
    rows = [(place, *row) for place, (_, other) in enumerate(listed) for row in other]
    kinds = {"world": pa.int32(), "who": pa.int64(), "g": pa.string(), "z": pa.float64()}
    columns = list(zip(*rows, strict=True)) or [()] * 4
    held = pa.table({name: pa.array(c, kind) for (name, kind), c in zip(kinds.items(), columns, strict=True)})
    connection.register("arrived beside", held)
    connection.execute('CREATE OR REPLACE TABLE "table b" AS SELECT * FROM "arrived beside"')
    return worlds.parts_of(connection, compiled, [base for base, _ in listed], statement)


def exceeded(connection, compiled, seed, databases=8, statement=None):
    """The groups that some neighbor moves by more than was proved."""
    listed, removed, changed = gathered(seed, databases)
    answer = parts_of(connection, compiled, listed, statement)
    moved, replaced = (worlds.furthest(compiled, answer, pairs) for pairs in (removed, changed))
    return [
        group.question
        for group, most, other in zip(compiled.groups, moved, replaced, strict=True)
        if most > group.steps or other > group.change
    ]


@st.composite
def queries(draw):
    source = draw(st.sampled_from(JOINS))
    public, private = " p " in source, " b " in source
    keys = [*(["region", "v > 0"] if public else []), *(["g", "z IS NULL"] if private else []), "t.j", "flag"]
    asked = ["COUNT(*)", "SUM(x)", "AVG(y)", *(["SUM(v)", "COUNT(region)", "AVG(x * v)"] if public else [])]
    asked += ["VARIANCE(z)", "COUNT(z)", "SUM(z - x)", "COUNT(DISTINCT who)"] if private else ["COUNT(DISTINCT t.who)"]
    tests = [
        "x > 0",
        "NOT flag",
        *(["v < 1", "region = 'n'"] if public else []),
        *(["z > 0 OR g = 'p'"] if private else []),
    ]
    if "again" in source:  # whose columns have the same names
        keys, asked, tests = ["p.region", "again.region"], ["COUNT(*)", "SUM(again.v)", "AVG(p.v)"], ["again.v > p.v"]
    by = draw(st.lists(st.sampled_from(keys), max_size=2, unique=True))
    columns = draw(st.lists(st.sampled_from(asked), min_size=1, max_size=3, unique=True))
    shown = ", ".join(f"{term} AS c{place}" for place, term in enumerate([*by, *columns]))
    where = f" WHERE {draw(st.sampled_from(tests))}" if draw(st.booleans()) else ""
    return f"SELECT {shown} FROM {source}{where}{' GROUP BY ' + ', '.join(by) if by else ''}"


@pytest.mark.theorem("G sensitivity", "G complaints count")
@settings(max_examples=40, suppress_health_check=QUIET)
@given(query=queries(), contributions=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_no_person_moves_the_answer_over_a_join_by_more_than_the_sensitivity(connection, query, contributions, seed):
    compiled = compile_query(query, grammar.policy("who", contributions), others=OTHERS)
    assert exceeded(connection, compiled, seed) == []


@pytest.mark.long
@settings(max_examples=3000, suppress_health_check=QUIET)
@given(query=queries(), contributions=st.integers(1, 5), seed=st.integers(0, 2**32))
def test_no_person_moves_the_answer_over_a_join_by_more_than_the_sensitivity_at_length(
    connection, query, contributions, seed
):
    compiled = compile_query(query, grammar.policy("who", contributions), others=OTHERS)
    assert exceeded(connection, compiled, seed) == []


def row_worlds(seed):
    random = np.random.default_rng(seed)
    base = worlds.rows(random, 14)
    listed = [base, *(base[:place] + base[place + 1 :] for place in range(len(base)))]
    return [(world, []) for world in listed], [(0, place) for place in range(len(listed))]


@pytest.mark.parametrize(
    "query", ["SELECT region, COUNT(*) AS n, SUM(x) AS s FROM {} GROUP BY region", "SELECT AVG(v) AS a FROM {}"]
)
def test_no_row_moves_the_answer_over_a_join_by_more_than_the_sensitivity(connection, query):
    for kind in ("JOIN", "LEFT JOIN"):
        compiled = compile_query(query.format(f"t {kind} p ON t.j = p.pj"), grammar.policy("row"), others={"p": PUBLIC})
        for seed in range(5):
            listed, removed = row_worlds(seed)
            moved = worlds.furthest(compiled, parts_of(connection, compiled, listed), removed)
            assert all(most <= group.steps for most, group in zip(moved, compiled.groups, strict=True))


@settings(max_examples=10, suppress_health_check=QUIET)
@given(query=queries(), seed=st.integers(0, 2**32))
def test_the_worlds_of_one_query_are_those_of_many(connection, query, seed):
    compiled = compile_query(query, grammar.policy("who", 2), others=OTHERS)
    listed, *_ = gathered(seed, 1)
    together = parts_of(connection, compiled, listed)
    for place, world in enumerate(listed):
        assert (parts_of(connection, compiled, [world])[0] == together[place]).all()
        alone = np.zeros((len(compiled.parts), compiled.cells), object)
        for cell, *parts in connection.execute(compiled.scan).fetchall():
            alone[:, cell] = parts
        assert (alone == together[place]).all()


COUNT = "SELECT region, COUNT(*) AS n FROM t JOIN p ON t.k = p.pk GROUP BY region"


@pytest.mark.parametrize("query", [COUNT, COUNT.replace("t JOIN", "t JOIN b USING (who) JOIN")])
def test_weights_that_are_taken_before_the_join_are_caught(connection, query):
    compiled = compile_query(query, grammar.policy("who", 2), others=OTHERS)
    before = 'FROM (SELECT "source"."who" AS "unit" FROM "source") AS "before" GROUP BY "unit"'
    statement, changes = re.subn(r'FROM "rows" GROUP BY "unit"', before, compiled.scan)
    assert changes == 1
    assert exceeded(connection, compiled, 7, 40) == []
    assert exceeded(connection, compiled, 7, 40, statement) == ["COUNT(*)"]


def test_people_that_are_joined_to_other_people_are_caught(connection, monkeypatch):
    """A join on anything but the unit gives a person a part in the rows of everybody."""
    query = "SELECT COUNT(*) AS n FROM t JOIN b ON t.k = b.g"
    with pytest.raises(join.UnboundedQuery):
        compile_query(query, grammar.policy("who", 2), others=OTHERS)
    monkeypatch.setattr(join._Building, "_check_bounded", lambda *_: None)
    assert exceeded(connection, compile_query(query, grammar.policy("who", 2), others=OTHERS), 7, 40) == ["COUNT(*)"]


def test_rows_that_are_units_and_meet_many_are_caught(connection, monkeypatch):
    query = "SELECT COUNT(*) AS n FROM t JOIN p ON t.k = p.pk"
    terms = replace(grammar.policy("row"), unit=Unit.of("row"))
    with pytest.raises(join.UnboundedQuery):
        compile_query(query, terms, others=OTHERS)
    monkeypatch.setattr(join._Building, "_check_bounded", lambda *_: None)
    compiled = compile_query(query, terms, others=OTHERS)
    found = []
    for seed in range(20):
        listed, removed = row_worlds(seed)
        found += worlds.furthest(compiled, parts_of(connection, compiled, listed), removed)
    assert max(found) > compiled.groups[0].steps
