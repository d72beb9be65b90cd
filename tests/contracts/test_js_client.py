"""The JavaScript client makes the reports that the Python client makes of the same random bytes."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from dalenius.local import Frequency, HeavyHitters, Mean
from dalenius.local.collect import description
from dalenius.noise import Bits
from tests.house.tree import ROOT
from tests.noise.fit import FALSE_ALARM, binomial_p_value

NODE = shutil.which("node")
CLIENT = ROOT / "clients" / "js"
needs_node = pytest.mark.skipif(NODE is None, reason="the JavaScript client is not tried: node is not installed")
NAMES = [
    "k-ary response",
    "hadamard response",
    "projective geometry response",
    "local hashing",
    "subset selection",
    "optimized unary encoding",
    "symmetric unary encoding",
]
PROTOCOLS = {
    **{name: (Frequency(12, 1, name), [0, 5, 11]) for name in NAMES},
    **{f"mean by {name}": (Mean(-1, 3, 2, name), [-1, 0.0078125, 1.7, 3]) for name in ("hybrid", "duchi", "piecewise")},
    "mean at a small epsilon": (Mean("1/3", 2, "0.5"), [0.5, 1.99]),
    "heavy numbers": (HeavyHitters(1, 48), [0, 5, 2**48 - 1]),
    "heavy texts": (HeavyHitters(3, 64, text=True), ["", "Bern", "Zürich", "日本"]),
}


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


class Replayed(Bits):
    """Bits that were drawn before."""

    def __init__(self, stream):
        super().__init__()
        self.stream = stream

    def octets(self, size):
        drawn, self.stream = self.stream[:size], self.stream[size:]
        return np.frombuffer(drawn, np.uint8).copy()

    def integer(self, width):
        return int.from_bytes(self.octets(width).tobytes(), "little")


def vectors():
    """Facts, random bytes and reports of all that the client knows; running this file writes them to vectors.json."""
    listed = []
    for name, (protocol, values) in PROTOCOLS.items():
        cases = []
        for value in values * 3:
            bits = Recorded()
            report = protocol.client(bits).randomize(value).hex()
            cases.append({"value": value, "bytes": bits.stream.hex(), "report": report})
        listed.append({"name": name, "facts": description(protocol.aggregator()), "maxEpsilon": 3, "cases": cases})
    return listed


def run(*batches):
    """For each (facts, cases) the reports of the JavaScript client, or its refusal; one node for all."""
    text = json.dumps([{"facts": facts, "maxEpsilon": 100, "cases": cases} for facts, cases in batches])
    command = [NODE, str(CLIENT / "replay.mjs")]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def recorded(protocol, values):
    """Facts, cases and Python's reports of fresh bytes."""
    cases, expected = [], []
    for value in values:
        bits = Recorded()
        expected.append(protocol.client(bits).randomize(value).hex())
        cases.append({"value": value, "bytes": bits.stream.hex()})
    return (description(protocol.aggregator()), cases), expected


def test_the_shared_vectors_are_what_the_python_client_makes():
    stored = json.loads((CLIENT / "vectors.json").read_text(encoding="utf-8"))
    assert [entry["name"] for entry in stored] == list(PROTOCOLS)
    for entry in stored:
        protocol, _ = PROTOCOLS[entry["name"]]
        assert entry["facts"] == description(protocol.aggregator())
        for case in entry["cases"]:
            bits = Replayed(bytes.fromhex(case["bytes"]))
            assert protocol.client(bits).randomize(case["value"]).hex() == case["report"]
            assert bits.stream == b""


@needs_node
def test_node_makes_the_reports_of_the_shared_vectors_and_refuses_broken_facts():
    command = [NODE, "--test", str(CLIENT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert f"# pass {2 * len(PROTOCOLS)}" in done.stdout


@needs_node
def test_the_same_fresh_bytes_give_the_same_report():
    tried = [(protocol, values * 8) for protocol, values in PROTOCOLS.values()]
    for name in NAMES:
        for size, epsilon in ((30, 2), (100, "0.5")):
            tried.append((Frequency(size, epsilon, name), np.linspace(0, size - 1, 25).astype(int).tolist()))
    batches, expected = zip(*(recorded(protocol, values) for protocol, values in tried), strict=True)
    assert run(*batches) == list(expected)


@needs_node
def test_numbers_fall_on_the_step_that_python_rounds_them_to():
    protocol, rng = Mean(0, 1, 1, "duchi"), np.random.default_rng()
    values = [*rng.random(200).tolist(), *((2 * k + 1) / 2048 for k in range(0, 1024, 37)), 0.0, 1.0, 5e-324]
    cases, expected = [], []
    for value in values:
        # a word just below and just above the numerator of Python's step tells the step
        numerator = int(protocol.oracle.likelihood(1, protocol.encode(value)) * (1 << 64))
        for word in (numerator - 1, numerator):
            cases.append({"value": value, "bytes": word.to_bytes(8, "little").hex()})
            expected.append(1 if word < numerator else 0)
    (reports,) = run((description(protocol.aggregator()), cases))
    assert [int(report[18:20], 16) for report in reports] == expected


@needs_node
def test_reports_of_its_own_bits_are_taken_by_the_aggregator():
    protocol, n = Frequency(["Basel", "Bern", "Zug"], 2, "k-ary response"), 3_000
    (reports,) = run((description(protocol.aggregator()), [{"value": "Bern", "bytes": None}] * n))
    collected = protocol.aggregator()
    assert collected.add([bytes.fromhex(report) for report in reports]) == n
    kept = int(collected.estimate().supports[1])
    assert binomial_p_value(kept, n, float(protocol.oracle.own)) > FALSE_ALARM
    assert binomial_p_value(kept, n, 0.75 * float(protocol.oracle.own)) < FALSE_ALARM


LIES = [
    ("k-ary response", {"coin": str(2**64 - 5)}),
    ("k-ary response", {"epsilon": "1/10"}),
    ("k-ary response", {"oracle": "truth"}),
    ("k-ary response", {"size": 5}),
    ("k-ary response", {"size": 1, "domain": [0]}),
    ("k-ary response", {"protocol": "raw"}),
    ("k-ary response", {"head": "zz"}),
    ("local hashing", {"order": 12, "modulus": 19}),  # moves would not reach all buckets
    ("projective geometry response", {"order": 6, "modulus": 0}),  # no field
    ("projective geometry response", {"length": 2}),  # fewer points than values
    ("subset selection", {"weight": 0}),
    ("subset selection", {"weight": 2.5}),
    ("subset selection", {"weight": 1}),  # the same coin breaks ε for smaller sets
    ("optimized unary encoding", {"coin": "-1"}),
    ("mean by hybrid", {"top": str(2**64 - 1)}),
    ("mean by hybrid", {"inside": str(2**64 - 1)}),
    ("mean by hybrid", {"half_window": 1}),
    ("mean by piecewise", {"fine": 0}),
    ("mean by duchi", {"upper": "-1"}),
    ("mean by duchi", {"grid": 0.5}),
    ("heavy numbers", {"parities": 5}),  # more buckets for the same coin
    ("heavy numbers", {"steps": [99]}),
    ("heavy numbers", {"coin": str(2**63)}),
]


@needs_node
def test_a_collector_who_lies_about_the_chances_is_refused():
    batches = []
    for name, change in LIES:
        protocol, values = PROTOCOLS[name]
        facts = description(protocol.aggregator()) | change
        batches.append((facts, [{"value": values[0], "bytes": None}]))
    for lie, said in zip(LIES, run(*batches), strict=True):
        assert re.match(r"refused: .*(break its epsilon|does not know|do not hold together)", str(said)), (lie, said)


OUTSIDE = [
    ("k-ary response", 12), ("k-ary response", "5"), ("mean by hybrid", 3.01), ("mean by hybrid", "1"),
    ("mean by duchi", None), ("heavy numbers", 2**48), ("heavy numbers", -1), ("heavy numbers", 1.5),
    ("heavy texts", "too long a text"), ("heavy texts", "a\0"), ("heavy texts", "\ud800"), ("heavy texts", 7),
]  # fmt: skip


@needs_node
def test_a_value_outside_is_refused_and_not_repeated():
    batches = []
    for name, value in OUTSIDE:
        facts = description(PROTOCOLS[name][0].aggregator())
        batches.append((facts, [{"value": value, "bytes": None}]))
    for (name, value), said in zip(OUTSIDE, run(*batches), strict=True):
        assert str(said).startswith("refused: the "), (name, value)
        assert str(value) not in str(said)


if __name__ == "__main__":
    text = json.dumps(vectors(), ensure_ascii=True, indent=1)
    (CLIENT / "vectors.json").write_text(text + "\n", encoding="utf-8")
