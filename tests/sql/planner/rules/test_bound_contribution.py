import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.sql.planner.rules import bound_contribution
from dalenius.sql.planner.rules.bound_contribution import ONE
from tests.sql.cases import cases, check, drafted, policy


@cases(bound_contribution)
def test_fixture(case):
    check(bound_contribution, case)


def test_the_bound_is_what_the_rule_proves():
    (row,) = drafted(bound_contribution, "SELECT COUNT(*) FROM purchases", policy()).groups
    (unit,) = drafted(bound_contribution, "SELECT COUNT(*) FROM purchases", policy("user_id")).groups
    assert (row.steps, row.lattice.step) == (1, 1)
    assert (unit.steps * unit.lattice.step, unit.steps) == (3, 3 * ONE)


@pytest.mark.theorem("G complaints count")
@given(st.integers(1, 10**6), st.integers(1, 2**30))
def test_the_weights_of_a_unit_never_sum_to_more_than_its_share(rows, contributions):
    weight = min(ONE, contributions * ONE // rows)
    assert rows * weight <= contributions * ONE
    if rows <= contributions:
        assert rows * weight == rows * ONE
