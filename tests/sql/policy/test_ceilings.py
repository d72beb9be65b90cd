import pytest

from dalenius.errors import DaleniusError, InvalidParameter
from dalenius.sql import Policy

COLUMNS = {"who": "BIGINT", "x": "DOUBLE", "k": "VARCHAR"}


def declare(**terms):
    return Policy.declare("t", COLUMNS, **{"unit": "who", "bounds": {"x": (0, 10)}} | terms)


def test_ceilings_are_kept_in_the_file(tmp_path):
    policy = declare(most_rows=500, limits={"X": (-5, 100)}, contributions=20)
    policy.save(tmp_path / "policy.toml")
    again = Policy.load(tmp_path / "policy.toml")
    assert again.ceilings.most_rows == 500
    assert again.ceilings.limits_of("x") == (-5, 100)
    assert again.ceilings.limits_of("k") is None


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"most_rows": 0}, "most_rows must be a whole number"),
        ({"most_rows": True}, "most_rows must be a whole number"),
        ({"most_rows": 10**6 + 1}, "most_rows must be a whole number"),
        ({"most_rows": 10, "contributions": 20}, "contributions = 20 is more than most_rows = 10"),
        ({"most_rows": 2, "unit": "row"}, "each unit owns one row"),
        ({"most_rows": 2, "rows_per_unit": "one"}, "each unit owns one row"),
        ({"limits": {"x": (1, 100)}}, "must hold its bounds"),
        ({"limits": {"x": (0, 5)}}, "must hold its bounds"),
        ({"limits": {"x": 5}}, "limits of 'x' must be"),
        ({"limits": {"k": (0, 5)}}, "holds no numbers"),
        ({"limits": {"who": (0, 5)}}, "declare bounds for it as well"),
        ({"limits": [1, 2]}, "limits is told by name"),
        ({"limits": {"y": (0, 5)}}, "no column 'y'"),
    ],
)
def test_a_ceiling_that_is_none_is_refused(terms, told):
    with pytest.raises(DaleniusError, match=told):
        declare(**terms)


def test_limits_are_public_numbers_and_nothing_else():
    with pytest.raises(InvalidParameter):
        declare(limits={"x": ("a", "b")})
