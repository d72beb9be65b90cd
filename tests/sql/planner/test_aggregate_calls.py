import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.planner.aggregate_calls import aggregate_calls
from dalenius.sql.planner.rules import qualify
from dalenius.sql.planner.stages import Question
from dalenius.sql.text.parse import parse
from tests.sql.sensitivity.grammar import policy


def asked(text):
    return aggregate_calls(qualify(Question(parse(text)), policy()).tree, policy())


def test_each_aggregate_is_found_once_wherever_it_stands():
    found = asked("SELECT COUNT(*), AVG(x), COUNT(*) FROM t HAVING SUM(x) > 1 ORDER BY AVG(X), COUNT(DISTINCT who)")
    assert sorted(one.want for one in found) == ["avg", "people", "rows", "sum"]


def test_a_count_of_a_constant_counts_rows():
    assert asked("SELECT COUNT(1), COUNT(*) FROM t") == asked("SELECT COUNT(*) FROM t")


@pytest.mark.parametrize(
    "term", ["COUNT(NULL)", "COUNT(DISTINCT 1)", "AVG(DISTINCT x)", "SUM(k)", "SUM(SUM(x))", "COUNT(* EXCLUDE (x))"]
)
def test_what_has_no_rule_is_refused(term):
    with pytest.raises(UnsupportedQuery):
        asked(f"SELECT {term} FROM t")
