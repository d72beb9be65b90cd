import numpy as np

from dalenius.learning.data.box import Box
from dalenius.learning.data.box_rows import BoxRows


def test_no_coordinate_exceeds_one_and_a_row_without_target_is_none():
    rows = BoxRows(Box.declare((0, 10), 2), 14)
    x, y = rows.steps_with(
        np.array([[10.0, 5.0], [1e300, -np.inf], [np.nan, 2.5], [3.0, 3.0]]), np.array([1.0, -1.0, 0.5, np.nan])
    )
    one = 2**14
    assert rows.width == 3
    assert x.tolist() == [[one, 0, one], [one, -one, one], [0, -one // 2, one], [0, 0, 0]]
    assert y.tolist() == [one, -one, one // 2, 0]
    assert BoxRows(Box.declare((0, 10), 2), 14, False).steps_with(np.zeros((1, 2)), np.zeros(1))[0].shape == (1, 2)
