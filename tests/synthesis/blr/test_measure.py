from dalenius.synthesis.blr.measure import databases_of


def test_multisets_and_sequences_are_counted_by_their_formulas():
    assert databases_of(4, 3, "multisets") == 20
    assert databases_of(4, 3, "sequences") == 64
