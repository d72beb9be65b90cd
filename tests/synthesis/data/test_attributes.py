import datetime

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.queries import Table
from dalenius.synthesis.data.attributes import Cells, Levels, attribute_of
from dalenius.synthesis.model.public_coins import PublicCoins

COINS = PublicCoins("t")


def test_levels_are_declared_and_the_rest_is_null_or_left_out():
    table = Table.of({"sex": ["F", None, "X", "M"]})
    assert Levels("sex", ("F", "M"), True).codes(table).tolist() == [0, 2, 2, 1]
    assert Levels("sex", ("F", "M")).codes(table).tolist() == [0, -1, -1, 1]
    assert Levels("sex", ("F", "M"), True).decode(np.array([2, 0]), COINS) == [None, "F"]


def test_numbers_fall_in_cells_outside_in_the_nearest_and_nan_is_null():
    cells = Cells.between("x", (0, 10), 5, "number", True)
    table = Table.of({"x": np.array([0.0, 1.99, 2.0, 10.0, -5.0, np.inf, np.nan])})
    assert cells.codes(table).tolist() == [0, 0, 1, 4, 0, 4, 5]
    assert cells.labels[0] == "[0, 2)"
    assert cells.labels[-1] == "NULL"
    drawn = cells.decode(np.array([1] * 50 + [5]), COINS)
    assert drawn[-1] is None
    assert all(2 <= value < 4 for value in drawn[:-1])


def test_whole_numbers_and_dates_are_drawn_whole_inside_their_cell():
    ages = Cells.between("age", (16, 96), 32, "integer", False)
    assert set(ages.decode(np.array([0] * 100), COINS)) == {16, 17, 18}
    days = Cells.between("day", ("2020-01-01", "2020-12-31"), 12, "date", False)
    table = Table.of({"day": np.array(["2020-01-01", "2020-12-31", "NaT"], "datetime64[D]")})
    assert days.codes(table).tolist() == [0, 11, -1]
    drawn = days.decode(np.array([0] * 40), COINS)
    assert all(datetime.date(2020, 1, 1) <= day < datetime.date(2020, 2, 1) for day in drawn)
    assert days.codes(Table.of({"day": [datetime.date(2020, 12, 31), None, "no date"]})).tolist() == [11, -1, -1]


@pytest.mark.parametrize(
    "attribute", [Levels("a", (1, 2), True), Cells.between("b", ("2020-01-01", "2021-01-01"), 4, "date", True)]
)
def test_facts_give_the_attribute_back(attribute):
    assert attribute_of(attribute.facts()) == attribute


def test_bad_declarations_are_refused_by_name():
    with pytest.raises(InvalidParameter, match="at most 2048"):
        Levels("id", tuple(range(10_000)))
    with pytest.raises(InvalidParameter, match="different values"):
        Cells.between("x", (3, 3), 5, "number", False)
    with pytest.raises(InvalidParameter, match="dates"):
        Cells.between("x", ("yesterday", "today"), 5, "date", False)
    with pytest.raises(InvalidParameter, match="bins"):
        Cells.between("x", (0, 3), 0, "number", False)
    with pytest.raises(InvalidParameter, match="one of"):
        Cells.between("x", (0, 3), 2, "text", False)
    with pytest.raises(UnboundedQuery):
        Levels("x", ())


def test_one_level_is_a_level():
    assert Levels("constant", ("only",)).codes(Table.of({"constant": ["only"] * 2})).tolist() == [0, 0]
