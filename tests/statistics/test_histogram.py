import pytest

from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Table
from dalenius.statistics import histogram


@pytest.mark.theorem("A Ex 3.4")
def test_noise_does_not_grow_with_the_number_of_keys():
    for size in (2, 50):
        assert histogram("x", range(size), epsilon=0.5).mechanism.scale == 2
        assert histogram("x", range(size), epsilon=0.5, unit=Unit.row(Relation.CHANGE_ONE)).mechanism.scale == 4


def test_every_declared_key_has_a_cell_and_no_other():
    outcome = histogram("x", ["a", "absent"], epsilon=1000).run(Table.of({"x": ["a", "b", "a"]}), Bits())
    assert outcome.columns[0].values == (2, 0)
