"""A query that a refusal offers is answered."""

from datetime import date, datetime

import duckdb
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import DaleniusError, UnknownName, UnsupportedQuery
from dalenius.sql import rewrites

VISITS = pa.table(
    {
        "who": [number % 40 for number in range(200)],
        "dept": [("er", "lab", "er")[number % 3] for number in range(200)],
        "code": [f"c{number % 7}" for number in range(200)],
        "cost": [float(number) for number in range(200)],
        "free": [float(number) for number in range(200)],
        "bad": [number % 9 == 0 for number in range(200)],
        "at_noon": [datetime(2024, 1, 1 + number % 31, 12) for number in range(200)],
    }
)
PEOPLE = pa.table({"who": list(range(40)), "sex": ["F", "M"] * 20})
TERMS = {
    **{
        "unit": "who",
        "contributions": 5,
        "bounds": {"cost": (0, 300), "at_noon": ("2024-01-01", "2024-01-31")},
        "budget": {"epsilon": 10**6},
    },
    "keys": {"dept": ["er", "lab"], "people.sex": ["F", "M"]},
}


@pytest.fixture
def db(tmp_path):
    with dalenius.connect({"visits": VISITS, "people": PEOPLE}, ledger=tmp_path / "ledger", **TERMS) as session:
        yield session


def offered(db, query):
    with pytest.raises(DaleniusError) as refused:
        db.sql(query, epsilon=1)
    return str(refused.value).rpartition("this would be answered: ")[2] if "answered: " in str(refused.value) else None


@pytest.mark.parametrize(
    ("query", "answered"),
    [
        ("SELECT CUONT(*) FROM visits", "SELECT COUNT(*) FROM visits"),
        ("SELECT dept, AVG(csot) FROM visitz GROUP BY detp", "SELECT dept, AVG(cost) FROM visits GROUP BY dept"),
        ("SELECT dept, AVG(cost) FROM visits", "SELECT dept, AVG(cost) FROM visits GROUP BY dept"),
        ("SELECT * FROM visits WHERE cost > 3 LIMIT 10", "SELECT COUNT(*) AS n FROM visits WHERE cost > 3"),
        ("SELECT dept, cost FROM visits", "SELECT dept, COUNT(*) AS n FROM visits GROUP BY dept"),
        ("SELECT BOOL_OR(bad) FROM visits", "SELECT COUNT_IF(bad) FROM visits"),
        ("SELECT BOOL_AND(bad) FROM visits", "SELECT COUNT_IF(NOT (bad)) FROM visits"),
        ("SELECT LIST(code) FROM visits", "SELECT COUNT(DISTINCT code) FROM visits"),
        ("SELECT STRING_AGG(code, ',') FROM visits", "SELECT COUNT(DISTINCT code) FROM visits"),
        ("SELECT FIRST(dept) FROM visits", "SELECT MODE(dept) FROM visits"),
        ("SELECT ANY_VALUE(cost) FROM visits", "SELECT MEDIAN(cost) FROM visits"),
        ("SELECT MEDIAN(dept) FROM visits", "SELECT MODE(dept) FROM visits"),
        ("SELECT SUM(DISTINCT cost) FROM visits", "SELECT SUM(cost) FROM visits"),
        ("SELECT SKEWNESS(cost) FROM visits", "SELECT STDDEV(cost) FROM visits"),
        ("SELECT AVG(free) FROM visits", "SELECT AVG(CLAMP(free, 0, 100)) FROM visits"),
        (
            "SELECT code, COUNT(*) FROM visits GROUP BY code",
            "SELECT CASE WHEN code = 'value' THEN 'value' ELSE 'other' END AS code, COUNT(*) FROM visits "
            "GROUP BY CASE WHEN code = 'value' THEN 'value' ELSE 'other' END",
        ),
        (
            "SELECT COUNT(*) FROM visits AS v WHERE cost > (SELECT AVG(cost) FROM visits AS w WHERE w.dept = v.dept)",
            "SELECT w.dept, AVG(cost) FROM visits AS w GROUP BY w.dept",
        ),
        (
            "SELECT COUNT(*) FROM visits AS v JOIN (SELECT dept, AVG(cost) AS m FROM visits GROUP BY dept) AS d "
            "ON v.dept = d.dept WHERE v.cost > d.m",
            "SELECT dept, AVG(cost) AS m FROM visits GROUP BY dept",
        ),
        (
            "SELECT AVG(n) AS mean FROM (SELECT at_noon, COUNT(*) AS n FROM visits GROUP BY at_noon) AS d",
            "SELECT AVG(n) AS mean FROM (SELECT DATE_TRUNC('DAY', at_noon) AS at_noon, COUNT(*) AS n FROM visits "
            "GROUP BY DATE_TRUNC('DAY', at_noon)) AS d",
        ),
        (
            "SELECT v.at_noon AS d, dept, COUNT(*) AS n FROM visits AS v GROUP BY 1, dept ORDER BY d",
            "SELECT DATE_TRUNC('DAY', v.at_noon) AS d, dept, COUNT(*) AS n FROM visits AS v GROUP BY 1, dept "
            "ORDER BY d",
        ),
        (
            "SELECT dept, MAX(at_noon) AS last FROM visits GROUP BY dept",
            "SELECT dept, CAST('2000-01-01' AS DATE) + CAST(MAX(DATE_DIFF('DAY', CAST('2000-01-01' AS DATE), at_noon)) "
            "AS INT) AS last FROM visits GROUP BY dept",
        ),
        (
            "SELECT dept, MIN(dept) AS same, COUNT(*) AS n FROM visits GROUP BY dept",
            "SELECT dept, dept AS same, COUNT(*) AS n FROM visits GROUP BY dept",
        ),
    ],
)
def test_what_is_offered_is_answered(db, query, answered):
    assert offered(db, query) == answered
    assert db.sql(answered, epsilon=1).value is not None


def test_an_offer_that_nobody_has_tried_and_one_that_asks_something_else_are_caught(db, monkeypatch):
    query = "SELECT dept, AVG(free) FROM visits"  # needs a GROUP BY and a CLAMP
    answered = offered(db, query)
    test_what_is_offered_is_answered(db, query, answered)
    with monkeypatch.context() as broken:
        broken.setattr(rewrites, "_is_explained", lambda *_: True)
        untried = offered(db, query)
        assert untried != answered
        with pytest.raises(DaleniusError):
            test_what_is_offered_is_answered(db, query, untried)
    monkeypatch.setattr(rewrites, "_RULES", [rule for rule in rewrites._RULES if rule.__name__ != "_grouped"])
    with pytest.raises(AssertionError):
        test_what_is_offered_is_answered(db, query, answered)


@pytest.mark.parametrize("query", ["SELECT a b c", "DROP TABLE visits", "SELECT zzz(qqq) FROM xxx", "SELECT 'a"])
def test_nothing_is_offered_where_no_rule_leads_to_an_answer(db, query):
    assert offered(db, query) is None


def test_refusing_costs_nothing_and_says_what_explain_and_plan_say(db):
    before = db.budget
    query = "SELECT dept, AVG(cost) FROM visits"
    told = set()
    for ask in (db.sql, db.explain, db.plan):
        with pytest.raises(UnsupportedQuery) as refused:
            ask(query, epsilon=1)
        told.add(str(refused.value))
    assert len(told) == 1
    assert db.budget == before


def test_a_name_that_holds_control_characters_is_shown_by_their_codes(db):
    with pytest.raises(UnknownName) as refused:
        db.sql('SELECT AVG("co\x1b[31mst") FROM visits', epsilon=1)
    assert "\x1b" not in str(refused.value)


def test_a_condition_on_an_aggregate_stands_in_a_subquery_too(db):
    counts = ("COUNT(*) FILTER (WHERE bad)", "COUNT(CASE WHEN bad THEN 1 END)")
    asked = "SELECT AVG(CLAMP(n, 0, 9)) AS a FROM (SELECT who, {} AS n FROM visits GROUP BY who) AS t"
    first, second = (db.sql(asked.format(count), epsilon=1).value for count in counts)
    assert first == second  # the same question


def test_a_difference_of_times_is_offered_in_days(tmp_path):
    times = pa.array([1_700_000_000_000_000 + 86_400_000_000 * number for number in range(200)], pa.timestamp("us"))
    terms = TERMS | {"keys": {"dept": ["er"]}, "bounds": {"seen": ("2023-11-01", "2024-06-30")}}
    with dalenius.connect(VISITS.append_column("seen", times), ledger=tmp_path / "l", table="visits", **terms) as db:
        inner = "SELECT who, seen - LAG(seen) OVER (PARTITION BY who ORDER BY seen) AS gap FROM visits"
        query = offered(db, f"SELECT AVG(gap) AS days FROM ({inner}) AS t")
        assert "DATE_DIFF('DAY', LAG(seen) OVER (PARTITION BY who ORDER BY seen), seen) AS gap" in query
        assert db.sql(query, epsilon=10**5).value == pytest.approx(40, abs=1)


def test_the_first_and_last_day_that_are_offered_are_dates_of_the_table(db):
    """The noise of ε = 10⁵ is less than a day, and the quantiles are aimed less than a day inside."""
    query = offered(db, "SELECT MIN(at_noon) AS first, MAX(at_noon) - MIN(at_noon) AS days FROM visits")
    answer = db.sql(query, epsilon=10**5)
    assert [tuple(row) for row in answer] == [(date(2024, 1, 1), 30)]


def test_a_gap_that_has_a_name_is_compared_in_days(db):
    gaps = "SELECT who, at_noon - LAG(at_noon) OVER (PARTITION BY who ORDER BY at_noon) AS gap FROM visits"
    query = offered(db, f"SELECT COUNT(*) AS n FROM ({gaps}) AS g WHERE gap > INTERVAL 5 DAY")
    assert query.endswith("AS g WHERE gap > 5")
    want = duckdb.from_arrow(VISITS).query("visits", f"SELECT COUNT(*) FROM ({gaps}) WHERE gap > INTERVAL 5 DAY")
    assert db.sql(query, epsilon=10**5).value == pytest.approx(want.fetchall()[0][0], abs=0.5)
