import pytest

from dalenius import statistics as st
from dalenius.curator import Arrangement, Derived, Order, Shown, ShownKey
from dalenius.curator.formula import Cell
from dalenius.errors import InvalidParameter, UnknownName, UnprovenClaim
from dalenius.inference.cells import ReleasedCells, cells_of
from dalenius.mechanisms import Geometric
from tests.inference.releases import counts, release_of


def test_the_cell_asked_for_comes_first_and_the_others_make_up_the_rest():
    answer = counts(["a"] * 5 + ["b"] * 7 + ["c"] * 9, 20, keys=("a", "b", "c"))
    found = cells_of(answer, None, "b")
    assert (found.one.value, found.rest, found.name) == (7, 14, "b")
    assert found.share == pytest.approx(1 / 3)
    assert cells_of((3, 4), Geometric(1)).total == 7


def test_a_share_of_nobody_is_a_half():
    found = cells_of((0, -2), Geometric(1))
    assert isinstance(found, ReleasedCells)
    assert found.share == 0.5


def test_unknown_keys_and_keys_of_numbers_are_refused():
    with pytest.raises(UnknownName):
        cells_of(counts(["a"], 1), None, "z")
    with pytest.raises(InvalidParameter, match="no keys"):
        cells_of((3, 4), Geometric(1), "a")


def test_an_answer_that_was_picked_by_its_noise_is_refused():
    plan = st.histogram("g", ["a", "b", "c"], epsilon=1)
    top = Derived(
        plan,
        [ShownKey("g", 0), Shown("n", Cell("count"))],
        Arrangement(order=(Order(Shown("n", Cell("count")), descending=True),), limit=1),
    )
    with pytest.raises(UnprovenClaim, match="picked"):
        cells_of(release_of(top, {"g": ["a", "b"]}), None)
    some = Derived(plan, [ShownKey("g", 0), Shown("n", Cell("count"))], Arrangement(rows=(0, 1)))
    with pytest.raises(UnprovenClaim, match="every key"):
        cells_of(release_of(some, {"g": ["a", "b"]}), None)
