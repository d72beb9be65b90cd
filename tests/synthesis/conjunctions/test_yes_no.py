import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.queries import ONE, Contributions, Table
from dalenius.synthesis.conjunctions.yes_no import YesNo

TWO = YesNo.of({"a": (0, 1), "b": ("n", "y")})


def test_rows_are_counted_in_cells_with_the_first_column_first():
    table = Table.of({"a": [0, 1, 1, 5], "b": ["y", "n", "y", "y"]})
    assert TWO.histogram(table).tolist() == [0, 1, 1, 1]
    cells = np.arange(4).reshape(2, 2)
    assert cells[TWO.inside(TWO.conjunction({"a": True}))].tolist() == [2, 3]


def test_people_weigh_what_they_may():
    universe = YesNo.of({"a": (0, 1)}, Contributions("who", 1))
    assert universe.histogram(Table.of({"who": [1, 1, None], "a": [0, 1, 1]})).tolist() == [ONE // 2, ONE // 2]
    assert YesNo.from_facts(universe.facts()) == universe


def test_bad_columns_and_conjunctions_are_refused():
    with pytest.raises(InvalidParameter):
        YesNo(())
    with pytest.raises(InvalidParameter):
        YesNo.of({"a": (0, 1, 2)})
    with pytest.raises(InvalidParameter):
        YesNo.of({f"c{i}": (0, 1) for i in range(21)})
    with pytest.raises(UnknownName):
        TWO.conjunction({"c": True})
    with pytest.raises(InvalidParameter):
        TWO.conjunction({"a": 1})
