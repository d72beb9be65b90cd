import datetime
import decimal
import math

import numpy as np
import pandas
import polars
import pytest

from dalenius.audit.parts import MOST, canonical, flat, kind_of, length_of, number, parts_of


class Model:
    def __init__(self, weight):
        self.weight = weight


class Odd:
    """As unhelpful as an output can be."""

    def __eq__(self, other):
        raise TypeError("not comparable")

    __hash__ = None

    def __repr__(self):
        raise RuntimeError("not shown")

    def __len__(self):
        raise ValueError("no length")


def test_numbers_in_a_text_are_places_of_their_own():
    assert flat("about 3.5 of -12") == [
        ("output", "about 3.5 of -12"),
        ("output number 0", 3.5),
        ("output number 1", -12.0),
        ("output words", "about # of #"),
    ]
    assert flat({"told": "7"})[1] == ("['told'] number 0", 7.0)
    assert flat("none") == [("output", "none")]


def test_an_object_is_told_by_its_attributes():
    assert flat(Model(2.5)) == [(".weight", 2.5)]
    assert canonical(Model(1)) == canonical(Model(1)) != canonical(Model(2))
    assert parts_of(Model) is None
    assert parts_of(len) is None


def test_series_are_told_by_their_values():
    for series in (pandas.Series([1, 2]), polars.Series([1, 2])):
        assert flat(series) == [("[0]", 1), ("[1]", 2)]
    assert flat(1 + 2j) == [(".real", 1.0), (".imag", 2.0)]


@pytest.mark.parametrize(
    ("leaf", "value"),
    [
        (True, 1), (10**400, math.inf), (decimal.Decimal("1.5"), 1.5), (np.float32(2), 2), ("abc", 3), (b"ab", 2),
        (datetime.date(1, 1, 2), 2), (datetime.datetime(1, 1, 2, 12), 2.5), (datetime.time(0, 1), 60),
        (datetime.timedelta(hours=12), 0.5),
    ],
    ids=str,
)  # fmt: skip
def test_what_has_a_size_is_a_number(leaf, value):
    assert number(leaf) == value


def test_what_has_none_is_nan():
    assert all(math.isnan(number(leaf)) for leaf in (None, object(), decimal.Decimal("sNaN"), decimal.Decimal("NaN")))


def test_objects_that_cannot_be_compared_shown_or_counted_are_read_all_the_same():
    assert canonical(Odd()) == canonical(Odd())
    assert length_of(Odd()) == -1
    assert kind_of(Odd()) == "Odd"


def test_one_huge_output_is_read_in_part():
    assert len(flat([["a"] * 3] * 5000)) == MOST


def test_an_object_that_holds_itself_ends():
    model = Model(None)
    model.weight = model
    assert canonical(model)[0] == "Model"
    assert len(flat(model)) == 1


def test_a_property_that_fails_is_no_error_of_the_audit():
    class Lazy:
        def __init__(self):
            self.value = 1

        @property
        def columns(self):
            raise RuntimeError("not yet")

    assert flat(Lazy())[0][0] == "output"
    assert canonical(Lazy()) == canonical(Lazy())
