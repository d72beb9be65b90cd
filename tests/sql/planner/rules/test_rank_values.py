from dalenius.sql.planner.rules import rank_values
from tests.sql.cases import cases, drafted, policy


@cases(rank_values)
def test_fixture(case):
    (rank,) = drafted(rank_values, case.query, policy(case.unit), case.unknown).ranks
    assert rank.scan == case.expected


def test_a_grid_is_finer_where_there_are_few_cells():
    (one,) = drafted(rank_values, "SELECT MEDIAN(price) FROM purchases", policy()).ranks
    query = "SELECT MEDIAN(price) FROM purchases GROUP BY EXTRACT(doy FROM day), HOUR(at), gift"
    (many,) = drafted(rank_values, query, policy()).ranks
    assert (one.places, many.places) == (2**16, 2**12)
