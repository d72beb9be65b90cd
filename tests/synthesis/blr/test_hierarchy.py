import pytest

from dalenius.errors import InvalidParameter
from dalenius.synthesis.blr.concepts import Concepts
from dalenius.synthesis.blr.hierarchy import Hierarchy, leaves_of

NODES = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (1, 1, 0, 0), (1, 1, 1, 0), (1, 1, 1, 1))


@pytest.mark.parametrize("measure", ["multisets", "sequences"])
@pytest.mark.parametrize("held", [(3, 1, 0, 4), (0, 0, 0, 1), (7, 0, 0, 7)])
def test_databases_in_a_band_are_as_many_as_enumeration_finds(held, measure):
    listed, tree = Concepts(NODES, 4, measure).around(held), Hierarchy((((0, 1), 2), 3), 4, measure).around(held)
    for level in range(tree.largest + 2):
        assert tree.count(level) == listed.count(4 * level)


def test_a_tree_must_hold_every_item_once():
    assert leaves_of(((0, 2), 1)) == [0, 2, 1]
    for tree in ((0, 0), (1, 2), ((), 0), ("a", "b")):
        with pytest.raises(InvalidParameter):
            Hierarchy(tree, 3)
