from datetime import date

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.learning.data.targets import ClassLabels, Counts, Span


def test_labels_number_their_rows_and_unknown_ones_say_nothing():
    known = ClassLabels.of([3, 1, 2], np.zeros(0))
    found = known.codes(np.array([1, 2, 3, 4, -1]))
    assert found[:3].tolist() == [0, 1, 2]
    assert np.isnan(found[3:]).all()
    mixed = ClassLabels.of(["no", "yes"], np.zeros(0)).codes(np.array(["yes", 1, None, ["no"], "no"], object))
    assert np.array_equal(mixed, [1, np.nan, np.nan, np.nan, 0], equal_nan=True)
    assert np.isnan(ClassLabels.of([0, 1], np.zeros(0)).codes(np.array([np.nan, np.inf, 0.5]))).all()


def test_labels_left_out_are_those_of_the_data():
    assert ClassLabels.of(None, np.array(["b", "a", "b"])).classes == ("a", "b")
    assert ClassLabels.of(None, np.array([True, False])).classes == (False, True)


@pytest.mark.parametrize(
    ("declared", "target"),
    [([1], []), ([1, 1], []), (None, [1, 1]), (None, [0.5, 1.5]), (None, [0.0, np.nan]), (None, [])],
)
def test_label_sets_that_are_none_are_refused(declared, target):
    with pytest.raises((InvalidParameter, ValueError)):
        ClassLabels.of(declared, np.array(target))


def test_a_span_holds_every_value():
    span = Span.declare((10, 30))
    found = span.codes(np.array([10, 20, 30, 1e308, -np.inf, np.nan, "x", None, 2**2000], object))
    assert np.array_equal(found, [-1, 0, 1, 1, -1, np.nan, np.nan, np.nan, 1], equal_nan=True)


def test_spans_that_are_none_are_refused():
    with pytest.raises(UnboundedQuery):
        Span.declare(None)
    for bounds in ((1, 1), (2, 1), (0, np.inf), (0,), "ab"):
        with pytest.raises(InvalidParameter):
            Span.declare(bounds)


def test_counts_stay_between_zero_and_the_ceiling():
    found = Counts.declare(9).codes(np.array([3, -1, 100, np.inf, np.nan, "x"], object))
    assert np.array_equal(found, [3, 0, 9, 9, np.nan, np.nan], equal_nan=True)
    assert Counts.declare(9).facts() == {"ceiling": 9.0}


def test_labels_that_another_row_would_change_by_its_type_are_refused():
    """Beside a text 2⁵³ + 1 is compared exactly, else as the float 2⁵³; dates are numbers unless a text is there."""
    days = [np.datetime64("2020-01-01", "ns"), np.datetime64("2020-01-02", "ns")]
    for labels in ([0, 2**53], [0, -(2**60)], days, np.array(days), [date(2020, 1, 1), date(2020, 1, 2)]):
        with pytest.raises(InvalidParameter, match="use text"):
            ClassLabels.of(labels, np.zeros(0))
    for labels in ([0, 2**53 - 1], ["a", "b"], [False, True], [0.5, 1e300]):
        assert ClassLabels.of(labels, np.zeros(0)).classes == tuple(labels)
