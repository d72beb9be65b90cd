import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.local import VectorMean


@pytest.mark.parametrize("epsilon", [1, 8])
def test_every_coordinate_is_estimated_within_its_error(epsilon):
    protocol = VectorMean(5, -1, 1, epsilon)
    assert protocol.sampled == (1 if epsilon == 1 else 3)
    truth = np.array([-0.8, -0.2, 0.0, 0.5, 1.0])
    estimate = protocol.simulate(np.tile(truth, (40_000, 1)))
    assert (np.abs(estimate.means - truth) < 6.5 * estimate.standard_errors + 0.001).all()
    assert protocol.guarantee().epsilon(0) == epsilon


def test_forged_and_foreign_vectors_are_refused():
    protocol = VectorMean(5, -1, 1, 8)
    report = protocol.client().randomize([0.0] * 5)
    twice = report[:9] + report[9:17] * 3  # one coordinate three times
    collected = protocol.aggregator()
    assert collected.add([report, twice, report[:-1]]) == 1
    assert collected.rejected == 2
    with pytest.raises(InvalidParameter, match="5 coordinates"):
        protocol.client().randomize([0.0])
    with pytest.raises(UnknownName):
        protocol.client().randomize([0.0] * 4 + [2.0])
    for bad in ((0, 0, 1, 1), (2, 1, 1, 1), (2, 0, 1, 0), (True, 0, 1, 1)):
        with pytest.raises(InvalidParameter):
            VectorMean(*bad)
