import pytest

from dalenius.neighbors import Unit
from dalenius.queries import Count, Keys, Query, Sum, Table

QUERIES: list[Query[Table]] = [Count(), Count(Keys("x", [1, 2])), Sum("x", (0, 10))]


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_an_answer_has_one_cell_for_each_key(query):
    answer = query.evaluate(Table.of({"x": [1, 2, 3]}))
    assert answer.shape == (1 if query.keys is None else len(query.keys),)
    assert answer.dtype.kind == "i"


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_a_query_has_a_bound_and_public_facts(query):
    assert query.sensitivity(Unit.row()).l1 > 0
    assert query.facts()["query"]
    assert query.lattice.step == 1
