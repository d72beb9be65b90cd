from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter
from dalenius.inference.normal_design import designed


def test_what_may_fail_is_a_third_of_all_and_shares_add_up():
    found = designed(2000, 300, 12, Fraction(1), 0.05)
    assert found.failed <= 0.05 * 0.3 + 1e-12
    assert 0 < found.rest < 1
    assert found.spread > 4


def test_more_people_leave_more_of_epsilon_for_the_sums():
    few, many = (designed(n, 300, 1, Fraction(1), 0.05).rest for n in (300, 20_000))
    assert few < many


def test_one_bin_and_one_deviation_need_no_step():
    found = designed(50, 1, 1, Fraction(1), 0.05)
    assert (found.scale_share, found.place_share) == (0, 0)
    assert (found.factor, found.reach) == (1.0, 0.5)


def test_too_few_people_are_refused():
    with pytest.raises(InvalidParameter, match="too few"):
        designed(20, 300, 1, Fraction(1), 0.05)
