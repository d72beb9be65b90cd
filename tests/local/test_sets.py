import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.local import Sets


def test_shares_of_items_are_estimated_within_their_error():
    protocol = Sets(["a", "b", "c", "d"], 2, length=3)
    people = [{"a", "b"}, {"a"}, {"a", "b", "c"}, set()] * 5_000
    estimate = protocol.simulate(people)
    for item, truth in (("a", 0.75), ("b", 0.5), ("c", 0.25), ("d", 0.0)):
        assert abs(estimate[item] - truth) < 8 * estimate.standard_error
    assert abs(estimate["a"] - 0.5) > 8 * estimate.standard_error
    assert estimate.top(1)[0][0] == "a"
    assert {len(protocol.client().randomize(person)) for person in people[:4]} == {protocol.format.length}
    assert protocol.guarantee().epsilon(0) == 2
    with pytest.raises(UnknownName):
        protocol.client().randomize({"e"})
    with pytest.raises(InvalidParameter):
        Sets(["a", "b"], 1, length=0)
