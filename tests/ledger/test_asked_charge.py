import pytest

from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.ledger.asked_charge import AskedCharge, check_blocks
from dalenius.neighbors import Unit

TERMS = {
    "guarantee": PureDP("0.1"),
    "dataset": "people",
    "unit": Unit.of("patient"),
    "analyst": "ann",
    "blocks": None,
    "key": "k",
    "fingerprint": "f",
    "label": None,
    "interactive": False,
    "fresh": False,
    "text": "SELECT 1",
    "purpose": None,
}


def test_the_entry_says_who_asks_what_and_for_what_price():
    asked = AskedCharge(**TERMS)
    assert asked.words == {"analyst": "ann", "text": "SELECT 1", "purpose": None}
    assert asked.form == asked.question | {"label": None}
    assert {name: asked.question[name] for name in ("unit", "fingerprint", "blocks")} == {
        "unit": "patient",
        "fingerprint": "f",
        "blocks": None,
    }
    assert AskedCharge(**TERMS | {"interactive": True}).form["interactive"] is True


@pytest.mark.parametrize("name", ["key", "analyst", "fingerprint", "label", "text", "purpose"])
def test_texts_are_checked_before_any_transaction(name):
    with pytest.raises(InvalidParameter, match=name):
        AskedCharge(**TERMS | {name: "x" * 200_001})
    with pytest.raises(InvalidParameter, match=name):
        AskedCharge(**TERMS | {name: 7})


def test_blocks_are_blocks_or_none():
    check_blocks(None)
    with pytest.raises(InvalidParameter, match="blocks"):
        AskedCharge(**TERMS | {"blocks": ["a"]})
