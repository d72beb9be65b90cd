import pytest

from dalenius.errors import InvalidParameter
from dalenius.queries import Keys
from dalenius.sql.policy.column_checks import check_bounds, check_day, check_keys
from dalenius.sql.types.kinds import Kind


@pytest.mark.parametrize(
    ("values", "kind"), [(["a"], "BIGINT"), ([300], "TINYINT"), (["a\0"], "VARCHAR"), ([0.1, 0.1 + 1e-12], "FLOAT")]
)
def test_keys_that_a_column_cannot_hold_apart_are_refused(values, kind):
    with pytest.raises(InvalidParameter, match="'c'"):
        check_keys("c", Keys("c", values), kind)
    check_keys("c", Keys("c", [1, 2]), "BIGINT")


@pytest.mark.parametrize(
    ("ends", "kind"), [((2, 1), Kind.NUMBER), ((0, 1e200), Kind.NUMBER), (("a", "b"), Kind.DATE), ((0, 1), Kind.TEXT)]
)
def test_bounds_that_bound_nothing_are_refused(ends, kind):
    with pytest.raises(InvalidParameter, match="'c'"):
        check_bounds("c", ends, kind)
    check_bounds("c", (0, 1), Kind.NUMBER)


def test_a_day_is_written_as_one():
    check_day("2024-01-31")
    with pytest.raises(InvalidParameter, match="2024-01-31"):
        check_day("31.1.2024")
