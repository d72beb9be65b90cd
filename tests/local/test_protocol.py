import itertools
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import Shuffled
from dalenius.local import (
    BloomRappor,
    Frequency,
    HeavyHitters,
    Joint,
    Mean,
    Ranges,
    Sets,
    UnitVectorMean,
    VectorMean,
    unit_vector_mean,
)
from dalenius.local.means import Duchi
from dalenius.local.oracles import ORACLES
from dalenius.noise import Coin
from tests.local.enumerated import law

PROTOCOLS = {
    "frequency": (Frequency(5, 1), 3),
    "mean": (Mean(0, 1, 1), 0.5),
    "vector": (VectorMean(3, 0, 1, 1), [0.5, 0.5, 0.5]),
    "ranges": (Ranges(20, 1), 7),
    "sets": (Sets(5, 1, 2), {1, 2}),
    "joint": (Joint(2, 3, 1), (1, 2)),
    "heavy": (HeavyHitters(1, 16), 77),
    "bloom": (BloomRappor(1, bits=16, cohorts=2), "Basel"),
    "unit vector": (UnitVectorMean(3, 1), [0.0, 0.6, 0.8]),
}
OPTIONS = {"bloom": {"candidates": ["Basel", "Bern"]}}


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
    estimate = one.estimate(**OPTIONS.get(name, {}))
    assert estimate.reports == 60
    moved = estimate.poisoned_by(1, 0, 3) if name == "ranges" else estimate.poisoned_by(1)
    assert np.all(np.asarray(moved) > 0)
    ends = estimate.interval(0, 3) if name == "ranges" else estimate.interval()
    assert np.all(np.asarray(ends[0]) <= np.asarray(ends[1]))


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol_plans_the_reports_and_the_epsilon_that_an_error_takes(name):
    protocol, _ = PROTOCOLS[name]
    plan = protocol.plan(10**6, error=0.05)
    half = protocol.plan(10**6, error=0.025)
    assert half.reports == pytest.approx(4 * plan.reports, rel=0.01)
    assert protocol.report_variance(plan.epsilon) / 10**6 <= (0.05 / 1.9599) ** 2
    assert plan.reports == pytest.approx(protocol.report_variance(Fraction(1)) * (1.95996 / 0.05) ** 2, rel=1e-3, abs=1)
    with pytest.raises(InvalidParameter):
        protocol.plan(0, error=0.05)
    with pytest.raises(InvalidParameter):
        protocol.plan(10, error=0.05, level=1)


def duchi_vector():
    """Two of three coordinates in a report, by the randomizer that can be enumerated."""
    protocol = VectorMean(3, -1, 1, 6)
    object.__setattr__(protocol, "oracle", Duchi(Fraction(3), 4))
    return protocol


def duchi_mean():
    """A number on a coarse grid, by the randomizer that can be enumerated."""
    protocol = Mean(0, 1, 1)
    object.__setattr__(protocol, "oracle", Duchi(Fraction(1), 4))
    return protocol


LAWS = {
    **{f"frequency/{kind.name}": (lambda kind=kind: Frequency(3, 1, kind), [0, 1, 2]) for kind in ORACLES},
    "mean": (duchi_mean, [0.0, 0.3, 1.0]),
    "vector": (duchi_vector, [[-1, -1, -1], [1, 1, 1], [0.5, -1, 1]]),
    "ranges": (lambda: Ranges(6, 1, fanout=2), [0, 3, 5]),
    "sets": (lambda: Sets(3, 1, length=2), [set(), {0}, {1, 2}, {0, 1, 2}]),
    "joint": (lambda: Joint(2, 2, 1), [(0, 0), (1, 0), (1, 1)]),
    "heavy": (lambda: HeavyHitters(1, 4, first=2, step=2), [0, 5, 15]),
    "bloom": (lambda: BloomRappor(3, bits=8, hashes=1, cohorts=2), ["Basel", "Bern", "Zug"]),
    "unit vector": (lambda: UnitVectorMean(2, 2, codes=6), [[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0], [0.3, 0.4]]),
}


def thresholds(protocol):
    """Every number that a word is compared with, as the protocol states it."""
    oracle = getattr(protocol, "oracle", None)
    found = {
        coin.numerator for coin in (getattr(oracle, "own_coin", None), getattr(oracle, "other_coin", None)) if coin
    }
    if isinstance(oracle, Duchi):
        found |= {int(oracle.likelihood(1, step) * (1 << 64)) for step in range(oracle.grid + 1)}
    if isinstance(protocol, BloomRappor):
        found.add(protocol.coin.numerator)
    return found


def laws(protocol, values, monkeypatch):
    monkeypatch.setattr("dalenius.local.heavy_hitters.SEEDS", 4)
    monkeypatch.setattr(unit_vector_mean, "NORMS", 4)
    draw = protocol.permanent if isinstance(protocol, BloomRappor) else protocol.randomize
    cuts = thresholds(protocol)
    return [law(lambda bits, value=value: draw(protocol.encode(value), bits), cuts) for value in values]


def exceeds(found, epsilon):
    """Whether some report is more than e^ε times as likely under one value as under another, decided in balls."""
    worst = max(
        one[y] / other.get(y, Fraction(1, 10**30)) for one, other in itertools.permutations(found, 2) for y in one
    )
    before, ctx.prec = ctx.prec, 256
    try:
        gap = arb(fmpq(epsilon.numerator, epsilon.denominator)) - arb(fmpq(worst.numerator, worst.denominator)).log()
    finally:
        ctx.prec = before
    return not gap >= 0


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.theorem("A Def 4.1")
def test_the_law_of_every_protocol_on_any_two_values_respects_epsilon_exactly(name, monkeypatch):
    make, values = LAWS[name]
    protocol = make()
    if name == "frequency/rappor":  # a report is a round, whose permanent answer test_rappor enumerates
        assert not exceeds(laws(protocol, values, monkeypatch), protocol.oracle.round_epsilon)
    assert not exceeds(laws(protocol, values, monkeypatch), protocol.guarantee().budget)


@pytest.mark.parametrize(
    "name", ["heavy", "unit vector", "bloom", "frequency/k-ary response", "joint", "sets", "ranges"]
)
def test_swapped_probabilities_are_caught(name, monkeypatch):
    make, values = LAWS[name]
    protocol = make()
    holder = protocol if hasattr(protocol, "coin") else getattr(protocol, "oracle", None) or protocol.split.parts[-1]
    spare = 1 - holder.coin.chance
    # tell the truth where a lie was due: as likely as the larger of both, and a tenth more
    object.__setattr__(holder, "coin", Coin(int(max(holder.coin.chance, spare) * (1 << 64) * Fraction(11, 10))))
    assert exceeds(laws(protocol, values, monkeypatch), protocol.guarantee().budget)


def test_a_part_that_depends_on_the_value_is_caught(monkeypatch):
    class Telling(HeavyHitters):
        """A mutant: the length of the prefix is chosen by the value."""

        def _respond(self, words, bits, keep):
            out = super()._respond(words, bits, keep)
            out[:, 0] = words & np.uint64(1)
            return out

    found = laws(Telling(1, 4, first=2, step=2), [0, 5], monkeypatch)
    assert exceeds(found, Fraction(1))


@pytest.mark.parametrize("name", [name for name in LAWS if name != "vector"])
def test_as_many_random_bytes_are_drawn_for_every_value(name, monkeypatch):
    """But for numbers drawn again because they were too large, which no value makes more likely."""
    make, values = LAWS[name]
    protocol, asked = make(), []
    monkeypatch.setattr(unit_vector_mean, "NORMS", 4)

    def spy(kind, original):
        return lambda self, bits, *size: asked.append((kind, getattr(self, "count", 0))) or original(self, bits, *size)

    from dalenius.noise import UniformInteger

    monkeypatch.setattr(UniformInteger, "sample", spy("uniform", UniformInteger.sample))
    monkeypatch.setattr(Coin, "toss", spy("coin", Coin.toss))
    seen, lengths = set(), set()
    for value in values:
        asked.clear()
        lengths.add(len(protocol.client().randomize(value)))
        seen.add(tuple(asked))
    parts = len(protocol.split.parts) if name == "ranges" else 1
    larger = name == "sets"  # a set above the padded length draws among all of its own
    assert len(seen) <= parts + larger
    assert len(lengths) == 1


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_value_of_another_kind_is_refused_and_not_repeated(name):
    protocol, _ = PROTOCOLS[name]
    for bad in ("secret", object(), ["secret"], {"secret": 1}, None, float("nan"), 10**400, "\ud800secret"):
        if name == "bloom" and bad == "secret":
            continue  # a text like any other
        with pytest.raises((UnknownName, InvalidParameter)) as told:
            protocol.client().randomize(bad)
        assert "secret" not in str(told.value)
