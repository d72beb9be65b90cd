"""Rules for LATERAL, written tables, bounds by rows, columns that are held, and joins on times, each broken once."""

import re

import duckdb
import pyarrow as pa
import pytest

from dalenius.errors import UnboundedQuery
from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.tables import join_conditions, written_tables
from dalenius.sql.tables.joinable import read_public
from tests.sql.sensitivity import language, worlds
from tests.sql.sensitivity.test_language import compiled_of, connection, exceeded

__all__ = ["connection"]
LATERAL = f"SELECT l.g, COUNT(*) AS n FROM t CROSS JOIN {language.LAST} GROUP BY l.g"
COUNTED = f"SELECT SUM(CLAMP(m.n, 0, 3)) AS n FROM t LEFT JOIN {language.MEANS} ON TRUE WHERE m.n > 1"
WRITTEN = "SELECT w.n, COUNT(*) AS c FROM t JOIN (VALUES ('a', 1), ('b', 2)) AS w(k, n) ON w.k = t.k GROUP BY w.n"
ROWS = "SELECT SUM(n) AS s FROM (SELECT who, COUNT(*) AS n FROM t GROUP BY who) AS q"
ADDED = "SELECT SUM(s) AS s FROM (SELECT who, SUM(y) AS s FROM t GROUP BY who) AS q"
NUMBERED = "SELECT who, ROW_NUMBER() OVER (PARTITION BY who ORDER BY x) AS r FROM t"
NUMBERS = f"SELECT SUM(r) AS s FROM ({NUMBERED}) AS q"
PRODUCT = "SELECT SUM(x * y) AS s FROM t"
MUTANTS = {
    "a lateral row of whoever it is": (
        LATERAL,
        {r'ON "source"."who" = "joined0"."\(tie 0\)"': "ON TRUE"},
        ["COUNT(*)"],
    ),
    "a lateral row that is numbered among all people's": (
        LATERAL,
        {r'OVER \(PARTITION BY "source"."who" ORDER BY': "OVER (ORDER BY"},
        ["COUNT(*)"],
    ),
    "a lateral count of all people's rows": (
        COUNTED,
        {r'SELECT "k0", COUNT\(\*\) AS "a0"': 'SELECT "k0", SUM(COUNT(*)) OVER () AS "a0"'},
        ['SUM(CLAMP(COALESCE("m.n", 0), 0, 3))'],
    ),
    "a written row that several rows of one person meet in full": (
        WRITTEN,
        {"LEAST\\(1048576, 2097152 // COUNT\\(\\*\\)\\)": "1048576"},
        ["COUNT(*)"],
    ),
    "a number of rows that is not held at T": (ROWS, {"1073741824e0": "1e18"}, ["SUM(n)"]),
    "a sum that is not held at T rows": (ADDED, {r", 1073741824e0\)": ", 1e18)"}, ["SUM(s)"]),
    "a place among rows that is not held at T": (NUMBERS, {"1073741824e0": "1e18"}, ["SUM(r)"]),
    "columns that nothing holds": (
        PRODUCT,
        {r"LEAST\(GREATEST\((CASE WHEN ISNAN.*? END), [^)]*?\)?\), \d+e0\)": r"\1", "939524096e0": "3758096384e0"},
        ["SUM(x * y)"],
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_rule_is_caught(connection, mutant):
    query, changes, caught = MUTANTS[mutant]
    compiled = compiled_of(query, 1 if query == LATERAL else 2)
    statement = compiled.scan
    for sound, wrong in changes.items():
        statement, made = re.subn(sound, wrong, statement)
        assert made >= 1, (sound, statement)
    assert exceeded(connection, compiled, 7, 40) == []
    assert exceeded(connection, compiled, 7, 40, statement) == caught


def test_columns_that_are_held_bound_their_product_alone(connection):
    """What an aggregate clamps once more is within its bounds already."""
    compiled = compiled_of(PRODUCT, 2)
    loose = compiled.scan.replace("939524096e0", "1e15").replace("-402653184e0", "-1e15")
    assert loose != compiled.scan
    assert exceeded(connection, compiled, 7, 40, loose) == []


def test_written_rows_that_overlap_would_count_a_row_once_where_sql_counts_it_twice(connection, monkeypatch):
    """Refused for the answer's sake: as conditions on a row they let nobody count for more."""
    query = "SELECT COUNT(*) AS n FROM t JOIN (VALUES (0, 9), (1, 5)) AS w(lo, hi) ON t.j >= w.lo AND t.j <= w.hi"
    with pytest.raises(Exception, match="several rows"):
        compiled_of(query, 1)
    monkeypatch.setattr(written_tables, "_apart", lambda *_: True)
    compiled = compiled_of(query, 1)
    assert exceeded(connection, compiled, 7, 40) == []
    held = {"t": [(1, "a", 3, *[None] * 7)], "b": [], "c": [], "e": []}
    language.load(connection, [held])
    (((once,),),) = worlds.parts_loaded(connection, compiled, 1).tolist()
    (twice,) = connection.execute(query.replace("FROM t", 'FROM "source" AS t')).fetchone()
    assert (once // 2**20, twice) == (1, 2)


NANOSECONDS = pa.table({"at": pa.array([1000, 1001, 5_000_000], pa.timestamp("ns")), "v": [1, 2, 3]})


@pytest.mark.parametrize("source", ["t JOIN p ON p.at = t.ts", "t, p WHERE p.at = t.ts", "t JOIN p ON p.at = t.d"])
def test_times_that_are_one_after_rounding_pick_no_row(source, monkeypatch):
    """Where each row is a unit, one would meet both and count twice: nanoseconds are compared as microseconds."""
    table, _ = read_public("p", NANOSECONDS)
    assert "at" in table.unique
    terms = Policy.declare("t", {"ts": "TIMESTAMP", "d": "DATE"}, unit="row")
    query = f"SELECT COUNT(*) AS n FROM {source}"
    with pytest.raises(UnboundedQuery, match="meet many rows"):
        compile_query(query, terms, None, {"p": table})
    if "t.ts" not in source:
        return
    monkeypatch.setattr(join_conditions, "_is_compared_exactly", lambda kind: True)
    compiled = compile_query(query, terms, None, {"p": table})
    with duckdb.connect() as plain:
        plain.register("nanoseconds", NANOSECONDS)
        plain.execute(f'CREATE TABLE "{table.place}" AS SELECT * FROM nanoseconds')
        plain.execute("CREATE TABLE source AS SELECT TIMESTAMP '1970-01-01 00:00:00.000001' AS ts, NULL::DATE AS d")
        ((_, moved),) = plain.execute(compiled.scan).fetchall()
    assert moved == 2 > compiled.groups[0].steps


def test_a_lateral_aggregate_whose_tie_is_not_the_unit_is_refused():
    query = "SELECT SUM(CLAMP(m.n, 0, 3)) AS n FROM t, LATERAL (SELECT COUNT(*) AS n FROM b AS i WHERE i.g = t.k) AS m"
    with pytest.raises(UnboundedQuery, match="must GROUP BY who"):
        compiled_of(query, 1)
