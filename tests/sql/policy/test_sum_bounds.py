from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.sql import Policy
from dalenius.sql.policy.sum_bounds import SumBound, split_bounds, summed_column
from dalenius.sql.policy_check import _public as public_terms
from dalenius.sql.views.description import columns_of

COLUMNS = {"who": "BIGINT", "amount": "DOUBLE", "town": "VARCHAR"}


def policy(bounds, unit="who"):
    return Policy.declare("t", COLUMNS, unit=unit, bounds=bounds)


def test_a_sum_is_told_from_a_column():
    assert summed_column("SUM(amount)") == "amount"
    assert summed_column(' sum( "odd ""name""" ) ') == 'odd "name"'
    assert summed_column("amount") is None
    assert split_bounds({"a": (0, 1), "SUM(a)": (0, 9)}, {"a": "DOUBLE"}) == ({"a": (0, 1)}, {"a": (0, 9)})
    assert split_bounds({"SUM(a)": (0, 9)}, {"sum(A)": "DOUBLE"}) == ({"SUM(a)": (0, 9)}, {})


def test_the_bound_is_the_farther_end():
    declared = policy({"amount": (-5, 200), "SUM(Amount)": (-100, 30)})
    assert declared.sum_bounds == {"amount": SumBound("amount", (-100, 30), Fraction(100))}
    assert declared.bounds == {"amount": (-5, 200)}


def test_a_bound_that_is_to_be_found_has_none_yet():
    bound = policy({"amount": (0, 5), "SUM(amount)": "private"}).sum_bounds["amount"]
    assert bound.most is None
    assert bound.is_found


@pytest.mark.parametrize("ends", [(0, 10_000), "private"])
def test_a_policy_file_keeps_it(tmp_path, ends):
    declared = policy({"amount": (0, 200), "SUM(amount)": ends})
    declared.save(tmp_path / "policy.toml")
    assert Policy.load(tmp_path / "policy.toml").sum_bounds == declared.sum_bounds


@pytest.mark.parametrize(
    "bounds",
    [
        {"SUM(amount)": (0, 9)},
        {"amount": (0, 5), "SUM(amount)": (0, 0)},
        {"amount": (0, 5), "SUM(amount)": (9, 0)},
        {"amount": (0, 5), "SUM(amount)": 9},
        {"amount": (0, 5), "SUM(amount)": "all"},
        {"amount": (0, 5), "SUM(amount)": (0, 10**8)},
        {"amount": (0, 5), "SUM(amount)": (0, 1e-9)},
        {"SUM(town)": (0, 5)},
    ],
)
def test_what_bounds_no_sum_is_refused(bounds):
    with pytest.raises(InvalidParameter, match="bounds"):
        policy(bounds)


def test_where_rows_are_units_a_sum_has_no_bound_of_its_own():
    with pytest.raises(InvalidParameter, match="each row is a unit"):
        policy({"amount": (0, 5), "SUM(amount)": (0, 9)}, unit="row")
    with pytest.raises(UnknownName):
        policy({"SUM(price)": (0, 9)})


def test_analysts_and_owners_are_told_of_it():
    declared = policy({"amount": (0, 200), "SUM(amount)": (0, 900)})
    assert "SUM of a person: up to 900" in str(columns_of("t", declared, {}))
    found = policy({"amount": (0, 200), "SUM(amount)": "private"})
    assert "SUM of a person: a bound found privately" in str(columns_of("t", found, {}))
    assert any("SUM(amount) of one person counts up to 900" in line for line in public_terms(declared))
