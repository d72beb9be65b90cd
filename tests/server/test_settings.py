from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter
from dalenius.server import Settings


@pytest.mark.parametrize(
    "terms", [{"slots": 0}, {"queue": True}, {"most_bytes": 1.5}, {"answer_after": Fraction(0)}, {"answer_after": 4000}]
)
def test_settings_that_make_no_sense_are_refused(terms):
    with pytest.raises(InvalidParameter, match=next(iter(terms))):
        Settings(**terms)


def test_answers_leave_after_two_seconds_by_default():
    assert Settings().answer_after == 2
