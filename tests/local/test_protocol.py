import pytest

from dalenius.guarantees import Shuffled
from dalenius.local import Frequency, HeavyHitters, Joint, Mean, Ranges, Sets, VectorMean

PROTOCOLS = {
    "frequency": (Frequency(5, 1), 3),
    "mean": (Mean(0, 1, 1), 0.5),
    "vector": (VectorMean(3, 0, 1, 1), [0.5, 0.5, 0.5]),
    "ranges": (Ranges(20, 1), 7),
    "sets": (Sets(5, 1, 2), {1, 2}),
    "joint": (Joint(2, 3, 1), (1, 2)),
    "heavy": (HeavyHitters(1, 16), 77),
}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol_collects_merges_and_tells_its_guarantee(name):
    protocol, value = PROTOCOLS[name]
    reports = [protocol.client().randomize(value) for _ in range(60)]
    assert {len(report) for report in reports} == {protocol.format.length}
    one, first, second = protocol.aggregator(), protocol.aggregator(), protocol.aggregator()
    assert one.add(reports) == 60
    first.add(reports[:20])
    second.add(b"".join(reports[20:]))
    first.merge(protocol.resume(second.to_bytes()))
    assert first == one
    assert protocol.guarantee().epsilon(0) == 1
    assert protocol.shuffled(1000, 1e-6) == Shuffled(1, 1000, 1e-6)
    tags = {other.format.tag for other, _ in PROTOCOLS.values()}
    assert len(tags) == len(PROTOCOLS)
    assert one.estimate().reports == 60
