from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest

import dalenius
from dalenius.sql.rows import held_columns
from dalenius.sql.text.parse import parse
from tests.sql.sensitivity.grammar import policy

ROWS = pa.table({"who": range(5), "x": [1.0, 2.0, 500.0, None, -7.0], "w": [2.0, 3.0, 1.0, 4.0, 0.5]})
HELD = (
    "(SELECT who, CASE WHEN x IS NULL THEN NULL ELSE LEAST(GREATEST(x, 0), 10) END AS x, LEAST(w, 3) AS w FROM given)"
)


def written(text, bounds):
    terms = replace(policy(), bounds=bounds)
    return held_columns(parse(f"SELECT {text}").expressions[0], terms).sql(dialect="duckdb")


def test_columns_that_arithmetic_combines_are_held_on_their_own():
    assert written("x * y + 1", bounds={"x": (0, 9), "y": (-1, 2)}) == "CLAMP(x, 0e0, 9e0) * CLAMP(y, (-1e0), 2e0) + 1"
    assert written("x * (x - 2)", bounds={"x": (0, 9)}) == "CLAMP(x, 0e0, 9e0) * (CLAMP(x, 0e0, 9e0) - 2)"


@pytest.mark.parametrize("text", ["x * 2", "x", "CASE WHEN x > 3 THEN x ELSE y END", "ABS(x)", "x * note", "d - d"])
def test_what_combines_no_two_columns_with_bounds_stays_as_it_is(text):
    bounds = {"x": (0, 9), "y": (0, 9), "d": ("2023-01-01", "2024-12-31")}
    assert written(text, bounds) == parse(f"SELECT {text}").expressions[0].sql(dialect="duckdb")


@pytest.mark.parametrize(
    "asked",
    [
        "SELECT SUM(w * x) / SUM(w) AS a FROM t WHERE x IS NOT NULL",
        "SELECT AVG(x - w) AS a FROM t",
        "SELECT SUM(s) AS a FROM (SELECT who, SUM(x * w) AS s FROM t GROUP BY who) AS q",
    ],
)
def test_an_aggregate_of_several_columns_is_that_of_columns_between_their_bounds(tmp_path, asked):
    """Truth: DuckDB over rows that are held in their bounds beforehand."""
    terms = {"unit": "who", "contributions": 1, "bounds": {"x": (0, 10), "w": (0, 3)}, "budget": {"epsilon": 10**12}}
    with dalenius.connect(ROWS, table="t", ledger=tmp_path / "l", **terms) as db, duckdb.connect() as plain:
        plain.register("given", ROWS)
        (expected,) = plain.execute(asked.replace("FROM t", f"FROM {HELD} AS t")).fetchone()
        assert db.sql(asked, epsilon=10**9).value == pytest.approx(expected, abs=0.001)
