import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning

from dalenius.errors import InvalidParameter
from dalenius.learning.data import rows as module
from dalenius.learning.data.rows import Rows, matrix, vector


def test_text_in_one_row_leaves_the_others_alone():
    found = matrix([[1, 2.5], ["a", 3], [None, 10**400], [-(10**400), True]])
    assert np.array_equal(found, [[1, 2.5], [np.nan, 3], [np.nan, np.inf], [-np.inf, 1]], equal_nan=True)


def test_every_kind_of_array_is_read_or_refused_by_its_kind():
    assert matrix(np.ones((2, 2), np.int8)).dtype == np.float64
    assert np.isnan(matrix(np.array([["1", "2"]]))).all()
    for wrong in (np.ones(3), np.ones((1, 1, 1)), 3.0, np.ones((2, 2), complex), [[1, 2], [3]]):
        with pytest.raises(InvalidParameter):
            matrix(wrong)


def test_a_target_has_one_value_a_row():
    assert vector([1, 2], 2).tolist() == [1, 2]
    with pytest.warns(DataConversionWarning):
        assert vector(np.ones((2, 1)), 2).shape == (2,)
    for wrong in (None, [1], np.ones((2, 2)), np.ones(2, complex)):
        with pytest.raises(InvalidParameter):
            vector(wrong, 2)


def test_chunks_are_the_rows_in_order_and_nothing_is_shown(monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 3)
    view = Rows(np.arange(10.0).reshape(-1, 1), np.arange(10))
    assert np.concatenate([x for x, _ in view.chunks()]).ravel().tolist() == list(range(10))
    assert [len(y) for _, y in view.chunks()] == [3, 3, 3, 1]
    assert repr(view) == "Rows(private)"
