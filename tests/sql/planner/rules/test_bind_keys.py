import duckdb
import pandas as pd
import pytest

import dalenius
from dalenius.errors import UnsupportedQuery
from dalenius.sql import Policy
from dalenius.sql.planner.rules import bind_keys
from tests.sql.cases import cases, check, drafted, policy


@cases(bind_keys)
def test_fixture(case):
    check(bind_keys, case)


def test_no_word_of_the_analysts_reaches_the_engine():
    query = 'SELECT COUNT(*) AS n, category AS "my ""key" FROM purchases GROUP BY category'
    draft = drafted(bind_keys, query, policy())
    assert [(key.name, key.values) for key in draft.keys] == [("category", ("food", "o'hara"))]
    assert "my" not in draft.rows.sql()


def test_keys_are_split_at_a_letter_that_none_of_them_has():
    terms = Policy.declare("t", {"k": "VARCHAR"}, unit="row", keys={"k": ["a|", "|b", "", "c\x1f"]})
    draft = drafted(bind_keys, "SELECT k, COUNT(*) FROM t GROUP BY k", terms)
    table = draft.rows.args["joins"][0].this.sql(dialect="duckdb")
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT * FROM {table}").fetchall()
    assert sorted(found) == [(0, "a|"), (1, "|b"), (2, ""), (3, "c\x1f")]


def test_moments_are_refused_as_keys_that_are_to_be_found(tmp_path):
    """Hardly two people share one, so no group would be found; what the remedy says is answered."""
    frame = pd.DataFrame(
        {
            "who": [place % 40 for place in range(400)],
            "at": pd.date_range("2024-01-01", periods=400, freq="h"),
            "x": [place / 7 for place in range(400)],
        }
    )
    terms = {"unit": "who", "budget": {"epsilon": 100, "delta": "1e-6"}, "contributions": 10}
    db = dalenius.connect(frame, table="t", ledger=tmp_path / "l", **terms)
    with pytest.raises(UnsupportedQuery, match=r"GROUP BY DATE_TRUNC\('day', at\)"):
        db.sql("SELECT at, COUNT(*) FROM t GROUP BY at", epsilon=1, delta="1e-7", groups=1)
    assert db.budget.epsilon == 100
    for coarse in ("DATE_TRUNC('day', at)", "FLOOR(x / 10) * 10", "x"):
        db.sql(f"SELECT {coarse} AS k, COUNT(*) FROM t GROUP BY k", epsilon=1, delta="1e-7", groups=1)


OF_PEOPLE = {
    "the largest": "SELECT who, MAX(who) AS m FROM t GROUP BY who",
    "the most frequent": "SELECT who, MODE(who) AS m FROM t GROUP BY who",
    "that of a row": "SELECT who, ARG_MAX(who, x) AS m FROM t GROUP BY who",
    "a text": "SELECT 'id ' || CAST(who AS VARCHAR) AS m FROM t",
    "another name": "SELECT who, who AS m FROM t",
    "arithmetic": "SELECT DISTINCT who, who * 2 AS m FROM t",
    "of the first row": "SELECT DISTINCT ON (who) who, who + 1 AS m FROM t ORDER BY who, x",
    "a window": "SELECT who, FIRST_VALUE(who) OVER (PARTITION BY who ORDER BY x) AS m FROM t",
    "a joined table": "SELECT u.who AS m FROM t JOIN t AS u USING (who)",
    "one side of a union": "SELECT who, j AS m FROM t UNION ALL SELECT who, who AS m FROM t",
    "a query in a row": "SELECT x, (SELECT MAX(i.who) FROM t AS i WHERE i.who = t.who) AS m FROM t",
    "the outer row": "SELECT x, (SELECT MAX(t.who) FROM t AS i WHERE i.who = t.who) AS m FROM t",
    "lateral": "SELECT l.a AS m FROM t, LATERAL (SELECT MAX(i.who) AS a FROM t AS i WHERE i.who = t.who) AS l",
    "nested": "SELECT LEAST(w, 9) AS m FROM (SELECT who, w FROM (SELECT who, who AS w FROM t) AS r) AS s",
}
SAFE = {
    "their rows": "SELECT who, LEAST(COUNT(who), 3) AS m FROM t GROUP BY who",
    "another column": "SELECT who, MAX(j) AS m FROM t GROUP BY who",
    "words": "SELECT CASE WHEN who = 1 THEN 'one' ELSE 'others' END AS m FROM t",
}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    frame = pd.DataFrame({"who": [place % 4 for place in range(40)], "x": range(40), "j": [7] * 40})
    terms = {"unit": "who", "budget": {"epsilon": 100, "delta": "1e-6"}, "contributions": 10}
    return dalenius.connect(frame, table="t", ledger=tmp_path_factory.mktemp("bind") / "l", **terms)


@pytest.mark.parametrize("of", OF_PEOPLE)
def test_no_key_that_is_computed_from_the_unit_is_found(people, of):
    """What is found is shown: with probability δ each it would be the name of one person."""
    before = people.budget
    queries = [f"SELECT m, COUNT(*) AS n FROM ({OF_PEOPLE[of]}) AS q GROUP BY m"]
    queries += [
        f"WITH q AS ({OF_PEOPLE[of]}) SELECT 'no. ' || CAST(m AS VARCHAR) AS a, COUNT(*) AS n FROM q GROUP BY a"
    ]
    for query in queries:
        with pytest.raises(UnsupportedQuery, match=r"tells people apart|every person a row"):
            people.sql(query, epsilon=1, delta="1e-7", groups=1)
    assert people.budget == before


@pytest.mark.parametrize("of", SAFE)
def test_a_key_that_tells_no_name_is_found_or_listed(people, of):
    people.sql(f"SELECT m, COUNT(*) AS n FROM ({SAFE[of]}) AS q GROUP BY m", epsilon=1, delta="1e-7", groups=1)
