import math

import numpy as np
import pandas as pd
import pytest
import torch

from dalenius.errors import InvalidParameter
from dalenius.learning.torch.tensors import TensorRows, inputs, public_rows, targets

pytestmark = pytest.mark.torch


def test_labels_outside_the_declared_ones_make_their_row_unusable():
    given = np.array([0.0, 2.0, 3.0, -1.0, 1.5, math.nan, math.inf, 1e300])
    found, usable = targets(given, torch.float32, 3, 8)
    assert found.tolist() == [0, 2, 0, 0, 0, 0, 0, 0]
    assert usable.tolist() == [True, True] + 6 * [False]
    text = np.array([1, "one", None, 10**400], object)
    assert targets(text, torch.float32, 3, 4)[1].tolist() == [True, False, False, False]


def test_every_row_is_read_by_its_own_rule():
    frame = pd.DataFrame({"a": [1.0, "x", None], "b": [2, 3, 10**400]})
    found, usable = inputs(frame, torch.float32, None)
    assert found[0].tolist() == [1, 2]
    assert math.isnan(found[1, 0])
    assert found[1, 1] == 3
    assert usable.tolist() == [True] * 3
    assert inputs(np.array([[1e300, 5e-324]]), torch.float32, None)[0].tolist() == [[math.inf, 0.0]]


def test_tokens_are_whole_numbers_below_the_vocabulary():
    found, usable = inputs(torch.tensor([[0, 4], [5, 1], [-1, 2]]), torch.float32, 5)
    assert found.dtype == torch.int64
    assert found.tolist() == [[0, 4], [0, 1], [0, 2]]
    assert usable.tolist() == [True, False, False]


def test_what_is_refused_is_refused_by_kind_alone():
    for wrong in ([[1.0]], "text", np.zeros(3), np.zeros((2, 2), complex), torch.zeros(2, 2, dtype=torch.complex64)):
        with pytest.raises(InvalidParameter):
            inputs(wrong, torch.float32, None)
    with pytest.raises(InvalidParameter, match="classes"):
        targets(np.zeros(3, int), torch.float32, None, 3)
    with pytest.raises(InvalidParameter):
        targets(np.zeros(3), torch.float32, None, 4)


def test_public_rows_are_the_same_whatever_the_private_ones_hold():
    one, other = torch.zeros(3, 2), torch.full((9, 2), math.nan)
    assert torch.equal(public_rows(one, 4), public_rows(other, 4))
    assert public_rows(torch.zeros(3, dtype=torch.int64), 4).tolist() == [0] * 4
    assert "1.5" not in repr(TensorRows(torch.full((1, 1), 1.5), torch.zeros(1), torch.ones(1, dtype=torch.bool)))
