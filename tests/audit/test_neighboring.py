import numpy as np
import pandas
import polars
import pyarrow
import pytest

from dalenius.audit.neighboring import check_neighbors, rows_of
from dalenius.errors import InvalidParameter
from dalenius.neighbors import Relation

ADD, CHANGE = Relation.ADD_REMOVE, Relation.CHANGE_ONE


@pytest.mark.parametrize(
    ("x", "x2", "relation"),
    [
        ([1, 2], [1], ADD),
        ([1, 1], [1], ADD),
        ([], [float("nan")], ADD),
        ([3, 1, 2], [2, 3, 1], ADD),
        ([1, 2], [1, 5], CHANGE),
        (np.array([[1, 2], [3, 4]]), np.array([[1, 2]]), ADD),
        (pandas.DataFrame({"a": [1, 2]}), pandas.DataFrame({"a": [1]}), ADD),
        (polars.DataFrame({"a": [1, 2]}), polars.DataFrame({"a": [1, 7]}), CHANGE),
        (pyarrow.table({"a": [1, 2]}), pyarrow.table({"a": [2]}), ADD),
    ],
)
def test_neighbors_pass(x, x2, relation):
    check_neighbors(x, x2, relation)
    check_neighbors(x2, x, relation)


@pytest.mark.parametrize(
    ("x", "x2", "relation"),
    [([1, 2, 3], [1], ADD), ([1, 2], [1, 3], ADD), ([1, 2], [1], CHANGE), ([1, 2], [3, 4], CHANGE), (1, 2, ADD)],
)
def test_others_are_refused_without_a_row_in_the_message(x, x2, relation):
    with pytest.raises(InvalidParameter, match=r"neighbors|rows"):
        check_neighbors(x, x2, relation)


def test_rows_of_what_has_none_is_none():
    assert rows_of(3) is None
    assert rows_of(np.float64(3)) is None
    assert rows_of((1, 2)) == [1, 2]
