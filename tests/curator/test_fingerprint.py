from dalenius.curator.fingerprint import fingerprint_of


def test_kind_and_facts_make_the_fingerprint_and_their_order_does_not():
    assert fingerprint_of("a", {"x": 1, "y": 2}) == fingerprint_of("a", {"y": 2, "x": 1})
    assert len({fingerprint_of("a", {"x": 1}), fingerprint_of("b", {"x": 1}), fingerprint_of("a", {"x": 2})}) == 3
