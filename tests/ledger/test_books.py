import pytest

from dalenius.errors import InvalidParameter
from dalenius.ledger.books import LONGEST, check_texts


def test_texts_are_bounded_and_come_back_as_they_were_hashed():
    check_texts(purpose="x" * LONGEST["purpose"], analyst="\t\n'\"<b>\u202e", key=None)
    for word, value in {"purpose": "x" * 10**6, "analyst": "x" * 201, "key": 3, "text": "\ud800" * 10**6}.items():
        with pytest.raises(InvalidParameter, match=word) as refusal:
            check_texts(**{word: value})
        assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("word", ["analyst", "name", "by"])
def test_nobody_is_no_analyst_and_no_team(word):
    """The facts of a ledger say by an empty name that somebody has left their team."""
    with pytest.raises(InvalidParameter, match=f"{word} must have"):
        check_texts(**{word: ""})
