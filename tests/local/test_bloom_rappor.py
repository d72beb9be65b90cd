import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.local import Accountant, BloomRappor
from tests.local.enumerated import law


@pytest.mark.parametrize(("hashes", "stated"), [(1, 2.19722457734), (2, 4.39444915467)])
def test_the_epsilon_of_permanent_answers_is_the_published_one(hashes, stated):
    # f = ½, so that a bit is true with probability ¾: 2h log 3
    protocol = BloomRappor(stated, hashes=hashes)
    assert float(protocol.coin.chance) == pytest.approx(0.75, abs=1e-11)
    assert math.log(protocol.odds) == pytest.approx(stated, rel=1e-12)
    if hashes == 1:
        assert float(protocol.round_epsilon) == pytest.approx(0.537142932083, abs=1e-10)
    assert float(protocol.round_epsilon) == pytest.approx(hashes * 0.537142932083, abs=1e-9)


def test_one_round_has_the_stated_law_and_its_epsilon():
    protocol = BloomRappor(3, bits=8, hashes=2, cohorts=1)
    cuts = {protocol.coin.numerator}
    laws = []
    for text in (b"Basel", b"Zug"):
        rounds: defaultdict[bytes, Fraction] = defaultdict(Fraction)
        for kept, mass in law(lambda bits, text=text: protocol.permanent(text, bits), cuts).items():
            bits = [kept[2] >> i & 1 for i in range(8)]
            for said in (0, 0x0F, 0xFF):
                chance = Fraction(1)
                for i, bit in enumerate(bits):
                    one = Fraction(3, 4) if bit else Fraction(1, 2)
                    chance *= one if said >> i & 1 else 1 - one
                rounds[said] += mass * chance
        laws.append(rounds)
        places = set(protocol.places(0, text))
        for said, mass in rounds.items():  # the closed form: every bit by itself
            each = [protocol.set_chance if i in places else protocol.clear_chance for i in range(8)]
            assert mass == math.prod((c if said >> i & 1 else 1 - c for i, c in enumerate(each)), start=Fraction(1))
    worst = max(laws[0][y] / laws[1][y] for y in laws[0])
    assert math.log(worst) <= protocol.round_epsilon < protocol.epsilon
    # and a round drawn from a kept answer follows its coins
    drawn = law(lambda bits: protocol.report(bytes([0, 0, 0b1]), bits), set())
    ones = sum(mass for said, mass in drawn.items() if said[2] & 1)
    others = sum(mass for said, mass in drawn.items() if said[2] >> 3 & 1)
    assert (ones, others) == (Fraction(3, 4), Fraction(1, 2))


def test_candidates_are_estimated_within_their_error_beside_texts_that_nobody_listed():
    protocol, rng = BloomRappor(6, cohorts=16), np.random.default_rng()
    texts = ["Basel", "Bern", "Zug", *(f"place {i}" for i in range(40))]
    people = rng.choice(texts, 15_000, p=[0.3, 0.2, 0.1, *[0.01] * 40])
    collected = protocol.aggregator()
    collected.add(protocol.client().randomize_many(people))
    estimate = collected.estimate(candidates=["Zug", "Basel", "Bern", "Nowhere"])
    truth = np.array([(people == text).mean() for text in ("Zug", "Basel", "Bern", "Nowhere")])
    assert (np.abs(estimate.shares - truth) < 6.5 * estimate.standard_errors).all()
    assert estimate["Basel"] > 0.15
    assert [text for text, _ in estimate.top(2)] == ["Basel", "Bern"]
    low, high = estimate.interval(0.999999999, joint=True)
    assert ((low <= truth) & (truth <= high)).all()
    # forged: all bits set, in one cohort
    forged = protocol.format.head + bytes([3, 0]) + b"\xff" * 16
    collected.add([forged] * 50)
    again = collected.estimate(candidates=["Zug", "Basel", "Bern", "Nowhere"])
    assert (np.abs(again.shares - estimate.shares) <= 1.1 * estimate.poisoned_by(50)).all()


def test_a_device_keeps_its_permanent_answer_and_pays_once(tmp_path):
    protocol = BloomRappor(2)
    device = Accountant(tmp_path / "device.json", 2)
    rounds = {device.randomize(protocol, "Bern", once=True) for _ in range(10)}
    assert len(rounds) == 10
    assert len({said[9:11] for said in rounds}) == 1  # one cohort
    assert device.spent == 2


def test_bad_input_is_refused():
    protocol = BloomRappor(2, cohorts=4)
    collected = protocol.aggregator()
    good = protocol.client().randomize("")
    assert collected.add([good, good[:9] + b"\x04\x00" + good[11:], good[:-1]]) == 1
    for bad in (7, None, "\ud800"):
        with pytest.raises(UnknownName):
            protocol.client().randomize(bad)
    for options in ({}, {"candidates": []}, {"candidates": ["a", "a"]}, {"candidates": ["a"], "more": 1}):
        with pytest.raises(InvalidParameter, match="candidates"):
            collected.estimate(**options)
    with pytest.raises(InvalidParameter, match="told apart"):
        collected.estimate(candidates=[f"text {i}" for i in range(200)])
    for wrong in ({"bits": 12}, {"bits": 4}, {"hashes": 0}, {"hashes": 9}, {"cohorts": 0}, {"epsilon": 61}):
        with pytest.raises(InvalidParameter):
            BloomRappor(**({"epsilon": 2} | wrong))
    with pytest.raises(UnknownName):
        collected.estimate(candidates=["a"])["b"]
