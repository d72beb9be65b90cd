import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.neighbors import Unit
from dalenius.sql.aggregation import Aggregation
from dalenius.sql.compile import compile_query
from tests.sql.sensitivity.grammar import policy


def test_a_count_by_one_key_is_a_query():
    aggregation, name = Aggregation.of(compile_query("SELECT k AS key, COUNT(*) AS n FROM t GROUP BY k", policy()))
    assert (name, aggregation.keys.column, len(aggregation.keys)) == ("n", "key", 3)
    assert aggregation.sensitivity(Unit("who")).l1 == 2 * 2**20
    assert str(aggregation) == "COUNT(*) for each of 3 values of key"


@pytest.mark.parametrize(
    "query", ["SELECT AVG(x) FROM t", "SELECT COUNT(*), SUM(x) FROM t", "SELECT COUNT(*) + 1 FROM t"]
)
def test_more_is_not_released_this_way(query):
    with pytest.raises(UnsupportedQuery, match="one aggregate"):
        Aggregation.of(compile_query(query, policy()))
