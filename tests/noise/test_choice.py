from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits, Choice
from dalenius.noise.lazy import LazyUniform
from tests.noise.fit import FALSE_ALARM, chi_square
from tests.noise.seeded import ScriptedBits

GUMBEL = "A Prop 7.1"


@pytest.mark.theorem(GUMBEL)
def test_the_index_has_the_softmax_law_as_noisy_max_with_gumbel_noise_has():
    scores, rate, n = np.array([0, 3, 5, 5, -40]), 0.5, 1_000_000
    law = np.exp(rate * scores)
    law /= law.sum()
    drawn = np.bincount(Choice(scores, rate).sample(Bits(), n), minlength=5).astype(float)
    assert chi_square(drawn, law) > FALSE_ALARM
    gumbel = np.random.default_rng().gumbel(
        size=(n, 5)
    )  # the float version of the same choice, which must have the same law
    by_noise = np.bincount(np.argmax(rate * scores + gumbel, axis=1), minlength=5).astype(float)
    assert chi_square(by_noise, law) > FALSE_ALARM
    wrong = np.exp(1.25 * rate * scores)
    assert chi_square(drawn, wrong / wrong.sum()) < FALSE_ALARM


def test_log_masses_are_the_softmax_at_fifty_digits():
    scores, rate = [0, 7, -3, 1000], Fraction(1, 3)
    with mpmath.workdps(50):
        weights = [mpmath.exp(mpmath.mpf(score) / 3) for score in scores]
        for index, weight in enumerate(weights):
            assert Choice(scores, rate).log_mass(index) == float(mpmath.log(weight / sum(weights)))


@pytest.mark.parametrize("offset", [-1, 0, 1])
@pytest.mark.parametrize("index", range(3))
def test_draws_next_to_a_boundary_agree_with_long_arithmetic(index, offset):
    scores, rate = [0, 2, 1, -1], Fraction(1, 3)
    with mpmath.workdps(100):
        weights = [mpmath.exp(mpmath.mpf(score - 2) / 3) for score in scores]
        sums = [mpmath.fsum(weights[: i + 1]) / mpmath.fsum(weights) for i in range(4)]
        digits = int(mpmath.floor(sums[index] * 2**64)) + offset
        source = ScriptedBits()
        got = Choice(scores, rate)._settle(LazyUniform(source, digits, 64))
        uniform = mpmath.mpf(digits) / 2**64
        for place, word in enumerate(source.seen, start=2):
            uniform += mpmath.mpf(word) / mpmath.mpf(2) ** (64 * place)
        assert got == sum(uniform >= line for line in sums[:-1])


def test_the_float_filter_hands_what_is_near_to_the_exact_path(monkeypatch):
    settled = []
    real = Choice._settle
    monkeypatch.setattr(Choice, "_settle", lambda self, uniform: settled.append(uniform.digits) or real(self, uniform))

    class Words(Bits):
        def words(self, dtype, size):
            edge = int(mpmath.floor(mpmath.mpf(1) / 3 * 2**64))
            return np.array([edge - 2**20, edge, edge + 2**20, 2**62, 2**63], np.uint64)

    assert Choice([5, 5, 5]).sample(Words(), 5).tolist()[3:] == [0, 1]
    assert len(settled) == 3


def test_a_hundred_thousand_candidates_are_one_call():
    scores = np.zeros(100_000, np.int64)
    scores[77] = 30
    drawn = Choice(scores, 1).sample(Bits(), 200)
    assert (drawn == 77).mean() > 0.9  # e^30 against 1e5: all but one in 1e8


def test_extreme_scores_need_no_care():
    assert Choice([0, 10**400]).sample(Bits(), 5).tolist() == [1] * 5
    assert Choice([0, -1], 10**400).sample(Bits(), 5).tolist() == [0] * 5
    assert set(Choice([2**62, 2**62], Fraction(1, 7)).sample(Bits(), 200).tolist()) == {0, 1}
    assert Choice([0, -(10**310)], "1e-301").sample(Bits(), 200).tolist() == [0] * 200
    assert Choice([2**63, -1]).sample(Bits(), 5).tolist() == [0] * 5  # as one array these two would be floats
    assert Choice([0, 10**100]).log_mass(0) == -1e100
    assert Choice([7]).sample(Bits(), 3).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "scores", [[], [0.5], [float("nan")], ["a"], [True], [True, 2], [[1, 2]], [[1], [1, 2]], 3, None, "12"]
)
def test_scores_that_are_no_whole_numbers_are_refused(scores):
    with pytest.raises(InvalidParameter, match="scores must"):
        Choice(scores)


@pytest.mark.parametrize("rate", [-1, float("nan"), float("inf")])
def test_bad_rates_are_refused(rate):
    with pytest.raises(InvalidParameter, match="rate must be"):
        Choice([1, 2], rate)


def test_whole_numbers_of_any_kind_are_scores():
    for scores in ([1, 2], (1, 2), range(1, 3), np.array([1, 2], np.uint8), [np.int64(1), 2]):
        assert Choice(scores).scores == (1, 2)


def test_repr_shows_no_score():
    assert repr(Choice([12345, 678])) == "Choice(rate=Fraction(1, 1))"


@pytest.mark.parametrize("gap", [1, 2**40, 10**305, 10**400])
def test_no_score_can_raise_what_numpy_was_told_to_raise(gap):
    with np.errstate(all="raise"):
        assert len(Choice([0, -gap], Fraction(1, 10**310)).sample(Bits(), 10)) == 10
