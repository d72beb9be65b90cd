import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter
from dalenius.mechanisms.ranks import Ranks
from dalenius.neighbors import Metric, Relation, Sensitivity

SIZES = st.sampled_from([1, 2, 7, 1000, 2**16, 2**16 + 1, 2**20, 3 * 2**18 + 5, 2**40])


def flat(runs):
    """(cell, below, upto) of every occupied cell, and of the first cell of each gap."""
    return [
        (int(s), int(b), int(a))
        for s, w, b, a in zip(runs.start, runs.width, runs.below, runs.upto, strict=True)
        if w > 0
    ]


@given(SIZES, st.data())
def test_runs_are_the_cumulative_weights_of_every_cell(size, data):
    cells = data.draw(st.lists(st.integers(-5, size + 5), max_size=30))
    weights = data.draw(st.none() | st.lists(st.integers(-3, 2**31), min_size=len(cells), max_size=len(cells)))
    ranks = Ranks.of(np.array(cells, np.int64), None if weights is None else np.array(weights, np.int64), size=size)
    held = [min(max(c, 0), size - 1) for c in cells]
    heavy = [1] * len(cells) if weights is None else [min(max(w, 0), 2**30) for w in weights]
    assert ranks.total == sum(heavy)
    runs = ranks.runs(0, ranks.blocks)
    assert runs.width.sum() == size
    assert (runs.start[1:] == runs.start[:-1] + runs.width[:-1]).all()
    for cell, below, upto in flat(runs):
        assert below == sum(w for c, w in zip(held, heavy, strict=True) if c < cell)
        assert upto == sum(w for c, w in zip(held, heavy, strict=True) if c <= cell)


@given(SIZES, st.data())
def test_runs_of_a_part_are_a_part_of_all_runs(size, data):
    cells = data.draw(st.lists(st.integers(0, size - 1), max_size=30))
    ranks = Ranks.of(np.array(cells, np.int64), size=size)
    cut = data.draw(st.integers(0, ranks.blocks))
    left, right = ranks.runs(0, cut), ranks.runs(cut, ranks.blocks)
    joined = left + right
    together = {}
    for cell, *rank in flat(joined):
        together[cell] = rank
    for cell, *rank in flat(ranks.runs(0, ranks.blocks)):
        assert together[cell] == rank
    assert joined.width.sum() == size


def test_a_table_and_sorting_give_the_same_runs():
    # many rows in few cells are counted in a table, few rows in many cells are sorted
    rng = np.random.default_rng(1)
    few, size = rng.integers(0, 2**40, 50), 2**40
    rows = np.concatenate([few, few[:20]])
    weights = rng.integers(0, 9, rows.size)
    weights[weights == 0] = 1
    runs = Ranks.of(rows, weights, size=size).runs(0, 2**16)
    kept = (runs.upto - runs.below) > 0
    cells, counts = np.unique(rows), np.bincount(np.unique(rows, return_inverse=True)[1], weights)
    assert (runs.start[kept] == cells).all()
    assert (runs.upto[kept] - runs.below[kept] == counts).all()


def test_rows_between_two_cells_are_those_and_no_others():
    ranks = Ranks.of(np.array([0, 3, 3, 5, 9], np.int16), np.array([1, 2, 4, 8, 16]), size=10)
    part = ranks.between(3, 6)
    assert (part.first, part.end, part.total) == (3, 6, 14)
    assert ranks.between(4, 4).total == 0
    assert ranks.between(3, 6).between(5, 6).total == 8


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64])
def test_every_integer_type_is_read_and_ends_of_int64_are_held(dtype):
    info = np.iinfo(dtype)
    ranks = Ranks.of(np.array([info.min, 0, 1, info.max], dtype), size=2**20)
    assert ranks.total == 4
    assert ranks.runs(0, ranks.blocks).upto[-1] == 4


def test_sums_of_weights_beyond_two_to_the_53_are_exact():
    rows, weights = np.zeros(2**19, np.int32), np.full(2**19, 2**30)
    weights[0] = 2**30 - 1
    assert Ranks.of(rows, weights, size=4).total == 2**49 - 1


def test_one_unit_moves_the_weights_once_or_twice():
    assert Ranks.sensitivity(3, Relation.ADD_REMOVE) == Sensitivity(3, Metric.L1)
    assert Ranks.sensitivity(3, Relation.CHANGE_ONE) == Sensitivity(6, Metric.L1)


@pytest.mark.parametrize("cells", [[0.5], [[1, 2]], ["a"], np.array([1], np.uint64), [True]])
def test_what_is_no_vector_of_integers_is_refused_without_being_named(cells):
    with pytest.raises(InvalidParameter, match="vector of integers"):
        Ranks.of(cells, size=4)
    with pytest.raises(InvalidParameter, match="vector of integers"):
        Ranks.of([1], cells, size=4)


def test_sizes_and_numbers_of_weights_are_checked():
    for size in (0, True, 2**63, 1.0):
        with pytest.raises(InvalidParameter, match="size"):
            Ranks.of([1], size=size)
    with pytest.raises(InvalidParameter, match="as many"):
        Ranks.of([1, 2], [1], size=4)


def test_no_rows_are_fine():
    ranks = Ranks.of([], size=5)
    assert ranks.total == 0
    assert flat(ranks.runs(0, 5)) == [(0, 0, 0)]
    assert repr(Ranks.of([3, 1], size=5)) == "Ranks(first=0, end=5)"
