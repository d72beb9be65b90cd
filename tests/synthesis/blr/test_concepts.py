import pytest

from dalenius.errors import InvalidParameter
from dalenius.synthesis.blr.concepts import Concepts, conjunctions


def test_conjunctions_count_the_items_that_meet_them():
    family = conjunctions(2, 3)
    assert family.universe == 4
    assert (1, 1, 1, 1) in family.concepts
    assert (0, 0, 0, 1) in family.concepts
    assert (0, 0, 1, 1) in family.concepts  # the first column is the most significant bit


def test_every_multiset_is_listed_once():
    found = conjunctions(2, 3).multisets()
    assert len({tuple(row) for row in found.tolist()}) == len(found) == 20
    assert set(found.sum(axis=1).tolist()) == {3}


def test_what_cannot_be_enumerated_is_refused_with_the_remedy():
    with pytest.raises(InvalidParameter, match="fewer rows or items; threshold questions"):
        conjunctions(5, 12)
    with pytest.raises(InvalidParameter, match="0 and 1"):
        Concepts(((1, 2),), 3)
    with pytest.raises(InvalidParameter, match="0 and 1"):
        Concepts(((1, 0), (1,)), 3)
    with pytest.raises(InvalidParameter, match="1 to 8"):
        conjunctions(9, 2)
