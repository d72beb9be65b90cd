from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits
from dalenius.noise.weighted_choice import WeightedChoice
from tests.noise.fit import FALSE_ALARM, chi_square


@pytest.mark.theorem("A Thm 7.1")
def test_the_index_has_the_softmax_law_against_its_base_measure():
    scores, weights, n = [0, 3, 5, -2, 9], ["1", "1/2", "0.01", 7, 0], 200_000

    def law(rate):
        masses = np.array([float(Fraction(w)) for w in weights]) * np.exp(rate * (np.array(scores) - 9.0))
        return masses / masses.sum()

    drawn = np.bincount(WeightedChoice(scores, "1/2", weights).sample(Bits(), n), minlength=5).astype(float)
    assert drawn[4] == 0
    assert chi_square(drawn[:4], law(0.5)[:4]) > FALSE_ALARM
    for wrong in (0.375, 0.625):
        assert chi_square(drawn[:4], law(wrong)[:4]) < FALSE_ALARM


def test_masses_are_the_definition_at_fifty_digits():
    law = WeightedChoice([0, 7, -3], Fraction(1, 3), [2, Fraction(1, 5), 10**9])
    with mpmath.workdps(50):
        weights = [mpmath.mpf(2), mpmath.exp(mpmath.mpf(7) / 3) / 5, mpmath.exp(-1) * 10**9]
        for index, weight in enumerate(weights):
            assert law.log_mass(index) == pytest.approx(float(mpmath.log(weight / sum(weights))), rel=1e-14)


def test_extreme_scores_and_weights_need_no_care():
    assert WeightedChoice([0, 10**400], 1, [10**300, 1]).sample(Bits(), 5).tolist() == [1] * 5
    assert WeightedChoice([10**9, 0], 1, [0, 1]).sample(Bits(), 3).tolist() == [1] * 3
    assert WeightedChoice([5], 1, [1]).sample(Bits(), 2).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("scores", "weights"), [([], []), ([1, 2], [1]), ([1, 2], [0, 0]), ([1, 2], [1, -1]), ([0.5], [1]), ([1], ["nan"])]
)
def test_bad_scores_and_weights_are_refused(scores, weights):
    with pytest.raises(InvalidParameter):
        WeightedChoice(scores, 1, weights)


def test_repr_shows_neither_scores_nor_weights():
    assert repr(WeightedChoice([12345], 1, [678])) == "WeightedChoice(rate=Fraction(1, 1))"
