import duckdb

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
