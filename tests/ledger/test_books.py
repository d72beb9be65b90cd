import pytest

from dalenius.errors import InvalidParameter
from dalenius.ledger.books import LONGEST, check_texts


def test_texts_are_bounded_and_come_back_as_they_were_hashed():
    check_texts(purpose="x" * LONGEST["purpose"], analyst="\t\n'\"<b>\u202e", key=None)
    for word, value in {"purpose": "x" * 10**6, "analyst": "x" * 201, "key": 3, "text": "\ud800"}.items():
        with pytest.raises(InvalidParameter, match=word):
            check_texts(**{word: value})
