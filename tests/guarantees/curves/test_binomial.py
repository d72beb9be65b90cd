from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.guarantees.curves.binomial import _split, binomial_masses
from dalenius.guarantees.curves.lattice import LossLattice, split
from tests.guarantees.guarantee_truth import between, equal_responses_delta, number

UNIT = 2.0**-53


@pytest.mark.parametrize(("each", "times"), [("0.1", 30), ("1", 50), ("0.02", 3000), ("4", 200)])
def test_masses_enclose_the_binomial_law_on_its_own_lattice(each, times):
    above, below, beyond, roundings = binomial_masses(Fraction(each), times, Fraction(each))
    p = 1 / (1 + mp.exp(-number(each)))
    widen = 1 + 2 * roundings * UNIT
    high, low, other = {}, {}, {}
    for index, mass in zip(above.index.tolist(), above.p.tolist(), strict=True):
        high[index] = high.get(index, 0.0) + mass
    for index, mass, q in zip(below.index.tolist(), below.p.tolist(), below.q.tolist(), strict=True):
        low[index], other[index] = mass, q
    for count in range(0, times + 1, max(1, times // 60)):
        index = 2 * count - times
        true = mp.binomial(times, count) * p**count * (1 - p) ** (times - count)
        if index in high:
            assert true - 1e-300 <= high[index] * widen <= true * (1 + mp.mpf(10) ** -9) + 1e-300
        else:
            assert true <= beyond
        if index in low:
            assert low[index] <= true
            assert other[index] * widen + 1e-300 >= true * mp.exp(-index * number(each))
            assert low[index] >= true * (1 - mp.mpf(10) ** -9)
        else:
            assert true < 1e-289


@pytest.mark.parametrize("step", ["0.07", "0.3", "1"])
def test_split_in_floats_is_never_below_the_enclosed_one(step):
    times, each = 40, Fraction(1, 10)
    counts = np.arange(times + 1)
    index, share, rest = _split(counts, times, each, Fraction(step))
    for count in range(times + 1):
        loss = (2 * count - times) * each
        t = loss - int(index[count]) * Fraction(step)
        assert 0 <= t < Fraction(step)
        true = mp.expm1(-number(float(t))) / mp.expm1(-number(step))
        assert float(true) * (1 - 1e-12) <= share[count] <= float(true) * (1 + 1e-12) + 1e-300
        for place, mass in split(loss, Fraction(step)):
            mine = rest[count] if place == index[count] else share[count]
            assert mass <= mine * (1 + 1e-15)


@pytest.mark.parametrize("step", ["0.1", "0.03", "0.25"])
@pytest.mark.parametrize("epsilon", ["0", "1", "2.5"])
def test_many_responses_at_once_enclose_the_binomial_sum(step, epsilon):
    start = np.zeros(1001)
    start[500] = 1.0
    lattice = LossLattice(Fraction(step), start, start, start, 0.0, 0)
    made = lattice.with_responses(Fraction(1, 10), 50, (0.0, 0.0), (0.0, 0.0))
    truth = equal_responses_delta("0.1", 50, epsilon)
    assert between(made.profile(Fraction(epsilon)), truth, 1e-11 if step == "0.1" else 1.0)
