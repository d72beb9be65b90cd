import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.planner.rules import find_modes
from tests.sql.cases import cases, drafted, policy


@cases(find_modes)
def test_fixture(case):
    (mode,) = drafted(find_modes, case.query, policy(case.unit), case.unknown).modes
    assert mode.scan == case.expected


def test_a_unit_weighs_its_contributions_over_all_cells_and_values():
    (mode,) = drafted(find_modes, "SELECT gift, MODE(category) FROM purchases GROUP BY gift", policy("user_id")).modes
    assert (mode.steps, mode.row, mode.values) == (3 * 2**20, 2**20, ("food", "o'hara"))
    (mode,) = drafted(find_modes, "SELECT MODE(category) FROM purchases", policy()).modes
    assert (mode.steps, mode.row) == (1, 1)


def test_too_many_candidates_are_refused():
    query = "SELECT MODE(EXTRACT(doy FROM day)) FROM purchases GROUP BY EXTRACT(doy FROM day), EXTRACT(doy FROM at)"
    with pytest.raises(UnsupportedQuery, match="to choose from"):
        drafted(find_modes, query, policy())
