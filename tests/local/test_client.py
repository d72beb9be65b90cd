import numpy as np
import pytest

from dalenius.errors import UnknownName
from dalenius.local import Frequency
from dalenius.local.oracles import ORACLES


@pytest.mark.parametrize("kind", ORACLES, ids=lambda kind: kind.name)
def test_reports_have_one_size_whatever_the_value(kind):
    protocol = Frequency(list("abcdefghij"), 1, kind)
    client = protocol.client()
    assert {len(client.randomize(value)) for value in "abcdefghij"} == {protocol.format.length}
    assert len(client.randomize_many(["a", "b"]).to_bytes()) == 2 * protocol.format.length
    assert "a" not in repr(client).split("(", 1)[0]


def test_a_value_outside_is_refused_before_anything_is_drawn():
    client = Frequency(3, 1).client(bits=object())
    with pytest.raises(UnknownName):
        client.randomize(3)
    with pytest.raises(UnknownName):
        client.randomize_many(np.array([0, 7]))
