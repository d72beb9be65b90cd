import pytest

from dalenius.errors import UnboundedQuery
from dalenius.neighbors import Unit
from dalenius.queries import ONE, Contributions, Keys, Table
from dalenius.queries.grid import Grid
from dalenius.synthesis.blr.universe import GridItems, KeyItems


def test_numbers_are_counted_in_cells_and_given_back_as_their_middles():
    items = GridItems(Grid("x", (0, 10), 5))
    assert items.histogram(Table.of({"x": [0.5, 1, 9.9, -4, 40]})) == (3, 0, 0, 0, 2)
    assert items.values([0, 4]) == [(1.0,), (9.0,)]
    assert items.full(Unit.row()) == 1


def test_people_with_many_rows_weigh_as_many_as_they_may():
    bound = Contributions("who", 2)
    table = Table.of({"who": ["a", "a", "a", "a", "b"], "x": [1, 1, 1, 9, 9], "k": ["p", "p", "p", "q", "q"]})
    for items in (GridItems(Grid("x", (0, 10), 2, bound)), KeyItems(Keys("k", ["p", "q"]), bound)):
        assert items.histogram(table) == (ONE * 3 // 2, ONE * 3 // 2)
        assert items.full(Unit("who")) == 2
        assert items.one == ONE


def test_a_unit_that_nothing_bounds_is_refused():
    with pytest.raises(UnboundedQuery):
        KeyItems(Keys("k", ["p"]), None).full(Unit("who"))
