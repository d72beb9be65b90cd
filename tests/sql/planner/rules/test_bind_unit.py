from dalenius.sql.planner.rules import bind_unit
from tests.sql.cases import cases, check


@cases(bind_unit)
def test_fixture(case):
    check(bind_unit, case)
