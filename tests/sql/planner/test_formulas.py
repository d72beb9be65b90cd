import numpy as np
import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.planner.compile import compile_query
from tests.sql.sensitivity.grammar import policy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("COUNT(*) * 2 + 1", 21), ("COUNT(*) / 0", np.nan), ("-(COUNT(*))", -10), ("SQRT(COUNT(*) - 1)", 3)),
        *(("CASE WHEN COUNT(*) > 3 THEN 1 ELSE 0 END", 1), ("CASE WHEN NOT COUNT(*) > 3 THEN 1 END", np.nan)),
        *(("CLAMP(COUNT(*), 0, 5)", 5), ("COUNT(*) BETWEEN 9 AND 11", 1), ("COUNT(*) = 3 OR COUNT(*) <> 3", 1)),
        *(("COUNT(*) / 0 IS NULL", 1), ("COUNT(*) > 3 AND COUNT(*) < 5", 0)),
    ],
)
def test_arithmetic_on_a_count_of_ten(text, expected):
    (column,) = compile_query(f"SELECT {text} AS a FROM t", policy("row")).output.columns
    assert column.of.value({"p0": np.array([10.0])})[0] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    "text", ["ROUND(COUNT(*))", "COUNT(*) || 'a'", "COUNT(*) + x", "COUNT(*) IS TRUE", "COUNT(*) > 'a'"]
)
def test_what_is_no_arithmetic_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        compile_query(f"SELECT {text} AS a FROM t", policy("row"))


def test_columns_without_a_name_get_one():
    compiled = compile_query("SELECT k, COUNT(*), AVG(x), COUNT(*) + 1 FROM t GROUP BY k", policy())
    assert [column.name for column in compiled.output.columns] == ["k", "count", "avg_x", "column_4"]
