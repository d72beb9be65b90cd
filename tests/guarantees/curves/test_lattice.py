from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.guarantees.curves.lattice import LossLattice, split
from dalenius.guarantees.curves.response import _odds
from dalenius.numerics import ends, precision
from tests.guarantees.guarantee_truth import between, number, responses_delta


def composed(lattice, responses):
    for each, times in responses:
        with precision(128):
            lattice = lattice.with_responses(each, times, ends(_odds(each)[0]), ends(_odds(each)[1]))
    return lattice


@pytest.mark.parametrize(("loss", "step"), [("0.37", "0.1"), ("-0.37", "0.1"), ("5", "3"), ("0.1000001", "0.1")])
def test_split_keeps_both_masses_and_rounds_up(loss, step):
    parts = split(Fraction(loss), Fraction(step))
    p = sum(mp.mpf(share) for _, share in parts)
    q = sum(mp.mpf(share) * mp.exp(-index * number(step)) for index, share in parts)
    for have, true in ((p, mp.mpf(1)), (q, mp.exp(-number(loss)))):
        assert true <= have <= true * (1 + mp.mpf(10) ** -15)


def test_a_loss_on_the_lattice_is_not_split():
    assert split(Fraction(3, 10), Fraction(1, 10)) == [(3, 1.0)]
    assert split(Fraction(-3, 10), Fraction(1, 10)) == [(-3, 1.0)]


@pytest.mark.theorem("A Thm 10.2")
@pytest.mark.parametrize("epsilon", ["0", "0.3", "1.01", "2"])
def test_where_losses_are_multiples_both_ends_agree(epsilon):
    responses = ((Fraction(1, 10), 3), (Fraction(3, 10), 4), (Fraction(1), 1))
    lattice = composed(LossLattice.fitting(responses), responses)
    assert lattice.step == Fraction(1, 10)
    truth = responses_delta(["0.1"] * 3 + ["0.3"] * 4 + ["1"], epsilon)
    assert between(lattice.profile(Fraction(epsilon)), truth, 1e-10)


@pytest.mark.parametrize("step", ["0.5", "0.11", "0.013"])
@pytest.mark.parametrize("epsilon", ["0", "0.3", "1.01", "2"])
def test_a_coarse_lattice_still_encloses(step, epsilon):
    responses = ((Fraction(17, 100), 3), (Fraction(29, 100), 4))
    start = np.zeros(401)
    start[200] = 1.0
    lattice = composed(LossLattice(Fraction(step), start, start, start, 0.0, 0), responses)
    low, high = lattice.profile(Fraction(epsilon))
    truth = responses_delta(["0.17"] * 3 + ["0.29"] * 4, epsilon)
    assert low <= truth <= high
    if truth and step == "0.5":
        assert high > truth * mp.mpf("1.000001")  # the split costs something


@pytest.mark.parametrize("half", [1, 2, 4])
def test_mass_beyond_a_window_too_small_is_counted_as_lost(half):
    responses = ((Fraction(1, 2), 6),)
    start = np.zeros(2 * half + 1)
    start[half] = 1.0
    lattice = composed(LossLattice(Fraction(1, 2), start, start, start, 0.0, 0), responses)
    for epsilon in ("0", "0.4", "1", "2.2"):
        low, high = lattice.profile(Fraction(epsilon))
        assert low <= responses_delta(["0.5"] * 6, epsilon) <= high
