import math

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.local import UnitVectorMean, VectorMean
from dalenius.local.unit_vector_mean import codebook, mean_of_largest, normal_table


def test_the_mean_of_the_largest_normal_numbers_is_the_known_one():
    # of two the larger has mean 1/√π, of three 3/(2√π) (order statistics of the normal law)
    assert mean_of_largest(2, 1) == pytest.approx(1 / math.sqrt(math.pi), rel=1e-9)
    assert mean_of_largest(3, 1) == pytest.approx(1.5 / math.sqrt(math.pi), rel=1e-9)
    assert mean_of_largest(5, 5) == pytest.approx(0, abs=1e-9)


def test_the_table_is_normal_and_the_public_vectors_are_the_same_everywhere():
    table = normal_table().astype(float) / 1024
    assert table.mean() == 0
    assert (table**2).mean() == pytest.approx(1, abs=1e-3)
    assert (table**4).mean() == pytest.approx(3, abs=1e-2)
    assert np.array_equal(codebook(7, 4, 5), codebook(7, 9, 5)[:4])
    assert not np.array_equal(codebook(7, 4, 5), codebook(8, 4, 5))


@pytest.mark.parametrize("value", [[1.0, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], [0.0, -0.3, 0.0, 0.4], [0.0] * 4])
def test_means_are_unbiased_within_their_error(value):
    estimate = UnitVectorMean(4, 3, codes=32).simulate(np.tile(value, (2_000, 1)))
    assert (np.abs(estimate.means - value) < 6.5 * estimate.standard_errors + estimate.grid_error).all()
    assert (estimate.standard_errors < 0.06).all()
    low, high = estimate.interval(0.999999999, joint=True)
    assert ((low <= value) & (value <= high)).all()


def test_it_has_far_less_error_than_sampled_coordinates_for_vectors_of_one_length():
    dimension, epsilon = 40, 3
    ours, other = UnitVectorMean(dimension, epsilon), VectorMean(dimension, -1, 1, epsilon)
    assert 8 * ours.report_variance(ours.epsilon) < other.report_variance(other.epsilon)
    values = np.zeros((400, dimension))
    values[:, 3] = 1
    estimate = ours.simulate(values)
    stated = math.sqrt(ours.report_variance(ours.epsilon) / 400)
    assert float(np.median(estimate.standard_errors)) == pytest.approx(stated, rel=0.25)


def test_bad_input_is_refused():
    protocol = UnitVectorMean(3, 1, radius=2)
    report = protocol.client().randomize([0.0, 2.0, 0.0])
    collected = protocol.aggregator()
    assert collected.add([report, report[:-1] + b"\xff", report[:-1]]) == 1
    assert collected.estimate().poisoned_by(1)[0] > 2
    for bad in ([0.0, 2.1, 0.0], [math.nan, 0, 0], [math.inf, 0, 0]):
        with pytest.raises(UnknownName):
            protocol.client().randomize(bad)
    with pytest.raises(InvalidParameter, match="3 coordinates"):
        protocol.client().randomize([1.0])
    for wrong in ((0, 1), (3, 0), (3, 9), (3, 1, 0), (3, 1, 1, 1)):
        with pytest.raises(InvalidParameter):
            UnitVectorMean(*wrong)
    with pytest.raises(InvalidParameter, match="no options"):
        collected.estimate(candidates=[])
