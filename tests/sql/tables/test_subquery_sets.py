import duckdb
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import DaleniusError
from dalenius.sql.tables.subquery_sets import set_table
from dalenius.sql.text.parse import parse

VISITS = pa.table(
    {
        "who": [n % 11 for n in range(60)],
        "ward": [("a", "b", "c")[n * n % 3] for n in range(60)],
        "day": [n * 7 % 30 for n in range(60)],
        "cost": [float(n % 9) for n in range(60)],
    }
)
CALLS = pa.table({"who": [n % 17 for n in range(40)], "kind": ["a", "d"] * 20, "hr": [n % 31 for n in range(40)]})
FORMS = [
    "SELECT COUNT(*) AS n FROM (SELECT who FROM visits WHERE day > 2 EXCEPT SELECT who FROM visits "
    "WHERE ward = 'a' AND day < 9) AS q",
    "SELECT COUNT(*) AS n FROM (SELECT DISTINCT who FROM visits INTERSECT SELECT who FROM calls WHERE kind = 'd') AS q",
    "SELECT COUNT(*) AS n FROM (SELECT who FROM visits UNION SELECT who FROM calls) AS q",
    "SELECT SUM(day) AS n FROM (SELECT who, day FROM visits UNION ALL SELECT who, hr FROM calls) AS q WHERE day > 3",
    "WITH e AS (SELECT who, 'v' AS what, day FROM visits UNION ALL SELECT who, 'c', hr FROM calls UNION ALL "
    "SELECT who, 'v', hr FROM calls) SELECT COUNT(*) AS n FROM e WHERE what = 'v'",
    "SELECT COUNT(*) AS n FROM (SELECT who, COUNT(*) AS k FROM (SELECT who FROM visits UNION ALL SELECT "
    "who FROM calls) "
    "AS e GROUP BY who) AS q WHERE k > 8",
]


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    return dalenius.connect(
        {"visits": VISITS, "calls": CALLS},
        unit="who",
        contributions=50,
        budget={"epsilon": 10**12},
        ledger=tmp_path_factory.mktemp("sets") / "ledger",
        bounds={"cost": (0, 8), "day": (0, 30), "calls.hr": (0, 31)},
        keys={"ward": ["a", "b", "c"], "calls.kind": ["a", "d"]},
    )


@pytest.mark.parametrize("query", FORMS)
def test_rows_of_several_selects_are_what_a_database_makes_of_them(db, query):
    with duckdb.connect() as plain:
        plain.register("visits", VISITS)
        plain.register("calls", CALLS)
        (expected,) = plain.execute(query).fetchone()
    assert expected > 0
    assert db.sql(query, epsilon=10**8).value == pytest.approx(expected, abs=0.01)


def test_keys_of_both_sides_are_keys(db):
    query = (
        "SELECT ward, COUNT(*) AS n FROM (SELECT who, ward FROM visits UNION ALL SELECT who, kind "
        "FROM calls) AS q GROUP BY 1"
    )
    assert [row[0] for row in db.sql(query, epsilon=1).rows] == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("inner", "said"),
    [
        ("SELECT ward FROM visits EXCEPT SELECT kind FROM calls", "decide over the rows of others"),
        ("SELECT who, day FROM visits UNION ALL SELECT hr, who FROM calls", "unit in the same place"),
        ("SELECT who, day FROM visits UNION ALL SELECT who FROM calls", "as many columns"),
        ("SELECT who, day FROM visits UNION ALL SELECT who, kind FROM calls", "of one type"),
        ("SELECT who, day FROM visits EXCEPT SELECT who, hr FROM calls", "the unit alone"),
        ("SELECT who FROM visits EXCEPT ALL SELECT who FROM calls", "without ALL"),
        ("SELECT who FROM visits UNION ALL SELECT who FROM calls LIMIT 3", "stands without"),
        ("SELECT who, ward FROM visits UNION ALL SELECT 5, 'a'", "no rule|released table"),
    ],
)
def test_what_mixes_people_is_refused_before_a_charge(db, inner, said):
    left = db.budget
    with pytest.raises(DaleniusError, match=said):
        db.sql(f"SELECT COUNT(*) AS n FROM ({inner}) AS q", epsilon=1)
    assert db.budget == left


def test_an_order_in_a_union_is_refused_by_name():
    with pytest.raises(DaleniusError, match="ORDER BY"):
        set_table(parse("SELECT who FROM a UNION ALL SELECT who FROM b ORDER BY 1"), "q", None)
