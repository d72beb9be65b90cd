import numpy as np
import pytest

from dalenius.errors import UnknownName
from dalenius.local import Joint


def test_pairs_and_margins_are_estimated_within_their_error():
    protocol = Joint(["yes", "no"], 3, epsilon=2)
    people = [("yes", 0), ("yes", 1), ("no", 1), ("no", 2)] * 5_000
    estimate = protocol.simulate(people)
    for pair in (("yes", 0), ("no", 1), ("no", 2)):
        assert abs(estimate[pair] - 0.25) < 7 * estimate.standard_error.max()
    assert abs(estimate["yes", 2]) < 7 * estimate.standard_error.max()
    low, high = estimate.interval(0.999999999, joint=True)
    truth = np.array([[0.25, 0.25, 0.0], [0.0, 0.25, 0.25]])
    assert ((low <= truth) & (truth <= high)).all()
    assert not ((low <= truth.T.reshape(2, 3)) & (truth.T.reshape(2, 3) <= high)).all()
    assert estimate.poisoned_by(3) == estimate.pairs.poisoned_by(3)
    rows, columns = estimate.margins
    assert rows.tolist() == pytest.approx([0.5, 0.5], abs=0.1)
    assert columns.tolist() == pytest.approx([0.25, 0.5, 0.25], abs=0.1)
    assert protocol.guarantee().epsilon(0) == 2
    for bad in (("maybe", 0), ("yes", 3), "yes", ("yes",)):
        with pytest.raises(UnknownName):
            protocol.client().randomize(bad)
