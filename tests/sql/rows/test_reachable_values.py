import duckdb
import pyarrow as pa
import pytest

import dalenius
from dalenius.sql.rows import public_values, row_expression
from dalenius.sql.rows.reachable_values import reachable_values
from dalenius.sql.text.parse import parse
from tests.sql.rows.reading import policy

VISITS = pa.table(
    {
        "who": [n % 11 for n in range(120)],
        "ward": [("a", "b", "c", "d", "z")[n % 5] for n in range(120)],  # z is declared by nobody
        "age": [n * 7 % 100 for n in range(120)],
    }
)


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    return dalenius.connect(
        VISITS,
        table="visits",
        unit="who",
        contributions=20,
        budget={"epsilon": 10**12},
        ledger=tmp_path_factory.mktemp("reachable") / "ledger",
        bounds={"age": (0, 99)},
        keys={"ward": ["a", "b", "c", "d"], "age": list(range(1, 80))},
    )


@pytest.mark.parametrize(
    "query",
    [
        "SELECT CASE WHEN ward IN ('a', 'b') THEN ward ELSE 'other' END AS g, COUNT(*) AS n FROM visits GROUP BY g",
        "SELECT IF(ward = 'c', ward, 'other') AS g, COUNT(*) AS n FROM visits WHERE age > 5 GROUP BY g",
        "SELECT g, COUNT(*) AS n FROM (SELECT CASE WHEN ward < 'c' THEN ward ELSE 'rest' END AS g FROM visits) AS t "
        "GROUP BY g",
        "SELECT CASE WHEN k > 10 THEN 11 ELSE k END AS g, COUNT(*) AS n FROM (SELECT who, COUNT(*) AS k FROM visits "
        "GROUP BY who) AS t GROUP BY g HAVING COUNT(*) > 0",
        # results that are written out, of values that nobody declared: with a condition and without
        "SELECT CASE WHEN ward = 'z' THEN 'new' ELSE 'old' END AS g, COUNT(*) AS n FROM visits GROUP BY g",
        "SELECT CASE WHEN age = 0 THEN 'born' WHEN age > 90 THEN 'old' ELSE 'rest' END AS g, COUNT(*) AS n FROM visits "
        "WHERE age <> 50 GROUP BY g",
        "SELECT CASE WHEN age >= 80 THEN -1 ELSE 0 END AS g, COUNT(*) AS n FROM visits WHERE age > 3 GROUP BY g",
        # those that the condition excludes
        "SELECT CASE WHEN age < 18 THEN 'child' ELSE 'adult' END AS g, COUNT(*) AS n FROM visits WHERE age >= 18 "
        "GROUP BY g",
        "SELECT CASE WHEN ward = 'a' THEN 'x' WHEN ward = 'b' THEN 'y' ELSE 'z' END AS g, COUNT(*) AS n FROM visits "
        "WHERE ward <> 'a' GROUP BY g",
    ],
)
def test_a_choice_has_the_groups_that_a_database_makes_of_it(db, query):
    with duckdb.connect() as plain:
        plain.register("visits", VISITS)
        expected = sorted((str(group), float(n)) for group, n in plain.execute(query).fetchall())
    got = sorted((str(group), float(n)) for group, n in db.sql(query, epsilon=10**8).rows)
    assert [one[0] for one in got] == [one[0] for one in expected]
    assert [one[1] for one in got] == pytest.approx([one[1] for one in expected], abs=0.01)


def test_without_the_rule_for_results_that_are_written_out_rows_would_be_lost():
    """A mutant: what the public values of columns reach, and nothing else."""
    terms = policy()
    node = parse("SELECT CASE WHEN k = 'nobody declared it' THEN 'new' ELSE 'old' END").expressions[0]
    part = row_expression(node, terms)
    assert set(reachable_values(node, part, part.values, terms)) == {"new", "old"}
    assert set(public_values(node, part, terms)) == {"old"}
