"""Groups whose key is NULL, from the rows to every exit: DuckDB over the same rows says what is right.

Whatever is asked at a price at which noise is next to nothing is compared row for row, labels included.
"""

import csv
import datetime
import io
import json
from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius import charts, dbapi
from dalenius.cli import render
from dalenius.ledger import Ledger
from dalenius.remote.client import HttpClient
from dalenius.remote.connection import opened
from dalenius.server import Catalog, Settings, create_app
from tests.remote.ways import Asgi
from tests.server.console.visitor import Visitor
from tests.server.hospital import Caller

ROWS = 3000
BY_WARD = "(SELECT ward AS w, COUNT(*) AS n FROM visits GROUP BY ward) AS t"
BY_BOTH = "(SELECT ward AS w, year AS y, COUNT(*) AS n FROM visits GROUP BY ward, year) AS t"
WITH_BOTH = "WITH t AS (SELECT ward AS w, year AS y, COUNT(*) AS n FROM visits GROUP BY ward, year)"
STATEMENTS = (
    # as they are asked of rows
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
    "SELECT ward, year, COUNT(*) AS n FROM visits GROUP BY ward, year ORDER BY ward, year",
    "SELECT year, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY year ORDER BY year DESC",
    "SELECT ill, AVG(cost) AS a FROM visits GROUP BY ill ORDER BY ill NULLS FIRST",
    "SELECT day, COUNT(*) AS n FROM visits GROUP BY day HAVING COUNT(*) > 1 ORDER BY day",
    "SELECT EXTRACT(month FROM day) AS m, COUNT(*) AS n FROM visits GROUP BY m HAVING COUNT(*) > 1 ORDER BY m",
    "SELECT COALESCE(ward, 'none') AS w, COUNT(*) AS n FROM visits GROUP BY w",
    "SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NULL GROUP BY ward",
    "SELECT ward, COUNT(*) AS n FROM visits WHERE ward IS NOT NULL GROUP BY ward",
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > 500 ORDER BY n DESC",
    "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 3",
    "SELECT year, MODE(ward) AS m, COUNT(DISTINCT ward) AS d FROM visits GROUP BY year",
    "PIVOT visits ON ward IN ('north', 'south') USING COUNT(*) GROUP BY year",
    # above the release
    f"SELECT COALESCE(w, 'none') AS label, n FROM {BY_WARD}",
    f"SELECT CASE WHEN w IS NULL THEN 'missing' WHEN w = 'NULL' THEN 'text' ELSE w END AS label, n FROM {BY_WARD}",
    f"SELECT w, n FROM {BY_WARD} WHERE w IS NULL OR w = 'NULL'",
    f"SELECT w, n FROM {BY_WARD} WHERE w <> 'north'",
    f"SELECT w, n FROM {BY_WARD} WHERE w IS DISTINCT FROM 'north'",
    f"SELECT w, n FROM {BY_WARD} WHERE w NOT IN ('north', 'south') ORDER BY w",
    f"SELECT w, n FROM {BY_WARD} ORDER BY w LIMIT 2 OFFSET 2",
    f"SELECT DISTINCT w FROM {BY_BOTH}",
    f"SELECT COUNT(w) AS c, COUNT(*) AS s, COUNT(DISTINCT w) AS d, MIN(w) AS a, MAX(w) AS b FROM {BY_WARD}",
    f"SELECT w, MAX(n) AS most, AVG(n) AS mean FROM {BY_BOTH} GROUP BY w",
    f"SELECT ARG_MAX(w, n) AS top FROM {BY_WARD}",
    "SELECT ARG_MAX(w, n) AS top FROM (SELECT ward AS w, COUNT(*) AS n FROM visits WHERE cost > 50 GROUP BY w) AS t",
    "SELECT ARG_MIN(y, n) AS low FROM (SELECT year AS y, COUNT(*) AS n FROM visits GROUP BY year) AS t",
    f"SELECT w FROM {BY_WARD} ORDER BY n DESC LIMIT 3",
    "SELECT ward AS k, COUNT(*) AS n FROM visits GROUP BY ward UNION ALL SELECT 'all', COUNT(*) FROM visits",
    f"SELECT w FROM {BY_WARD} UNION SELECT ward FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) AS u",
    # windows
    "SELECT ward, year, COUNT(*) AS n, SUM(COUNT(*)) OVER (PARTITION BY ward) AS total FROM visits GROUP BY ward, year",
    f"SELECT w, y, n, RANK() OVER (PARTITION BY y ORDER BY w) AS r FROM {BY_BOTH}",
    f"SELECT w, y, n, LAG(n) OVER (PARTITION BY w ORDER BY y) AS earlier FROM {BY_BOTH}",
    "SELECT year, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY year DESC) AS running FROM visits GROUP BY year",
    f"SELECT w, n / SUM(n) OVER () AS share FROM {BY_WARD} ORDER BY w DESC NULLS FIRST",
    f"SELECT w, y, n FROM {BY_BOTH} QUALIFY ROW_NUMBER() OVER (PARTITION BY w ORDER BY y) = 1",
    # this year and last
    f"{WITH_BOTH} SELECT a.w, a.n, b.n AS m FROM t AS a JOIN t AS b ON a.w = b.w WHERE a.y = 2022 AND b.y = 2023",
    f"{WITH_BOTH} SELECT a.w, a.n, b.n AS m FROM t AS a JOIN t AS b ON a.w IS NOT DISTINCT FROM b.w AND b.y = 2023 "
    "WHERE a.y = 2022",
    f"{WITH_BOTH} SELECT a.w, a.n, b.n AS m FROM t AS a LEFT JOIN t AS b ON a.w = b.w AND b.y = 2023 WHERE a.y = 2022",
    f"{WITH_BOTH}, u AS (SELECT w, n AS m FROM t WHERE y IS NULL) SELECT w, y, n, m FROM t JOIN u USING (w)",
    # totals, whose label is NULL too
    "SELECT ward, COUNT(*) AS n, GROUPING(ward) AS g FROM visits GROUP BY ROLLUP (ward)",
    "SELECT year, COUNT(*) AS n, AVG(cost) AS a, GROUPING(year) AS g FROM visits GROUP BY ROLLUP (year)",
    "SELECT ill, COUNT(*) AS n, GROUPING(ill) AS g FROM visits GROUP BY ROLLUP (ill)",
    "SELECT ward, year, SUM(cost) AS s, COUNT(*) AS n, GROUPING(ward, year) AS g FROM visits GROUP BY CUBE (1, 2)",
    "SELECT ward AS w, ill, COUNT(*) AS n, GROUPING(w, ill) AS g FROM visits GROUP BY GROUPING SETS ((w, ill), w, ())",
    "SELECT ward, COUNT(DISTINCT person) AS p, COUNT(*) AS n, GROUPING(ward) AS g FROM visits GROUP BY ROLLUP (ward)",
    "SELECT day, COUNT(*) AS n, GROUPING(day) AS g FROM visits GROUP BY ROLLUP (day) HAVING COUNT(*) > 1",
    f"SELECT w, SUM(n) AS s, GROUPING(w) AS g FROM {BY_BOTH} GROUP BY ROLLUP (w)",
)


def visits():
    """One row a person. Every key is NULL now and then, one is the text NULL, and no ward has as many as NULL."""
    rng = np.random.default_rng(7)
    days = [datetime.date(2024, 1, 15), datetime.date(2024, 2, 10), None]
    return pa.table(
        {
            "person": np.arange(ROWS),
            "ward": pa.array(rng.choice(["north", "south", "NULL", None], ROWS, p=[0.25, 0.2, 0.15, 0.4]).tolist()),
            "year": pa.array([(2022, 2023, None)[place] for place in rng.choice(3, ROWS, p=[0.5, 0.3, 0.2])]),
            "ill": pa.array([(True, False, None)[place] for place in rng.choice(3, ROWS)]),
            "day": pa.array([days[place] for place in rng.choice(3, ROWS)], pa.date32()),
            "cost": rng.integers(0, 100, ROWS).astype(float),
        }
    )


VISITS = visits()
TERMS = {
    **{"unit": "person", "contributions": 1, "table": "visits", "as_of": "2024-04-01"},
    **{"budget": {"epsilon": 10**9}, "bounds": {"cost": (0, 100), "day": ("2024-01-01", "2024-03-31")}},
    "keys": {"ward": ["north", "south", "NULL", None], "year": [2022, 2023, None], "ill": [True, False]},
    "null_keys": ["ill", "day"],
}


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    with dalenius.connect(VISITS, ledger=tmp_path_factory.mktemp("nulls") / "visits.ledger", **TERMS) as session:
        yield session


@pytest.fixture(scope="module")
def exact():
    with duckdb.connect() as connection:
        connection.register("visits", VISITS)
        yield connection


def plain(value):
    return float(value) if isinstance(value, Decimal) else value


def alike(mine, theirs):
    if isinstance(theirs, int | float) and not isinstance(theirs, bool):
        return isinstance(mine, int | float) and abs(mine - theirs) <= 1e-3 * max(1.0, abs(theirs))
    return mine == theirs and type(mine) is type(theirs)


def missing(answered, rows):
    """The rows of DuckDB's that are not among those answered, and the other way round."""
    left, unknown = list(rows), []
    for row in answered:
        place = next((one for one in left if len(one) == len(row) and all(map(alike, row, one))), None)
        unknown.append(row) if place is None else left.remove(place)
    return left, unknown


@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_row_is_duckdbs_and_so_is_its_label(db, exact, statement):
    rows = [tuple(map(plain, row)) for row in exact.execute(statement).fetchall()]
    answered = [tuple(row) for row in db.sql(statement, epsilon=10**5)]
    assert missing(answered, rows) == ([], [])
    if "ORDER BY" in statement.rpartition(")")[2]:
        assert all(all(map(alike, row, one)) for row, one in zip(answered, rows, strict=True))


COVERED = [one for one in STATEMENTS if any(word in one for word in ("OVER", "GROUPING(w", "JOIN"))][::2]


@pytest.mark.parametrize("statement", COVERED)
def test_intervals_beside_null_labels_hold_what_duckdb_gives(db, exact, statement):
    """At a price at which noise shows. Each of some 200 numbers is missed with a chance of 1e-12 at most."""
    answer = db.sql(statement, epsilon=3)
    columns = list(answer.columns)
    ends = answer.interval(Fraction(10**12 - 1, 10**12))
    assert ends
    labels = [place for place, name in enumerate(columns) if name not in ends]
    rows = {tuple(row[place] for place in labels): row for row in exact.execute(statement).fetchall()}
    for number, row in enumerate(answer):
        truth = rows.pop(tuple(row[place] for place in labels))
        for name, pairs in ends.items():
            low, high = pairs[number]
            value = truth[columns.index(name)]
            assert value is None or low <= value <= high
    assert not rows


def test_the_answer_is_stored_with_its_nulls_and_found_again_for_nothing(db):
    first = db.sql("SELECT year, COUNT(*) AS n FROM visits GROUP BY year", epsilon=2)
    left = db.budget
    again = db.sql("SELECT year, COUNT(*) AS n FROM visits GROUP BY year", epsilon=2)
    assert (again.rows, again.receipt.repeated, db.budget) == (first.rows, True, left)
    stored = json.loads(json.dumps(again.to_dict()))
    assert type(again).from_dict(stored).rows == first.rows
    assert first["year"] == (2022, 2023, None)


def test_a_view_keeps_null_keys_and_is_asked_in_the_logic_of_three_values(db, exact):
    db.sql("CREATE PRIVATE VIEW by_year AS SELECT year, COUNT(*) AS n FROM visits GROUP BY year", epsilon=10**5)
    view = "(SELECT year, COUNT(*) AS n FROM visits GROUP BY year)"
    for rest in (
        *("WHERE year IS NULL", "WHERE year <> 2022", "WHERE NOT (year = 2022)", "WHERE year IN (2022, 5)"),
        *("ORDER BY year", "ORDER BY year DESC", "ORDER BY year NULLS FIRST LIMIT 2"),
    ):
        answered = [tuple(row) for row in db.sql(f"SELECT year, n FROM by_year {rest}")]
        rows = exact.execute(f"SELECT year, n FROM {view} AS by_year {rest}").fetchall()
        assert missing(answered, rows) == ([], [])
        assert not rest.startswith("ORDER") or [row[0] for row in answered] == [row[0] for row in rows]
    above = [tuple(row) for row in db.sql("SELECT COALESCE(year, 0) AS y, SUM(n) OVER () AS s FROM by_year")]
    assert missing(above, [(2022, ROWS), (2023, ROWS), (0, ROWS)]) == ([], [])


def test_declared_keys_are_listed_with_null_and_described(db):
    listed = db.sql("SELECT DISTINCT ward FROM visits ORDER BY ward")
    assert listed.value["ward"] == ["NULL", "north", "south", None]
    assert [line.split()[0] for line in str(listed).splitlines()] == ["ward", "'NULL'", "north", "south", "NULL"]
    assert listed._repr_html_().count("<td>NULL</td>") == 1
    assert db.sql("SELECT DISTINCT year FROM visits WHERE year <> 2022").value["year"] == [2023]
    assert db.sql("SELECT DISTINCT year FROM visits WHERE year IS NULL").value["year"] == [None]
    told = dict(zip(*(db.describe("visits").value[name] for name in ("column", "keys")), strict=True))
    assert told["year"] == "2022, 2023, NULL"
    assert told["ward"] == "north, south, 'NULL', NULL"


def test_every_exit_tells_null_from_the_text(db):
    answer = db.sql("SELECT ward, year, COUNT(*) AS n FROM visits GROUP BY ward, year", epsilon=1)
    text = render.as_table(answer)
    assert [text.count(f"\n{label} ") for label in ("NULL", "'NULL'", "north")] == [3, 3, 3]
    assert [row["ward"] for row in json.loads(render.as_json(answer))["rows"]].count(None) == 3
    cells = [row[:2] for row in csv.reader(io.StringIO(render.as_csv(answer)))][1:]
    assert cells.count(["", ""]) == 1
    assert cells.count(["NULL", "2022"]) == 1
    drawn = charts.answer(answer).to_dict()["data"]["values"]
    assert {row["key"] for row in drawn} == {"north", "south", "'NULL'", "NULL"}
    assert {row["name"] for row in drawn} == {"2022", "2023", "NULL"}
    assert str(answer.to_pandas()["year"].dtype) == "Int64"
    assert answer.to_arrow()["year"].type == pa.int64()


def test_the_cursor_has_none_for_null_and_the_types_of_the_columns(tmp_path):
    with dbapi.connect(VISITS, ledger=tmp_path / "dbapi.ledger", epsilon=10**5, **TERMS) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT day, year, ill, COUNT(*) AS n FROM visits GROUP BY day, year, ill HAVING COUNT(*) > 1")
        assert [column[1] for column in cursor.description] == [
            *(dbapi.DATETIME, dbapi.NUMBER, dbapi.BOOLEAN, dbapi.NUMBER)
        ]
        assert any(row[:3] == (None, None, None) for row in cursor.fetchall())


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    ledger = Ledger.open(tmp_path_factory.mktemp("served") / "visits.ledger")
    session = dalenius.connect(VISITS, ledger=ledger, **TERMS)
    app = create_app(Catalog([session], ledger), Settings(answer_after=Fraction(1, 20)))
    return app, ledger.create_key("ann", "analyst", ["visits"])[0]


BY_YEAR = "SELECT year, day, ward, COUNT(*) AS n FROM visits GROUP BY year, day, ward HAVING COUNT(*) > 9"


def test_a_null_key_comes_over_http_as_it_left(served, exact):
    app, secret = served
    rows = exact.execute(BY_YEAR).fetchall()
    with opened(HttpClient(Asgi(app), secret, 10), None, "http://server") as remote:
        answer = remote.sql(BY_YEAR, epsilon=10**5)
        assert missing([tuple(row) for row in answer], rows) == ([], [])
        frame = answer.to_pandas()
    assert (str(frame["year"].dtype), frame["ward"].isna().any()) == ("Int64", True)
    ask = Caller(app, secret)
    told = {
        kind: ask.ask(BY_YEAR, "100000", headers={"Accept": kind})
        for kind in ("application/json", "text/csv", "application/vnd.apache.arrow.stream")
    }
    as_json, as_csv, as_arrow = told.values()
    assert sum(row[0] is None for row in as_json.json()["rows"]) == sum(row[0] is None for row in rows)
    assert as_csv.text.count("\n,,,") == 1
    table = pa.ipc.open_stream(as_arrow.content).read_all()
    assert [str(table[name].type) for name in ("year", "day", "ward")] == ["int64", "date32[day]", "string"]
    assert table["year"].null_count == sum(row[0] is None for row in rows)


def test_pages_list_null_among_the_keys_and_show_its_row(served):
    app, secret = served
    columns = {one["name"]: one["keys"] for one in Caller(app, secret)("GET", "/api/datasets/visits").json()["columns"]}
    assert (columns["year"], columns["day"], columns["cost"]) == ([2022, 2023, None], [None], None)
    ann = Visitor(app, secret)
    assert "north, south, &#39;NULL&#39;, NULL" in ann.get("/tables/visits").text
