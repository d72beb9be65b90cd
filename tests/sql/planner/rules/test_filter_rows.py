from dalenius.sql.planner.rules import filter_rows
from tests.sql.cases import cases, check


@cases(filter_rows)
def test_fixture(case):
    check(filter_rows, case)
