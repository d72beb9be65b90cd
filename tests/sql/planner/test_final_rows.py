import pyarrow as pa
import pytest

from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.unknown_keys import KeySearch
from tests.sql.plans.test_unknown_keys import policy

ROWS = pa.table(
    {
        "who": [1, 1, 1, 2, 2, None],
        "city": ["oslo", "oslo", "rome", "oslo", "york", "oslo"],
        "size": [0.0, 1.0, 2.0, 0.0, 3.0, 4.0],
        "kind": ["x", "y", "x", "x", "x", "x"],
    }
)


def counted(query, unit, unknown, named):
    compiled = compile_query(query, policy(unit), unknown)
    (group,) = (group for group in compiled.groups if group.scan)
    table = pa.table({compiled.named[0].column: named, "place": list(range(len(named)))})
    return dict(DuckDB(ROWS, table="t").fetch(group.scan, table).to_pandas().itertuples(index=False))


def test_cells_count_those_of_the_first_named_key_then_of_the_second():
    query = "SELECT city, kind, COUNT(DISTINCT size) FROM t GROUP BY city, kind"
    assert counted(query, "who", KeySearch(9), ["rome", "oslo"]) == {0: 1, 2: 1, 3: 1}
    assert counted(query, "row", KeySearch(), ["rome", "oslo"]) == {0: 1, 2: 2, 3: 1}  # a row of nobody is a unit too


def test_a_unit_has_values_in_its_first_groups_only_and_keys_that_were_not_named_have_none():
    query = "SELECT city, COUNT(DISTINCT size) FROM t GROUP BY city"
    every = ["oslo", "rome", "york"]
    assert sum(counted(query, "who", KeySearch(2), every).values()) == 4
    kept = counted(query, "who", KeySearch(1), every)
    assert 1 <= sum(kept.values()) <= 3
    assert counted(query, "who", KeySearch(2), []) == {}


@pytest.mark.parametrize("groups", [1, 2])
def test_the_groups_of_a_unit_are_those_that_name_keys(groups):
    """One order decides both: whoever is counted for a key has values there."""
    query = "SELECT city, COUNT(*), COUNT(DISTINCT size) FROM t GROUP BY city"
    compiled = compile_query(query, policy("who"), KeySearch(groups))
    engine = DuckDB(ROWS, table="t")
    found = engine.fetch(compiled.scan).to_pydict()["key0"]
    assert counted(query, "who", KeySearch(groups), found).keys() == set(range(len(found)))


def test_no_other_statement_sees_the_named_keys():
    engine = DuckDB(ROWS, table="t")
    engine.fetch("SELECT * FROM named", pa.table({"key0": ["oslo"], "place": [0]}))
    with pytest.raises(Exception, match="engine failed"):
        engine.fetch("SELECT * FROM named")
