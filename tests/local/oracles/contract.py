"""What every frequency oracle must hold to, by enumeration in fractions."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
from flint import arb, fmpq

from dalenius.local.oracles import ORACLES, Oracle
from dalenius.local.oracles.codes import CodeOracle
from dalenius.local.oracles.subset_selection import SubsetSelection
from dalenius.noise import Bits

EPSILONS = (Fraction(1, 2), Fraction(1), Fraction(3))
SIZES = (2, 3, 6)
SMALL = tuple(kind(size, epsilon) for kind in ORACLES for size in SIZES for epsilon in EPSILONS)


def label(oracle: Oracle) -> str:
    return f"{oracle.name}/{oracle.size}/{oracle.epsilon}"


def law(oracle: Oracle, value: int) -> dict[bytes, Fraction]:
    """P[report | value] for every report, as stated."""
    return {payload: oracle.likelihood(payload, value) for payload in oracle.outcomes()}


def law_of_the_code(oracle: Oracle, value: int) -> dict[bytes, Fraction]:
    """P[report | value] added up over every coin and every draw that goes into `respond`."""
    masses: defaultdict[bytes, Fraction] = defaultdict(Fraction)
    if isinstance(oracle, SubsetSelection):
        steps = [range(oracle.size - 1 - i) for i in range(oracle.weight)]
        each = Fraction(1, math.prod(len(step) for step in steps))
        for keep, *draws in itertools.product((True, False), *steps):
            chance = oracle.coin.chance if keep else 1 - oracle.coin.chance
            masses[oracle.respond(value, keep, draws)] += chance * each
        return dict(masses)
    assert isinstance(oracle, CodeOracle)
    each = Fraction(1, math.prod(oracle.uniforms))
    inputs = list(itertools.product((True, False), *(range(count) for count in oracle.uniforms)))
    keep, *draws = (np.array(column) for column in zip(*inputs, strict=True))
    codes = oracle.respond(np.full(len(inputs), value), keep, draws)
    for kept, row in zip(keep, oracle.to_payloads(codes), strict=True):
        masses[bytes(row)] += (oracle.coin.chance if kept else 1 - oracle.coin.chance) * each
    return dict(masses)


def law_of_the_words(oracle: Oracle, value: int) -> dict[bytes, Fraction]:
    """P[report | value] of unary encodings: bit v is 1 below a threshold that is found by trying words around it."""
    chances = []
    for place in range(oracle.size):
        threshold = oracle.own_coin.numerator if place == value else oracle.other_coin.numerator
        assert _bit(oracle, value, place, threshold - 1)
        assert not _bit(oracle, value, place, threshold)
        chances.append(Fraction(threshold, 1 << 64))
    masses = {}
    for payload in oracle.outcomes():
        number = int.from_bytes(payload, "little")
        parts = [chance if number >> v & 1 else 1 - chance for v, chance in enumerate(chances)]
        masses[payload] = math.prod(parts, start=Fraction(1))
    return masses


def _bit(oracle: Oracle, value: int, place: int, word: int) -> bool:
    class Words(Bits):
        def words(self, dtype, size):
            drawn = np.zeros(size, np.uint64)
            drawn[place] = word
            return drawn

    return bool(oracle.randomize(value, Words())[place // 8] >> place % 8 & 1)


def breaches(oracle: Oracle) -> list[str]:
    """What is wrong with the stated law: a sum that is not one, a ratio above the odds, odds above e^ε."""
    laws = [law(oracle, value) for value in range(oracle.size)]
    wrong = [f"sum under {value}" for value, masses in enumerate(laws) if sum(masses.values()) != 1]
    worst = max(
        first[payload] / second[payload]
        for first, second in itertools.permutations(laws, 2)
        for payload in first
        if first[payload]
    )
    if worst > oracle.odds:
        wrong.append("ratio above the odds")
    if worst < oracle.odds:
        wrong.append("odds are not attained")
    # log(odds) ≤ ε, decided in balls; at the odds' own distance from e^ε, 2⁻⁶⁰ of it, 256 bits are plenty
    gap = (
        arb(fmpq(oracle.epsilon.numerator, oracle.epsilon.denominator))
        - arb(fmpq(oracle.odds.numerator, oracle.odds.denominator)).log()
    )
    if not gap >= 0:
        wrong.append("odds above e^epsilon")
    return wrong
