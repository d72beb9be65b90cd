"""The JavaScript client makes the reports that the Python client makes of the same random bytes."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from dalenius.local import Frequency
from dalenius.local.collect import description
from dalenius.noise import Bits
from tests.house.tree import ROOT
from tests.noise.fit import FALSE_ALARM, binomial_p_value

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="the JavaScript client is not tried: node is not installed")
NAMES = [
    "k-ary response",
    "hadamard response",
    "projective geometry response",
    "local hashing",
    "subset selection",
    "optimized unary encoding",
    "symmetric unary encoding",
]


class Recorded(Bits):
    """Secure bits that remember every byte in the order it was drawn."""

    def __init__(self):
        super().__init__()
        self.stream = b""

    def octets(self, size):
        drawn = super().octets(size)
        self.stream += drawn.tobytes()
        return drawn

    def integer(self, width):
        return int.from_bytes(self.octets(width).tobytes(), "little")


def run(facts, cases):
    script = ROOT / "clients" / "js" / "replay.mjs"
    text = json.dumps({"facts": facts, "cases": cases})
    done = subprocess.run([NODE, str(script)], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("size", "epsilon"), [(9, 1), (30, 2), (100, "0.5")])
def test_the_same_bytes_give_the_same_report(name, size, epsilon):
    protocol = Frequency(size, epsilon, name)
    cases, expected = [], []
    for value in np.linspace(0, size - 1, 25).astype(int).tolist():
        bits = Recorded()
        expected.append(protocol.client(bits).randomize(value).hex())
        cases.append({"value": value, "bytes": bits.stream.hex()})
    assert run(description(protocol.aggregator()), cases) == expected


def test_reports_of_its_own_bits_are_taken_by_the_aggregator():
    protocol, n = Frequency(["Basel", "Bern", "Zug"], 2, "k-ary response"), 3_000
    reports = run(description(protocol.aggregator()), [{"value": "Bern", "bytes": None}] * n)
    collected = protocol.aggregator()
    assert collected.add([bytes.fromhex(report) for report in reports]) == n
    kept = int(collected.estimate().supports[1])
    assert binomial_p_value(kept, n, float(protocol.oracle.own)) > FALSE_ALARM
    assert binomial_p_value(kept, n, 0.75 * float(protocol.oracle.own)) < FALSE_ALARM


@pytest.mark.parametrize("change", [{"coin": str(2**64 - 5)}, {"epsilon": "1/10"}, {"oracle": "truth"}, {"size": 5}])
def test_a_collector_who_lies_about_the_chances_is_refused(change):
    facts = description(Frequency(3, 1, "k-ary response").aggregator()) | change
    with pytest.raises(RuntimeError, match=r"break its epsilon|does not know|disagree"):
        run(facts, [{"value": 1, "bytes": None}])
