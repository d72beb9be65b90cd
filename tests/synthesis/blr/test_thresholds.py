import pytest

from dalenius.errors import InvalidParameter
from dalenius.synthesis.blr.concepts import Concepts
from dalenius.synthesis.blr.thresholds import Thresholds


@pytest.mark.parametrize("measure", ["multisets", "sequences"])
@pytest.mark.parametrize("held", [(3, 1, 0, 4, 2), (0, 0, 0, 0, 1), (7, 0, 0, 0, 7), (1, 1, 1, 1, 1)])
def test_paths_in_a_band_are_as_many_as_enumeration_finds(held, measure):
    concepts = tuple(tuple(int(item <= j) for item in range(5)) for j in range(5))
    listed, paths = Concepts(concepts, 4, measure).around(held), Thresholds(5, 4, measure).around(held)
    for level in range(paths.largest + 2):
        assert paths.count(level) == listed.count(4 * level)  # the listed levels are in quarters of a row


@pytest.mark.parametrize(("universe", "rows"), [(0, 5), (1 << 17, 5), (5, 0), (5, 5000), (True, 5), (5, 2.0)])
def test_sizes_that_cannot_be_counted_are_refused(universe, rows):
    with pytest.raises(InvalidParameter, match=r"universe|rows"):
        Thresholds(universe, rows)


def test_a_base_measure_is_one_of_two():
    with pytest.raises(InvalidParameter, match="sequences"):
        Thresholds(5, 5, "sets")
