from dataclasses import replace

from dalenius.curator.answer.receipts import receipt_from_dict, receipt_to_dict
from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.neighbors import Unit

RECEIPT = Receipt("people", PureDP(1), Unit.of("row"), "0" * 64, 3)


def test_a_receipt_comes_back_and_is_written_alike_for_who_pays_and_who_has_paid():
    assert receipt_from_dict(receipt_to_dict(RECEIPT)) == RECEIPT
    assert receipt_to_dict(replace(RECEIPT, repeated=True)) == receipt_to_dict(RECEIPT)
