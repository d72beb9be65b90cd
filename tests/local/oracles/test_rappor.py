import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.local.oracles import Rappor
from dalenius.noise import Bits
from tests.noise.fit import FALSE_ALARM, binomial_p_value


def test_the_published_example_has_its_two_epsilons():
    # f = ½, rounds with ½ and ¾: 2 log 3 for ever, 0.537142932083 for one report
    oracle = Rappor(8, Fraction(math.log(9)))
    assert float(oracle.coin.chance) == pytest.approx(0.75, rel=1e-12)
    assert math.log(oracle.odds) == pytest.approx(2.19722457734, rel=1e-11)
    assert float(oracle.round_epsilon) == pytest.approx(0.537142932083, rel=1e-11)
    assert float(oracle.own) == pytest.approx(0.6875, rel=1e-12)
    assert float(oracle.other) == pytest.approx(0.5625, rel=1e-12)


def test_the_permanent_answer_keeps_each_bit_with_its_chance():
    oracle, n = Rappor(4, Fraction(1)), 4_000
    drawn = np.array([[byte >> v & 1 for v in range(4)] for byte in (oracle.permanent(2, Bits())[0] for _ in range(n))])
    chance = float(oracle.coin.chance)
    for v in range(4):
        hits = int(drawn[:, v].sum())
        assert binomial_p_value(hits, n, chance if v == 2 else 1 - chance) > FALSE_ALARM
    assert binomial_p_value(int(drawn[:, 2].sum()), n, 1 - chance) < FALSE_ALARM


def test_a_round_reports_three_quarters_of_ones_and_half_of_zeros():
    oracle, n = Rappor(2, Fraction(1)), 4_000
    ones = np.array([oracle.report(bytes([1]), Bits())[0] for _ in range(n)])
    assert binomial_p_value(int((ones & 1).sum()), n, 0.75) > FALSE_ALARM
    assert binomial_p_value(int((ones >> 1).sum()), n, 0.5) > FALSE_ALARM
    assert binomial_p_value(int((ones & 1).sum()), n, 0.5) < FALSE_ALARM


def test_two_steps_have_the_law_of_one_round():
    # 1 from the value's bit: c·¾ + (1 − c)·½ with c the chance to keep, exactly the stated coin
    oracle = Rappor(5, Fraction(2))
    keep = oracle.coin.chance
    assert oracle.own == keep * Fraction(3, 4) + (1 - keep) / 2
    assert oracle.other == (1 - keep) * Fraction(3, 4) + keep / 2
