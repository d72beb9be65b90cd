import duckdb
import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.planner.aggregate_calls import aggregate_calls
from dalenius.sql.planner.compile import compile_query
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


def test_several_values_are_counted_as_the_engine_counts_them_and_no_two_pairs_are_one():
    """Of (a, b) a NULL is a value; of a, b a row that lacks one is left out."""
    pairs = [("a", "1:b"), ("a1", ":b"), ("a", "1:b"), (None, "x"), ("x", None), (None, None), ("", "x"), ("-", "x")]
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE "source" (who BIGINT, k TEXT, note TEXT)')
        connection.executemany('INSERT INTO "source" VALUES (1, ?, ?)', pairs)
        counted = []
        for term in ("k, note", "(k, note)"):
            compiled = compile_query(f"SELECT COUNT(DISTINCT {term}) FROM t", policy("row"))
            counted.append(connection.execute(compiled.groups[0].scan).fetchone()[1])
        (engines,) = connection.execute('SELECT COUNT(DISTINCT (k, note)) FROM "source"').fetchone()
    assert counted == [4, engines] == [4, 7]
