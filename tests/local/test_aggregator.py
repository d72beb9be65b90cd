import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.local import Frequency
from dalenius.local.oracles import ORACLES
from dalenius.noise import Bits


@pytest.mark.parametrize("kind", ORACLES, ids=lambda kind: kind.name)
def test_merging_two_aggregators_equals_one_and_saving_loses_nothing(kind):
    protocol = Frequency(12, 2, kind)
    reports = protocol.client().randomize_many(np.arange(600) % 12).to_bytes()
    half = 200 * protocol.format.length
    one, first, second = protocol.aggregator(), protocol.aggregator(), protocol.aggregator()
    one.add(reports)
    first.add(reports[:half])
    second.add([reports[i : i + protocol.format.length] for i in range(half, len(reports), protocol.format.length)])
    resumed = protocol.resume(first.to_bytes())
    assert resumed == first != one
    resumed.merge(second)
    assert resumed == one
    assert one.reports == 600
    assert np.array_equal(resumed.estimate().shares, one.estimate().shares)


@pytest.mark.parametrize("kind", ORACLES, ids=lambda kind: kind.name)
def test_bad_reports_are_counted_and_change_nothing_else(kind):
    protocol = Frequency(12, 2, kind)
    good = [protocol.client().randomize(value) for value in range(12)]
    others = [Frequency(12, 2.5, kind), Frequency(13, 2, kind)]
    foreign = [other.client().randomize(3) for other in others]
    forged = [protocol.format.head + b"\xff" * protocol.oracle.width]
    mixed, clean = protocol.aggregator(), protocol.aggregator()
    taken = mixed.add([*foreign, *good, *forged, b"", good[0][:-1]])
    assert clean.add(good) == 12
    if protocol.oracle.valid(np.full((1, protocol.oracle.width), 255, np.uint8)).all():
        assert taken == 13  # where all bits set is a possible report, it cannot be told from one
    else:
        assert (taken, mixed.rejected) == (12, 5)
        mixed.rejected = 0
        assert mixed == clean
    assert clean.add(others[0].client().randomize_many([1, 2])) == 0
    assert clean.rejected == 2


def test_a_stream_is_counted_in_constant_memory(monkeypatch):
    protocol = Frequency(64, 1, "hadamard response")
    collected, client = protocol.aggregator(), protocol.client()
    size = len(collected.to_bytes())
    for _ in range(20):
        collected.add(client.randomize_many(np.zeros(50_000, np.int64)))
    assert collected.reports == 1_000_000
    assert len(collected.to_bytes()) == size
    assert abs(collected.estimate()[0] - 1) < 7 * protocol.oracle.variance(1_000_000, 1) ** 0.5
    monkeypatch.setattr("dalenius.local.aggregator._AT_ONCE", 7)
    batch = client.randomize_many(np.arange(64))
    whole, parts = protocol.aggregator(), protocol.aggregator()
    whole.add(batch)
    monkeypatch.undo()
    parts.add(batch)
    assert whole == parts


@pytest.mark.long
def test_a_hundred_million_reports_stream_in_constant_memory():
    import resource

    protocol = Frequency(1024, 1, "hadamard response")
    collected, client = protocol.aggregator(), protocol.client()
    values = np.arange(1_000_000) % 1024
    collected.add(client.randomize_many(values))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(99):
        collected.add(client.randomize_many(values))
    assert collected.reports == 100_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kilobytes


def test_damaged_and_foreign_states_are_refused():
    protocol = Frequency(12, 2)
    collected = protocol.aggregator()
    collected.add(protocol.client().randomize(3))
    saved = collected.to_bytes()
    for broken in (saved[:-1], saved[:-1] + b"\x07", b"", b"x" + saved, saved[:40] + b"\x09" + saved[41:]):
        with pytest.raises(InvalidParameter, match="damaged, or of another protocol"):
            protocol.resume(broken)
    with pytest.raises(InvalidParameter):
        Frequency(12, 3).resume(saved)
    with pytest.raises(InvalidParameter, match="merge only within one protocol"):
        collected.merge(Frequency(12, 3).aggregator())
    with pytest.raises(InvalidParameter, match="no reports yet"):
        protocol.aggregator().estimate()
    assert repr(collected) == "Aggregator(1 reports, 0 rejected)"
    assert collected.add(Bits().octets(1000).tobytes()) == 0
