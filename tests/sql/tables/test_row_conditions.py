from datetime import date, datetime

import duckdb
import pyarrow as pa
import pytest
from sqlglot import exp

import dalenius
from dalenius.sql.tables.row_conditions import conjuncts, of_either, renamed, together, where_met
from dalenius.sql.text.parse import parse

VISITS = pa.table(
    {
        "who": [n % 11 for n in range(90)],
        "ward": [("a", "b", "c", "d")[n // 3 % 4] for n in range(90)],
        "day": [date(2024, 1 + n % 12, 1 + n % 28) for n in range(90)],
        "seen": [datetime(2024, 1 + n % 12, 1 + n % 28) for n in range(90)],
        "stay": [n * n // 5 % 6 for n in range(90)],
    }
)
PEOPLE = pa.table({"who": list(range(12)), "sex": ["f", "m"] * 6})
FORMS = [
    "SELECT ward, COUNT(*) AS n FROM (SELECT * FROM visits WHERE ward IN ('a', 'b')) AS s GROUP BY ward",
    "SELECT ward, COUNT(*) AS n FROM (SELECT who, ward FROM visits WHERE ward <> 'c') AS s GROUP BY ward",
    "SELECT w, COUNT(*) AS n FROM (SELECT ward AS w FROM visits WHERE ward LIKE 'a%') AS s GROUP BY w",
    "WITH f AS (SELECT * FROM visits WHERE day >= DATE '2024-10-01'), g AS (SELECT day AS d FROM f WHERE stay > 0) "
    "SELECT DATE_TRUNC('month', d) AS m, COUNT(*) AS n FROM g GROUP BY m",
    "WITH f AS (SELECT * FROM visits WHERE seen >= TIMESTAMP '2024-10-01'), m AS (SELECT "
    "DATE_TRUNC('month', seen) AS m, COUNT(*) AS n FROM f GROUP BY 1) SELECT 'all' AS k, AVG(n) AS mean FROM m",
    "SELECT MONTH(first) AS m, COUNT(*) AS n FROM (SELECT who, MIN(day) AS first FROM visits WHERE "
    "day >= DATE '2024-11-01' GROUP BY who) AS s GROUP BY m",
    "SELECT k, COUNT(*) AS n FROM (SELECT who, COUNT(*) AS k FROM visits GROUP BY who HAVING COUNT(*) > 8) AS s "
    "GROUP BY k HAVING COUNT(*) > 0",
    "SELECT s.ward, COUNT(*) AS n FROM people JOIN (SELECT * FROM visits WHERE ward > 'b') AS s USING (who) "
    "WHERE sex = 'f' GROUP BY s.ward",
    "SELECT ward, COUNT(*) AS n FROM (SELECT ward, ROW_NUMBER() OVER (PARTITION BY who ORDER BY day) AS rn FROM visits "
    "WHERE ward <> 'a') AS s WHERE rn <= 3 GROUP BY ward",
    "SELECT ward, COUNT(*) AS n FROM (SELECT who, ward FROM visits WHERE ward = 'a' UNION ALL SELECT who, ward "
    "FROM visits WHERE ward > 'c') AS s GROUP BY ward",
    "SELECT ward, COUNT(*) AS n FROM (SELECT who, ward FROM visits WHERE ward = 'a' UNION ALL SELECT who, ward "
    "FROM visits WHERE stay > 2) AS s GROUP BY ward",
    "SELECT ward, stay, COUNT(*) AS n FROM (SELECT ward, stay FROM visits WHERE ward = 'a' AND stay BETWEEN 2 AND 3) "
    "AS s GROUP BY ward, stay HAVING COUNT(*) > 0",
]


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    return dalenius.connect(
        {"visits": VISITS, "people": PEOPLE},
        unit="who",
        contributions=20,
        budget={"epsilon": 10**12},
        ledger=tmp_path_factory.mktemp("conditions") / "ledger",
        bounds={"day": ("2024-01-01", "2024-12-31"), "seen": ("2024-01-01", "2024-12-31"), "stay": (0, 5)},
        keys={"ward": ["a", "b", "c", "d"], "people.sex": ["f", "m"]},
    )


@pytest.mark.parametrize("query", FORMS)
def test_groups_that_a_subquery_excludes_are_not_listed_and_no_other_is_lost(db, query):
    with duckdb.connect() as plain:
        plain.register("visits", VISITS)
        plain.register("people", PEOPLE)
        expected = sorted((*map(str, row[:-1]), float(row[-1])) for row in plain.execute(query).fetchall())
    released = db.sql(query, epsilon=10**8)
    got = sorted((*map(str, row[:-1]), float(row[-1])) for row in released.rows)
    assert [row[:-1] for row in got] == [tuple(one.removesuffix(" 00:00:00") for one in row[:-1]) for row in expected]
    assert [row[-1] for row in got] == pytest.approx([row[-1] for row in expected], abs=0.01)


def test_a_left_join_keeps_the_condition_for_the_rows_that_meet_one(db):
    query = (
        "SELECT s.ward, COUNT(s.ward) AS n FROM people LEFT JOIN (SELECT * FROM visits WHERE ward IN ('c', 'd')) AS s "
        "USING (who) WHERE s.ward IS NOT NULL GROUP BY s.ward"
    )
    wards = VISITS["ward"].to_pylist()
    assert [(row[0], round(row[1])) for row in db.sql(query, epsilon=10**8).rows] == [
        (one, wards.count(one)) for one in ("c", "d")
    ]


def test_a_condition_of_one_side_of_a_union_says_nothing_of_the_other():
    small = conjuncts(parse("SELECT 1 FROM t WHERE a < 3 AND b = 1").args["where"])
    assert of_either(small, (), "a") == ()
    (either,) = of_either(small, conjuncts(parse("SELECT 1 FROM t WHERE a = 7").args["where"]), "a")
    assert isinstance(either, exp.Or)
    assert {one.name for one in either.find_all(exp.Column)} == {"a"}


def test_a_condition_that_reads_a_column_without_a_name_is_left_out():
    conditions = conjuncts(parse("SELECT 1 FROM t WHERE a < 3 AND b = a AND b > 0").args["where"])
    assert [one.sql() for one in renamed(conditions, {"b": "x"})] == ['"source"."x" > 0']
    assert renamed(conditions, {}) == ()
    assert together(()) is None


def test_of_a_table_that_is_not_met_every_column_is_null():
    conditions = conjuncts(parse("SELECT 1 FROM t WHERE a < b AND 1 = 1").args["where"])
    assert [one.sql() for one in where_met(conditions)] == ["a < b OR (a IS NULL AND b IS NULL)"]
