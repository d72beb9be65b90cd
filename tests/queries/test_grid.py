import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Unit
from dalenius.queries import Contributions, Table
from dalenius.queries.grid import Grid


def test_cells_are_those_of_the_definition():
    numbers = [0.0, 0.1, 1, 2.4999, 2.5, 9.99, 10, -3, 1e300, -math.inf, math.inf, 5e-324, -0.0]
    found, weights = Grid("x", (0, 10), 40).places(Table.of({"x": numbers}))
    held = [min(max(Fraction(x) if math.isfinite(x) else Fraction(20 if x > 0 else -20), 0), 10) for x in numbers]
    assert found.tolist() == [min(math.floor(x * 4), 39) for x in held]
    assert weights is None


@pytest.mark.parametrize("bounds", [(-1e-270, 1e-270), (-(2.0**899), 2.0**899), (1e15, 1e15 + 1), (-5, 0.25)])
@pytest.mark.filterwarnings("error")
def test_every_number_has_a_cell_and_order_is_kept(bounds):
    numbers = np.sort(np.append(np.linspace(*bounds, 1000), [-np.inf, -1e308, -1e-308, 0.0, 5e-324, 1e308, np.inf]))
    found, _ = Grid("x", bounds, 1 << 20).places(Table.of({"x": numbers}))
    assert (np.diff(found) >= 0).all()
    assert found[0] == 0
    assert found[-1] == (1 << 20) - 1


def test_what_is_no_number_follows_the_rule():
    rows = [1, None, math.nan, "text", 2]
    assert Grid("x", (0, 4), 4).places(Table.of({"x": rows}))[0].tolist() == [1, 2]
    assert Grid("x", (0, 4), 4, missing=3).places(Table.of({"x": rows}))[0].tolist() == [1, 3, 3, 3, 2]
    long = np.full(100_000, 0.5)
    long[70_000] = np.nan
    assert len(Grid("x", (0, 4), 4).places(Table.of({"x": long}))[0]) == 99_999


def test_rows_of_a_unit_share_its_weight_and_nobodys_rows_do_not_count():
    grid = Grid("x", (0, 4), 4, Contributions("u", 2))
    table = Table.of({"x": [1, 1, 1, 2, 3, math.nan], "u": ["a", "a", "a", "b", None, "a"]})
    found, weights = grid.places(table)
    assert found.tolist() == [1, 1, 1, 2]
    assert weights.tolist() == [2 * 2**20 // 3] * 3 + [2**20]
    filled = Grid("x", (0, 4), 4, Contributions("u", 2), missing=3).places(table)
    assert filled[0].tolist() == [1, 1, 1, 2, 3]
    assert filled[1].tolist() == [2**19] * 3 + [2**20, 2**19]


def test_the_weight_of_a_unit_is_that_of_its_bound():
    assert Grid("x", (0, 1), 2).weight(Unit.row()) == 1
    assert Grid("x", (0, 1), 2, Contributions("u", 3)).weight(Unit("u")) == 3 * 2**20
    with pytest.raises(UnboundedQuery):
        Grid("x", (0, 1), 2).weight(Unit("u"))
    with pytest.raises(InvalidParameter):
        Grid("x", (0, 1), 2, Contributions("u", 3)).weight(Unit("v"))


@pytest.mark.parametrize(
    "build",
    [
        lambda: Grid("x", (1, 1), 4),
        lambda: Grid("x", (1, 0), 4),
        lambda: Grid("x", (Fraction(1), 1 + Fraction(1, 2**80)), 4),
        lambda: Grid("x", (0, 1), 0),
        lambda: Grid("x", (0, 1), 2**31),
        lambda: Grid("x", (0, 1), True),
    ],
)
def test_bad_grids_are_refused(build):
    with pytest.raises(InvalidParameter):
        build()


def test_facts_and_words_name_the_bounds():
    grid = Grid("x", (0, 1), 4, Contributions("u", 3))
    assert grid.facts()["contributions"] == {"column": "u", "most": 3}
    assert "[0, 1]" in str(grid)
