import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.local import Domain


def test_values_have_numbers_in_their_order():
    domain = Domain(["a", "b", 3])
    assert [domain.index(value) for value in ("a", "b", 3)] == [0, 1, 2]
    assert domain.indices(["b", "a"]).tolist() == [1, 0]
    assert Domain(5).indices(np.array([4, 0])).tolist() == [4, 0]
    assert len(Domain(domain)) == 3
    assert Domain(np.array(["x", "y"])).values == ("x", "y")


@pytest.mark.parametrize("value", ["secret", 4, None, [], 1.0, True, np.nan])
def test_a_value_outside_is_refused_without_being_repeated(value):
    for domain in (Domain(["a", "b"]), Domain([0, 1])):
        with pytest.raises(UnknownName, match="not in the protocol's domain") as refusal:
            domain.index(value)
        assert "secret" not in str(refusal.value)
    with pytest.raises(UnknownName):
        Domain(3).indices(np.array([0, 3]))
    with pytest.raises(UnknownName):
        Domain(3).indices(np.array([-1]))


@pytest.mark.parametrize(
    "values", [1, [], ["a"], ["a", "a"], [1, True], "ab", None, [1.5, 2.5], [("a",), ("b",)], True]
)
def test_bad_domains_are_refused(values):
    with pytest.raises(InvalidParameter):
        Domain(values)
