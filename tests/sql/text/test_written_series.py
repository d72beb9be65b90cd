"""A series that is written in short is the rows that DuckDB makes of it."""

import duckdb
import pytest
from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine import language
from dalenius.sql.text.parse import parse


@pytest.mark.parametrize(
    "source",
    [
        *("generate_series(1, 5) AS s(x)", "range(1, 5) AS s(x)", "generate_series(-2, 10, 3) AS s(x)"),
        *("generate_series(5, 1, -2) AS s(x)", "range(5, 1, -2) AS s(x)"),
        "generate_series(DATE '2025-01-30', DATE '2025-03-02', INTERVAL 1 DAY) AS s(x)",
        "range(DATE '2024-01-31', DATE '2024-12-31', INTERVAL '1 month') AS s(x)",
        "generate_series(DATE '2024-02-29', DATE '2032-12-31', INTERVAL 1 YEAR) AS s(x)",
        "generate_series(TIMESTAMP '2024-01-01 05:30:00', TIMESTAMP '2024-01-02 12:00:00', INTERVAL 6 HOUR) AS s(x)",
        "generate_series(DATE '2024-01-01', DATE '2024-03-01', INTERVAL '2 weeks') AS s(x)",
        *("UNNEST(['a', 'b']) AS s(x)", "(SELECT UNNEST([DATE '2024-01-01', DATE '2024-06-30']) AS x) AS s"),
    ],
)
def test_a_series_is_the_rows_that_the_engine_makes_of_it(source):
    tree = parse(f"SELECT s.x FROM {source}")
    assert isinstance(tree.args["from_"].this, exp.Values)
    with duckdb.connect() as plain:
        expected = plain.execute(f"SELECT s.x FROM {source}").fetchall()
        assert plain.execute(language.written(tree)).fetchall() == expected


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("generate_series(1, 100000) AS s(x)", "1 to 500 rows"),
        ("generate_series(5, 1) AS s(x)", "1 to 500 rows"),
        ("generate_series(1, 5, 0) AS s(x)", "of whole numbers"),
        ("generate_series(1, y) AS s(x)", "of whole numbers"),
        ("generate_series(DATE '2024-01-01', CURRENT_DATE, INTERVAL 1 DAY) AS s(x)", "of whole numbers"),
        ("generate_series(DATE '2024-01-01', DATE '2024-02-01', INTERVAL 1 MINUTE) AS s(x)", "steps by hours, days"),
        ("generate_series(DATE '2024-01-01', DATE '2024-02-01', INTERVAL 0 DAY) AS s(x)", "a positive INTERVAL"),
        ("UNNEST([x]) AS s(x)", "holds constants"),
    ],
)
def test_what_is_not_written_out_is_refused(source, said):
    with pytest.raises(UnsupportedQuery, match=said):
        parse(f"SELECT s.x FROM {source}")
