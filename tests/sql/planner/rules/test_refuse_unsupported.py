from dalenius.sql.planner.rules import refuse_unsupported
from tests.sql.cases import cases, check


@cases(refuse_unsupported)
def test_fixture(case):
    check(refuse_unsupported, case)
