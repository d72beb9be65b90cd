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
