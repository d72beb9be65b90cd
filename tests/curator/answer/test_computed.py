import pytest

from dalenius.curator import Computed
from dalenius.errors import UnprovenClaim


def test_the_ends_at_95_percent_are_written_down_and_no_other():
    column = Computed("n", (1, None, 2.5), lambda level, joint: [(0, float(level) * 100)] * 3)
    back = Computed.from_dict(column.to_dict())
    assert back == column
    assert back.interval("0.95") == ((0, 95.0),) * 3
    with pytest.raises(UnprovenClaim):
        back.interval("0.99")
    with pytest.raises(UnprovenClaim):
        back.interval("0.95", joint=True)


def test_what_has_no_rule_says_so():
    column = Computed.from_dict(Computed("n", ("a", 1), None, "STDDEV has no rule").to_dict())
    assert column.interval("0.95") is None
    assert column.reason == "STDDEV has no rule"
    assert column.floats().tolist()[1] == 1
    assert column.accuracy(0.05) == float("inf")
