import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine import language
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.conditional_aggregates import parse_question, read_question
from tests.sql.cases import policy

PAIRS = [
    ("COUNT_IF(price > 3) AS n", "COUNT(CASE WHEN price > 3 THEN 1 END) AS n"),
    ("COUNT(*) FILTER (WHERE price > 3) AS n", "COUNT(CASE WHEN price > 3 THEN 1 END) AS n"),
    ("COUNT(note) FILTER (WHERE gift) AS n", "COUNT(CASE WHEN gift THEN note END) AS n"),
    ("SUM(price) FILTER (WHERE gift) AS n", "SUM(CASE WHEN gift THEN price END) AS n"),
    ("AVG(price) FILTER (WHERE gift) AS n", "AVG(CASE WHEN gift THEN price END) AS n"),
    ("MEDIAN(price) FILTER (WHERE gift) AS n", "MEDIAN(CASE WHEN gift THEN price END) AS n"),
    ("COUNT(DISTINCT note) FILTER (WHERE gift) AS n", "COUNT(DISTINCT CASE WHEN gift THEN note END) AS n"),
    ("COUNT_IF(gift) FILTER (WHERE price > 3) AS n", "COUNT(CASE WHEN (gift) AND (price > 3) THEN 1 END) AS n"),
    ("COUNT_IF(gift) / COUNT(*) AS n", "COUNT(CASE WHEN gift THEN 1 END) / COUNT(*) AS n"),
]


@pytest.mark.parametrize(("asked", "alike"), PAIRS)
@pytest.mark.parametrize("unit", ["row", "user_id"])
def test_a_condition_on_an_aggregate_is_case_inside_of_it(asked, alike, unit):
    one, two = (compile_query(f"SELECT {text} FROM purchases", policy(unit)) for text in (asked, alike))
    assert one.facts() == two.facts()


def test_a_column_is_called_by_what_was_written():
    (column,) = compile_query("SELECT COUNT_IF(gift) FROM purchases", policy()).output.columns
    assert column.name == "count_if"


def test_conditions_in_having_and_order_are_read_too():
    query = "SELECT category, COUNT(*) AS n FROM purchases GROUP BY category HAVING COUNT_IF(gift) > 3"
    assert "CASE WHEN gift THEN 1 END" in language.written(parse_question(query))
    (group,) = compile_query(query, policy("user_id")).groups
    assert "gift" in group.question


@pytest.mark.parametrize(
    "asked",
    [
        *("COUNT_IF(price)", "COUNT_IF(*)", "COUNT_IF(DISTINCT gift)", "SUM(price) FILTER (WHERE price)"),
        "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY price) FILTER (WHERE gift)",
        "COUNT_IF(COUNT(*) > 1)",
    ],
)
def test_what_is_no_condition_is_refused(asked):
    with pytest.raises(UnsupportedQuery):
        compile_query(f"SELECT {asked} AS n FROM purchases", policy())


@pytest.mark.parametrize("term", [term for pair in PAIRS for term in pair])
def test_a_tree_that_is_only_read_is_the_same_one(term):
    text = f"SELECT {term} FROM purchases"
    before = language.written(read_question(text))
    assert language.written(parse_question(text)) == before == language.written(read_question(text))
