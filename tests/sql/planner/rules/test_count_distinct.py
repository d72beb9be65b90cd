import duckdb
import pytest

from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.rules import count_distinct
from tests.sql.cases import cases, drafted, policy


@cases(count_distinct)
def test_fixture(case):
    (group,) = drafted(count_distinct, case.query, policy(case.unit), case.unknown).groups
    assert group.scan == case.expected


@pytest.mark.parametrize(("cells", "change"), [("", 3), (" GROUP BY category", 6)])
def test_a_unit_that_is_replaced_moves_a_single_count_by_its_share(cells, change):
    query = f"SELECT COUNT(DISTINCT note) FROM purchases{cells}"
    (group,) = drafted(count_distinct, query, policy("user_id")).groups
    assert (group.steps, group.change, group.lattice.step) == (3, change, 1)


def counted(query, rows, unit="who", contributions=2):
    columns = {"who": "BIGINT", "k": "VARCHAR", "x": "DOUBLE"}
    terms = Policy.declare("t", columns, unit=unit, contributions=contributions, keys={"k": ["a", "b"]})
    compiled = compile_query(query, terms)
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE "source" (who BIGINT, k VARCHAR, x DOUBLE)')
        connection.executemany('INSERT INTO "source" VALUES (?, ?, ?)', rows)
        return dict(connection.execute(compiled.groups[0].scan).fetchall())


def test_a_value_of_several_units_is_one_and_gaps_are_none():
    rows = [(1, "a", 1.0), (2, "a", 1.0), (2, "b", 0.0), (3, "b", -0.0), (1, "a", None), (3, "a", float("nan"))]
    assert counted("SELECT k, COUNT(DISTINCT x) FROM t GROUP BY k", rows) == {0: 1, 1: 1}
    assert counted("SELECT COUNT(DISTINCT x) FROM t", rows) == {0: 2}
    assert counted("SELECT COUNT(DISTINCT x) FROM t", rows, "row", None) == {0: 2}


def test_one_unit_has_so_many_values_only():
    rows = [(1, "a", float(value)) for value in range(50)]
    assert counted("SELECT COUNT(DISTINCT x) FROM t", rows) == {0: 2}
    assert counted("SELECT COUNT(DISTINCT x) FROM t", rows, "row", None) == {0: 50}
