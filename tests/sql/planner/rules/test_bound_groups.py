import pytest

from dalenius.sql.planner.rules import bound_groups
from dalenius.sql.planner.rules.bound_contribution import ONE
from dalenius.sql.planner.unknown_keys import KeySearch
from tests.sql.cases import cases, check, drafted, policy


@cases(bound_groups)
def test_fixture(case):
    check(bound_groups, case)


@pytest.mark.parametrize(("groups", "people"), [(1, 1), (2, 2), (9, 3)])
def test_a_unit_is_present_in_no_more_than_its_groups_and_rows(groups, people):
    query = "SELECT note, COUNT(*), COUNT(DISTINCT user_id) FROM purchases GROUP BY note"
    rows, units = drafted(bound_groups, query, policy("user_id"), KeySearch(groups)).groups
    assert rows.steps == 3 * ONE
    assert units.steps == people * ONE
    assert (rows.change, units.change) == (2 * rows.steps, 2 * units.steps)
    assert rows.weight + units.weight == 2 * rows.weight < 1  # the selection has its share too
