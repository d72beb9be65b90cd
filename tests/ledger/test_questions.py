from dalenius.ledger.questions import question_of


def test_a_question_is_its_fingerprint_guarantee_unit_and_blocks():
    body = {"fingerprint": "f", "guarantee": {"epsilon": "1"}, "unit": "id", "blocks": None}
    same = question_of(body)
    assert question_of(body | {"analyst": "ana", "purpose": "another"}) == same
    for word, value in {"fingerprint": "g", "guarantee": {}, "unit": None, "blocks": {"labels": []}}.items():
        assert question_of(body | {word: value}) != same
    assert question_of(body | {"fingerprint": None}) is None
