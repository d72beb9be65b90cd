from dalenius.sql.planner.rules import qualify
from tests.sql.cases import cases, check


@cases(qualify)
def test_fixture(case):
    check(qualify, case)
