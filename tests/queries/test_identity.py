import math
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.queries.identity import identities, marks, mixed_with

SAME = [[1, 1.0, True, np.int8(1), np.float32(1)], [0, -0.0, 0.0, False], ["a", np.str_("a")], [2**70, float(2**70)]]
OTHERS = ["1", b"a", 0.5, 2**53, 2**53 + 1, Decimal("1.0"), UUID(int=1), date(2020, 1, 1), datetime(2020, 1, 1), ""]
NOBODY = [None, math.nan, pd.NaT, pd.NA, [1], (), object(), 1j, np.float32("nan"), Decimal("sNaN")]


def test_rows_are_the_same_exactly_when_their_values_are():
    values = [value for group in SAME for value in group] + OTHERS + ["\ud800"]
    groups = [i for i, group in enumerate(SAME) for _ in group] + list(range(10, 11 + len(OTHERS)))
    codes = identities(np.fromiter(values, object))
    hashed, valid = marks(np.fromiter(values, object), "salt")
    assert valid.all()
    assert (codes >= 0).all()
    for i, one in enumerate(groups):
        for j, other in enumerate(groups):
            assert (codes[i] == codes[j]) == (hashed[i] == hashed[j]) == (one == other)


def test_what_has_no_name_is_nobody():
    column = np.fromiter(NOBODY, object)
    assert (identities(column) == -1).all()
    assert not marks(column, "")[1].any()


@pytest.mark.parametrize(
    "column",
    [
        np.array([3, 1, 3, -128, 127], np.int8),
        np.array([3, 2**64 - 1, 3, 0], np.uint64),
        np.array([2**63 - 1, -(2**63), 0, 2**63 - 1]),
        np.array([2**60 + 1, 2**60, 2**60 + 1]),
        np.array([0.0, -0.0, 1.5, np.inf, -np.inf, 1.5, 1e300]),
        np.array([True, False, True]),
        np.array(["a", "b", "a", ""]),
        np.array([b"a", b"b", b"a"]),
        np.array([1, 2, 1], "datetime64[D]"),
        np.array([], np.int64),
        np.array([], object),
    ],
    ids=lambda column: str(column.dtype),
)
def test_every_type_of_column_tells_its_values_apart(column):
    expected = np.equal.outer(column, column)
    for codes in (identities(column), marks(column, "s")[0]):
        assert (np.equal.outer(codes, codes) == expected).all()
    assert identities(column).max(initial=0) < max(1, 4 * len(column))


def test_nan_and_not_a_time_are_nobody_whatever_their_bits():
    nans = np.array([0x7FF8000000000001, 0xFFF8000000000000, 0x7FF0000000000001], np.uint64).view(np.float64)
    for column in (nans, np.array(["NaT", "NaT"], "datetime64[ns]")):
        assert (identities(column) == -1).all()
        assert not marks(column, "")[1].any()


@given(st.lists(st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False), min_size=1, max_size=8))
def test_a_mark_is_the_same_in_every_type_of_column(values):
    alone = marks(np.fromiter(values, object), "s")[0]
    for i, value in enumerate(values):
        dtype = np.float64 if isinstance(value, float) else np.uint64 if value >= 0 else np.int64
        assert marks(np.array([value], dtype), "s")[0][0] == alone[i]
        assert marks(np.fromiter([value, "text"], object), "s")[0][0] == alone[i]


def test_another_salt_or_cell_gives_another_order():
    column = np.arange(1000)
    one, other = marks(column, "a")[0], marks(column, "b")[0]
    assert (np.argsort(one) != np.argsort(other)).mean() > 0.9
    assert len(set(mixed_with(one, column % 2).tolist())) == 1000


def test_an_object_that_fails_is_nobody():
    class Odd(date):
        def isoformat(self):
            raise RuntimeError("row 7")

    class Text(str):
        def __hash__(self):
            raise RuntimeError("row 7")

    assert identities(np.fromiter([Odd(2020, 1, 1), Text("a"), "a"], object)).tolist() == [-1, 0, 0]
