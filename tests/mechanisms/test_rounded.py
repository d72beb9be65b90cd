from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.mechanisms import Gaussian, Laplace
from dalenius.noise import Lattice
from tests.noise.seeded import SeededBits

BOTH = pytest.mark.parametrize("kind", [Laplace, Gaussian])


@BOTH
def test_answers_are_steps_of_a_lattice_that_the_mechanism_names(kind):
    mechanism = kind(3)
    assert mechanism.lattice == Lattice.under(3) == mechanism.noise.lattice
    answer = np.array([5, -7], np.int64)
    noise = mechanism.noise.steps(SeededBits(1), 2)
    assert (mechanism.release(answer, SeededBits(1)) == answer + noise).all()
    assert mechanism.accuracy(0.05) < 20  # real units, not steps


@BOTH
def test_a_lattice_may_be_chosen_within_reason(kind):
    assert kind(1, Lattice(-30)).lattice == Lattice(-30)
    assert kind(2**30, Lattice(0)).lattice.step == kind("1/10", Lattice(0)).lattice.step == 1
    for lattice in (Lattice(-51), "x"):
        with pytest.raises(InvalidParameter, match="lattice"):
            kind(1, lattice)


@BOTH
@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), "x", True])
def test_a_scale_that_is_no_positive_number_is_refused(kind, scale):
    with pytest.raises(InvalidParameter, match="scale"):
        kind(scale)


@BOTH
def test_scaling_keeps_the_lattice(kind):
    assert kind(2, Lattice(-22)).scaled(Fraction(19, 20)) == kind(Fraction(19, 10), Lattice(-22))


@BOTH
def test_rounding_noise_to_a_lattice_is_rounding_the_noisy_answer(kind):
    # cells of x + round(Z) are cells of round(x + Z): the law seen from x is the law at 0, moved by whole steps
    law = kind(1).noise
    assert law.log_mass(law.lattice.step * 3) == law.log_mass(-law.lattice.step * 3)
    assert law.log_mass(law.lattice.step / 2) == float("-inf")
