from dalenius.sql.planner.rules import bind_aggregates
from tests.sql.cases import cases, check


@cases(bind_aggregates)
def test_fixture(case):
    check(bind_aggregates, case)
