import pytest

from dalenius.sql.planner.rules import sum_utility
from dalenius.sql.planner.stages import Question
from dalenius.sql.text.parse import parse


@pytest.mark.parametrize(
    ("utility", "row"),
    [
        ("k * COUNT(*)", "SUM((1) * (k))"),
        ("COUNT(*) * (k - 3)", "SUM((1) * ((k - 3)))"),
        ("k * COUNT(x)", "SUM((CASE WHEN x IS NULL THEN 0 ELSE 1 END) * (k))"),
        ("SUM(x) / 4 - k * COUNT(*)", "SUM(((COALESCE(x, 0)) / (4)) - ((1) * (k)))"),
        ("-(SUM(x))", "SUM(-(COALESCE(x, 0)))"),
        # left as they are: one aggregate, and what is linear in none
        ("SUM(k * x)", "SUM(k * x)"),
        ("k * SUM(DISTINCT x)", "k * SUM(DISTINCT x)"),
        ("x * COUNT(*)", "x * COUNT(*)"),
        ("SUM(x) * COUNT(*)", "SUM(x) * COUNT(*)"),
        ("SUM(x) - k", "SUM(x) - k"),
        ("k / COUNT(*)", "k / COUNT(*)"),
        ("AVG(x) + COUNT(*)", "AVG(x) + COUNT(*)"),
    ],
)
def test_a_utility_that_is_linear_in_aggregates_is_one_sum(utility, row):
    tree = parse(f"SELECT k FROM t GROUP BY k ORDER BY {utility} DESC LIMIT 1")
    read = sum_utility(Question(tree), None).tree
    assert read.args["order"].expressions[0].this.sql(dialect="duckdb") == row
