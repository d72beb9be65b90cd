import pytest

from dalenius.noise import Lattice
from dalenius.sql.planner.rules import choose_top
from tests.sql.cases import cases, drafted, policy


@cases(choose_top)
def test_fixture(case):
    assert drafted(choose_top, case.query, policy(case.unit)).top.scan == case.expected


@pytest.mark.parametrize(
    ("by", "steps", "step"),
    [("COUNT(*)", 3 * 2**20, -20), ("COUNT(DISTINCT user_id)", 1, 0), ("COUNT(DISTINCT note)", 3, 0)],
)
def test_one_unit_moves_one_cell_by_no_more_than_all(by, steps, step):
    query = f"SELECT category FROM purchases GROUP BY category ORDER BY {by} DESC LIMIT 1"
    top = drafted(choose_top, query, policy("user_id")).top
    assert (top.steps, top.lattice, top.k) == (steps, Lattice(step), 1)


@pytest.mark.parametrize("order", ["COUNT(*)", 'SUM("odd ""name""") DESC', "AVG(price) DESC", "category DESC"])
def test_what_an_added_unit_may_lower_or_no_count_decides_is_left(order):
    query = f"SELECT category FROM purchases GROUP BY category ORDER BY {order}, COUNT(*) DESC LIMIT 1"
    assert drafted(choose_top, query, policy("user_id")).top is None
