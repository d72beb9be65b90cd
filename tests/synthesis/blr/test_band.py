"""Every family of questions counts, nests and draws what it says, whatever it counts by."""

from itertools import product

import pytest

from dalenius.noise import Bits
from dalenius.synthesis.blr.concepts import Concepts, conjunctions
from dalenius.synthesis.blr.hierarchy import Hierarchy
from dalenius.synthesis.blr.thresholds import Thresholds

HELD = (3, 1, 0, 4)
FAMILIES = [
    *(Thresholds(4, 3, measure) for measure in ("multisets", "sequences")),
    *(Hierarchy(((0, 1), (2, 3)), 3, measure) for measure in ("multisets", "sequences")),
    *(conjunctions(2, 3, measure) for measure in ("multisets", "sequences")),
    Concepts(((1, 0, 1, 0),), 2),
]
BY_FAMILY = pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f"{type(f).__name__} {f.measure}")


@BY_FAMILY
def test_all_databases_are_within_the_largest_level(family):
    band = family.around(HELD)
    assert band.count(band.largest) == family.databases
    counts = [band.count(level) for level in range(band.largest + 1)]
    assert counts == sorted(counts)


@BY_FAMILY
def test_a_draw_has_the_rows_asked_for_and_the_level_allowed(family):
    band = family.around(HELD)
    least = next(level for level in range(band.largest + 1) if band.count(level))
    for level in (least, band.largest):
        for _ in range(20):
            drawn = band.draw(level, Bits())
            assert len(drawn) == 4
            assert sum(drawn) == family.rows
    alone = {band.draw(least, Bits()) for _ in range(200)}
    assert len(alone) <= band.count(least)


@BY_FAMILY
def test_a_row_more_or_another_row_moves_no_level_by_more_than_the_fineness(family):
    """Nested bands: what lies within t of one database lies within t + fineness of its neighbors."""
    for held in product(range(2), repeat=4):
        band = family.around(held)
        for item in range(4):
            added = tuple(times + (place == item) for place, times in enumerate(held))
            other = family.around(added)
            for level in range(max(band.largest, other.largest) + 1):
                assert band.count(level) <= other.count(level + family.fineness)
                assert other.count(level) <= band.count(level + family.fineness)


@BY_FAMILY
def test_counts_in_fine_steps_are_the_same_as_whole_ones(family):
    whole, fine = family.around(HELD), family.around(tuple(times * 8 for times in HELD), 8)
    assert [whole.count(level) for level in range(9)] == [fine.count(level) for level in range(9)]
