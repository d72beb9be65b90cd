from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.neighbors import Unit


def test_a_receipt_says_where_it_stands_and_not_what_was_released():
    receipt = Receipt("people", PureDP(1), Unit.row(), "ab" * 32, 7, {"secret": 1})
    assert str(receipt) == "entry 7 of people (abababababab)"
