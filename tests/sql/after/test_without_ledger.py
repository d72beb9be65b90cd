import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import DaleniusError, InvalidSyntax, UnsupportedQuery
from dalenius.sql.after.without_ledger import explain_statement

ROWS = pa.table({"who": [1, 1, 2], "k": ["a", "b", "a"], "x": [1.0, 2.0, 3.0]})


@pytest.fixture
def db(tmp_path):
    terms = {"contributions": 2, "keys": {"k": ["a", "b"]}, "bounds": {"x": (0, 4)}, "budget": {"epsilon": 5}}
    return dalenius.connect(ROWS, table="t", unit="who", ledger=tmp_path / "l", **terms)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, COUNT(*) AS n FROM t GROUP BY k",
        "SELECT k, ROUND(AVG(x)) AS m FROM t GROUP BY k",
        "WITH m AS (SELECT k, COUNT(*) AS n FROM t GROUP BY k) SELECT MAX(n) AS peak, AVG(n) AS mean FROM m",
        "SELECT k, COUNT(*) AS n FROM t GROUP BY ROLLUP (k)",
        "SELECT COUNT(*) AS n FROM t WHERE x > 1 UNION ALL SELECT COUNT(DISTINCT k) FROM t",
    ],
)
def test_without_a_ledger_a_statement_costs_and_errs_as_in_a_session(db, query):
    told, session = explain_statement(query, db.policy, {}, epsilon=1), db.explain(query, epsilon=1)
    assert told.guarantee == session.guarantee
    assert (told.lines, told.columns, told.cells) == (session.lines, session.columns, session.cells)
    parts = [note for note in session.notes if note.startswith(("part", "above"))]
    assert [note for note in told.notes if note.startswith(("part", "above"))] == parts


def test_it_says_what_is_found_first_and_asks_for_no_ledger(tmp_path):
    db = dalenius.connect(ROWS, table="t", unit="who", budget={"epsilon": 5}, ledger=tmp_path / "l")
    told = explain_statement("SELECT ROUND(COUNT(*)) AS n FROM t", db.policy, {}, epsilon=1)
    assert any("how many rows each who has" in note for note in told.notes)


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("SELECT COUNT(* FROM t", InvalidSyntax),
        ("SELECT ROUND(x) FROM t", UnsupportedQuery),
        ("SELECT getenv(MAX(k)) FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) AS s", UnsupportedQuery),
    ],
)
def test_what_a_session_refuses_is_refused(db, query, kind):
    with pytest.raises(kind):
        explain_statement(query, db.policy, {}, epsilon=1)
    with pytest.raises(DaleniusError):
        db.explain(query, epsilon=1)
