import duckdb
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import UnsupportedQuery
from dalenius.sql.text.parse import parse
from dalenius.sql.text.pivots import trees_of, without_pivots

ROWS = pa.table(
    {
        "who": range(60),
        "k": [("a", "b", "c")[n % 3] for n in range(60)],
        "y": [2023 + n % 2 for n in range(60)],
        "x": [float(n % 5) for n in range(60)],
    }
)
FORMS = [
    "PIVOT t ON k IN ('a', 'c') USING COUNT(*) GROUP BY y",
    "PIVOT t ON k IN ('a', 'c') USING SUM(x) AS s, COUNT(*) AS n GROUP BY y ORDER BY y DESC LIMIT 1",
    "PIVOT (SELECT k, y, x FROM t WHERE x > 0) ON y IN (2023, 2024) USING SUM(x) ORDER BY k",
    "SELECT * FROM t PIVOT (SUM(x) FOR k IN ('a', 'b') GROUP BY y) ORDER BY y",
    "WITH p AS (PIVOT t ON k IN ('a', 'b') USING COUNT(*) GROUP BY y) SELECT y, a - b AS more FROM p ORDER BY y",
]


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    return dalenius.connect(
        ROWS,
        table="t",
        unit="who",
        contributions=1,
        budget={"epsilon": 10**12},
        ledger=tmp_path_factory.mktemp("pivots") / "ledger",
        bounds={"x": (0, 4)},
        keys={"k": ["a", "b", "c"], "y": [2023, 2024]},
    )


@pytest.mark.parametrize("null_keys", [[], ["k", "y"]])
def test_a_column_of_null_has_the_rows_that_are_null(tmp_path, null_keys):
    """Also where NULL is no group of the column; the text 'NULL' is another value, and is not among them."""
    rows = pa.table({"who": range(60), "k": [("a", None, "NULL")[n % 3] for n in range(60)], "y": [1, 2] * 30})
    terms = {"unit": "who", "budget": {"epsilon": 10**12}, "ledger": tmp_path / "ledger", "contributions": 1}
    db = dalenius.connect(rows, table="t", keys={"y": [1, 2], "k": ["a"]}, null_keys=null_keys, **terms)
    query = "PIVOT t ON k IN ('a', NULL) USING COUNT(*) GROUP BY y ORDER BY y"
    with duckdb.connect() as plain:
        plain.register("t", rows)
        expected = plain.execute(query).fetchall()
    assert expected == [(1, 10, 10), (2, 10, 10)]
    assert [tuple(map(round, row)) for row in db.sql(query, epsilon=10**8).rows if row[0] is not None] == expected


@pytest.mark.parametrize("query", FORMS)
def test_a_pivot_has_the_columns_and_numbers_that_a_database_gives_it(db, query):
    with duckdb.connect() as plain:
        plain.register("t", ROWS)
        expected = plain.execute(query)
        names, rows = [column[0] for column in expected.description], expected.fetchall()
    answer = db.sql(query, epsilon=10**8)
    assert list(answer.to_arrow().column_names) == names
    ordered = (list, list) if "ORDER" in query else (sorted, sorted)
    for row, other in zip(ordered[0](answer.rows), ordered[1](rows), strict=True):
        assert row[0] == other[0]
        assert list(row[1:]) == pytest.approx([float(value) for value in other[1:]], abs=0.01)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("PIVOT t ON k USING COUNT(*) GROUP BY y", "values written out"),
        ("PIVOT t ON k IN ('a') USING COUNT(*)", "needs GROUP BY"),
        ("PIVOT t ON k IN ('a'), y IN (2023) USING COUNT(*) GROUP BY x", "one column"),
        ("SELECT y FROM t PIVOT (SUM(x) FOR k IN ('a') GROUP BY y)", "stands alone"),
        ("UNPIVOT t ON x INTO NAME n VALUE v", "UNPIVOT|not a question"),
    ],
)
def test_a_pivot_by_values_that_rows_have_is_refused_before_a_charge(db, query, said):
    left = db.budget
    with pytest.raises(UnsupportedQuery, match=said):
        db.sql(query, epsilon=1)
    assert db.budget == left


def test_a_text_without_a_pivot_is_read_as_ever():
    text = "SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY 2 LIMIT 1"
    (tree,) = trees_of(text)
    assert without_pivots(tree) is tree
    assert parse(text) == tree
