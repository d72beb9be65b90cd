import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.local import Sets


def test_shares_of_items_are_estimated_within_their_error():
    protocol = Sets(["a", "b", "c", "d"], 2, length=3)
    people = [{"a", "b"}, {"a"}, {"a", "b", "c"}, set()] * 5_000
    estimate = protocol.simulate(people)
    for item, truth in (("a", 0.75), ("b", 0.5), ("c", 0.25), ("d", 0.0)):
        assert abs(estimate[item] - truth) < 8 * estimate.standard_error.max()
    assert abs(estimate["a"] - 0.5) > 8 * estimate.standard_error.max()
    low, high = estimate.interval(0.999999999, joint=True)
    assert (low <= np.array([0.75, 0.5, 0.25, 0.0])).all()
    assert (np.array([0.75, 0.5, 0.25, 0.0]) <= high).all()
    assert low[0] > 0.5
    assert estimate.poisoned_by(10) == pytest.approx(3 * estimate.drawn.poisoned_by(10))
    assert estimate.top(1)[0][0] == "a"
    assert {len(protocol.client().randomize(person)) for person in people[:4]} == {protocol.format.length}
    assert protocol.guarantee().epsilon(0) == 2
    with pytest.raises(UnknownName):
        protocol.client().randomize({"e"})
    with pytest.raises(InvalidParameter):
        Sets(["a", "b"], 1, length=0)
