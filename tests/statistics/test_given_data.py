import numpy as np
import pandas as pd
import polars as pl
import pytest

from dalenius import statistics
from dalenius.curator import Release
from dalenius.errors import InvalidParameter

VALUES = np.full(4000, 31.415926)
ONE_COLUMN = [
    (statistics.mean, {"bounds": (0, 100)}),
    (statistics.sum, {"bounds": (0, 100)}),
    (statistics.variance, {"bounds": (0, 100)}),
    (statistics.std, {"bounds": (0, 100)}),
    (statistics.median, {"bounds": (0, 100)}),
    (statistics.minimum, {"bounds": (0, 100)}),
    (statistics.maximum, {"bounds": (0, 100)}),
]


@pytest.mark.parametrize(("statistic", "terms"), ONE_COLUMN, ids=lambda one: getattr(one, "__name__", ""))
def test_arrays_are_data_and_nothing_prints_them(statistic, terms):
    for data in (VALUES, VALUES.tolist(), pd.Series(VALUES), pl.Series(VALUES)):
        answer = statistic(data, epsilon=1, **terms)
        assert isinstance(answer, Release)
        assert "31.4159" not in repr(answer)
        assert answer.receipt.dataset == "(charged to no ledger)"
    assert not isinstance(statistic("x", epsilon=1, **terms), Release)


def test_the_answer_is_that_of_a_curator_over_the_same_values():
    """Of 4000 rows at ε = 100 the mean has no noise to speak of."""
    answer = statistics.mean(VALUES, (0, 100), epsilon=100)
    assert float(answer) == pytest.approx(31.415926, abs=0.1)
    assert answer.guarantee.epsilon(0) == 100


@pytest.mark.parametrize("data", [pd.DataFrame({"x": VALUES}), np.ones((3, 2)), 3], ids=["frame", "matrix", "number"])
def test_what_is_no_column_is_refused_without_its_values(data):
    with pytest.raises(InvalidParameter) as refused:
        statistics.mean(data, (0, 100), epsilon=1)
    assert "31.4" not in str(refused.value)


def test_statistics_of_several_columns_take_names_alone():
    frame = pd.DataFrame({"x": VALUES, "y": VALUES})
    for asked in (
        lambda: statistics.covariance(frame, [(0, 1)] * 2, epsilon=1),
        lambda: statistics.correlation([VALUES, VALUES], [(0, 1)] * 2, epsilon=1),
        lambda: statistics.subsample_and_aggregate(len, frame, 5, (0, 1), epsilon=1, version="1"),
        lambda: statistics.choose([1], len, VALUES, 1, epsilon=1, version="1"),
    ):
        with pytest.raises(InvalidParameter, match="names of columns") as refused:
            asked()
        assert "31.4" not in str(refused.value)
