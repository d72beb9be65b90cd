import duckdb
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import DaleniusError, UnsupportedQuery
from dalenius.sql.tables.join_forms import is_column_equality, joined_types, usual_joins
from dalenius.sql.text.parse import parse

VISITS = pa.table(
    {
        "id": range(40),
        "who": [n % 7 for n in range(40)],
        "day": [n * 5 % 11 for n in range(40)],
        "ward": ["ab"[n * n % 3 % 2] for n in range(40)],
        "cost": [float(n % 5) for n in range(40)],
    }
)
PEOPLE = pa.table({"who": range(9), "sex": ["f", "m", "f"] * 3, "born": [n * 3 % 8 for n in range(9)]})
WARDS = pa.table({"name": ["a", "b"], "floor": [1, 2]})
FORMS = [
    "SELECT COUNT(*) AS n, SUM(cost) AS c FROM visits v, people p WHERE v.who = p.who AND p.sex = 'f'",
    "SELECT COUNT(*) AS n, SUM(cost) AS c FROM visits v CROSS JOIN people p WHERE p.who = v.who AND v.day > p.born",
    "SELECT COUNT(*) AS n, SUM(a.cost) AS c FROM visits a, people p, visits b "
    "WHERE b.who = p.who AND a.who = b.who AND a.id < b.id",
    "SELECT COUNT(*) AS n, SUM(a.cost) AS c FROM visits a JOIN visits b ON a.who = b.who AND b.day "
    "BETWEEN a.day AND a.day + 3",
    "SELECT COUNT(*) AS n, SUM(cost) AS c FROM wards w JOIN visits v ON w.name = v.ward AND v.day <> w.floor",
    "SELECT COUNT(*) AS n, SUM(cost) AS c FROM wards, visits WHERE name = ward AND floor = 2",
    "SELECT COUNT(*) AS n, COUNT(v.id) AS c FROM people p LEFT JOIN visits v ON v.who = p.who AND v.day > p.born",
    "SELECT COUNT(*) AS n, SUM(v.cost) AS c FROM people p LEFT JOIN visits v ON v.who = p.who AND v.ward = 'a' "
    "WHERE p.sex = 'm'",
    "SELECT COUNT(*) AS n, SUM(l.cost) AS c FROM people p CROSS JOIN LATERAL "
    "(SELECT v.cost FROM visits v WHERE v.who = p.who ORDER BY v.day DESC, v.id LIMIT 1) l",
    "SELECT COUNT(*) AS n, SUM(l.cost) AS c FROM people p LEFT JOIN LATERAL "
    "(SELECT cost FROM visits v WHERE v.who = p.who AND v.ward = 'b' ORDER BY day, id LIMIT 2) l ON TRUE",
    "SELECT COUNT(*) AS n, SUM(l.k) AS c FROM people p, LATERAL "
    "(SELECT COUNT(*) AS k, MAX(day) AS last FROM visits v WHERE v.who = p.who AND v.cost > 2) l WHERE l.k < 4",
    "SELECT COUNT(*) AS n, COUNT(l.half) AS c FROM people p, LATERAL "
    "(SELECT SUM(cost) / 2 + 1 AS half, COUNT(DISTINCT ward) AS w FROM visits v WHERE v.who = p.who) l WHERE l.w < 2",
]


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    return dalenius.connect(
        {"visits": VISITS, "people": PEOPLE},
        unit="who",
        contributions=100,
        budget={"epsilon": 10**12},
        ledger=tmp_path_factory.mktemp("forms") / "ledger",
        public={"wards": WARDS},
        bounds={"cost": (0, 4), "day": (0, 10), "people.born": (0, 8)},
        keys={"ward": ["a", "b"], "people.sex": ["f", "m"]},
    )


@pytest.mark.parametrize("query", FORMS)
def test_every_form_of_a_join_means_what_a_database_makes_of_it(db, query):
    with duckdb.connect() as plain:
        for name, table in {"visits": VISITS, "people": PEOPLE, "wards": WARDS}.items():
            plain.register(name, table)
        expected = plain.execute(query).fetchone()
    assert expected[0] > 0
    answer = db.sql(query, epsilon=10**8)
    assert [answer["n"], answer["c"]] == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT COUNT(*) AS n FROM visits v, people p WHERE v.day > p.born", "holds people too"),
        ("SELECT COUNT(*) AS n FROM visits v, people p WHERE v.day = p.born", "holds people too"),
        ("SELECT COUNT(*) AS n FROM visits v LEFT JOIN people p ON v.day > p.born", "holds people too"),
        ("SELECT COUNT(*) AS n FROM visits v LEFT JOIN people p ON v.who = p.who AND p.sex", "BOOLEAN|boolean"),
        (
            "SELECT COUNT(*) AS n FROM people p LEFT JOIN visits v ON v.who = p.who AND v.day > (SELECT 1)",
            "a query or an aggregate has no rule there",
        ),
        ("SELECT COUNT(*) AS n FROM people p CROSS JOIN LATERAL (SELECT day FROM visits v LIMIT 1) l", "is tied"),
        (
            "SELECT COUNT(*) AS n FROM people p, LATERAL (SELECT COUNT(*) AS day FROM visits v WHERE v.who = p.who) l "
            "WHERE EXISTS (SELECT 1 FROM visits l WHERE l.who = p.who AND l.day > 9)",
            "two tables are called 'l'",
        ),
        *(
            (
                "SELECT AVG(CLAMP(l.s, 0, 9)) AS n FROM people p CROSS JOIN LATERAL "
                f"(SELECT {made} AS s, COUNT(*) AS k FROM visits v WHERE v.who = p.who) l",
                "who have no row too",
            )
            for made in ("COALESCE(SUM(v.cost), 0)", "7", "CASE WHEN MAX(v.day) > 3 THEN 1 ELSE 0 END", "COUNT(*) + 1")
        ),
        (
            "SELECT COUNT(*) AS n FROM people p CROSS JOIN LATERAL "
            "(SELECT day FROM visits v WHERE v.day = p.born ORDER BY v.id LIMIT 1) l",
            "who",
        ),
        (
            "SELECT COUNT(*) AS n FROM people p CROSS JOIN LATERAL (SELECT day FROM visits v WHERE v.who = "
            "p.who LIMIT 1) l",
            "beside ORDER BY",
        ),
    ],
)
def test_what_would_let_people_meet_is_refused_before_a_charge(db, query, said):
    left = db.budget
    with pytest.raises(DaleniusError, match=said):
        db.sql(query, epsilon=1)
    assert db.budget == left


def test_equalities_of_columns_and_types_that_join_are_known():
    assert is_column_equality(parse("SELECT a.x = b.y").expressions[0])
    assert not is_column_equality(parse("SELECT a.x = 1").expressions[0])
    assert joined_types("BIGINT", "INTEGER")
    assert not joined_types("BIGINT", "VARCHAR")
    assert not joined_types("DOUBLE", "DOUBLE")
    with pytest.raises(UnsupportedQuery, match="LATERAL takes"):
        usual_joins(parse("SELECT 1 FROM t JOIN LATERAL (SELECT 1 FROM b) AS l ON l.x = t.x"), None)
