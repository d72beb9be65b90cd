import numpy as np

from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import Coded, coded
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import ClassLabels

VIEW = Rows(np.array([[0.5, np.nan], [2.0, -1.0]]), np.array([1, 7]))
UNIT, LABELS = UnitRows(Box.declare((-1, 1), 2), 18), ClassLabels((0, 1))


def test_each_pass_gives_the_same_chunks():
    again = Coded(VIEW, UNIT, LABELS)
    (one,), (two,) = list(again), list(again)
    assert np.array_equal(one[0], two[0])
    assert np.array_equal(one[0], UNIT.steps(VIEW.features))
    assert np.array_equal(one[1], [1, np.nan], equal_nan=True)
    assert repr(again) == "Coded(private)"


def test_rows_in_memory_are_worked_out_once():
    assert isinstance(coded(VIEW, UNIT, LABELS), list)
