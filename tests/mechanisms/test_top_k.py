from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import GDP, PureDP
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.mechanisms.exponential import Exponential
from dalenius.mechanisms.noisy_max import GumbelNoisyMax, LaplaceNoisyMax
from dalenius.mechanisms.selection_catalog import ordered
from dalenius.mechanisms.top_k import SELECTIONS, TopK
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Bits
from dalenius.numerics import precision
from tests.contracts.selection_laws import softmax
from tests.noise.fit import FALSE_ALARM, chi_square

ONE = Sensitivity(1, Metric.LINF)
SCORES = [0, 3, 1, 4]


def peeled(scale):
    """P[first, second] by the definition."""
    law = {}
    for first, second in permutations(range(4), 2):
        rest = [i for i in range(4) if i != first]
        law[first, second] = (
            softmax(SCORES, scale)[first] * softmax([SCORES[i] for i in rest], scale)[rest.index(second)]
        )
    return law


def test_peeling_and_one_shot_gumbel_noise_have_the_claimed_law():
    draws, mechanism = 18_000, TopK(GumbelNoisyMax(Fraction(3)), 2)
    ours = Counter(tuple(mechanism.release(SCORES, Bits()).tolist()) for _ in range(draws))
    noise = np.random.default_rng().gumbel(size=(draws, 4)) * 3 + SCORES
    shot = Counter(map(tuple, np.argsort(-noise, axis=1)[:, :2].tolist()))
    for counts in (ours, shot):
        for factor, fits in ((Fraction(1), True), (Fraction(3, 4), False), (Fraction(5, 4), False)):
            law = peeled(3 * factor)
            seen = np.array([counts[key] for key in law], float)
            assert (chi_square(seen, np.array([float(p) for p in law.values()])) > FALSE_ALARM) is fits


def test_the_catalogs_law_is_the_definition():
    with precision(128):
        found = [float(mass.mid()) for mass in ordered(TopK(GumbelNoisyMax(Fraction(3)), 2), SCORES)]
    assert found == pytest.approx([float(p) for p in peeled(3).values()], rel=1e-12)


@pytest.mark.theorem("A Thm 3.3")
def test_each_of_k_rounds_is_paid_for():
    claim = TopK(GumbelNoisyMax(Fraction(2)), 3).guarantee(ONE)
    assert claim == BoundedRange(1).repeat(3)
    assert TopK(LaplaceNoisyMax(Fraction(2)), 3).guarantee(ONE) == PureDP(1).repeat(3)
    assert TopK(GumbelNoisyMax(Fraction(2)), 1).scaled(2).guarantee(ONE) == BoundedRange(Fraction(1, 2))


@pytest.mark.parametrize("kind", SELECTIONS, ids=lambda kind: kind.name)
def test_indices_are_different_and_the_best_come_first_without_noise(kind):
    assert TopK(kind(Fraction(1, 1000)), 3).release([5, 9, 7, 1], Bits()).tolist() == [1, 2, 0]
    assert sorted(TopK(kind(Fraction(50)), 4).release([5, 9, 7, 1], Bits()).tolist()) == [0, 1, 2, 3]


@pytest.mark.parametrize("kind", SELECTIONS, ids=lambda kind: kind.name)
def test_it_is_stored_with_its_selection(kind):
    mechanism = TopK(kind(Fraction(5, 2)), 3)
    assert TopK.from_facts(mechanism.facts()) == mechanism


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_a_k_that_is_none_is_refused(k):
    with pytest.raises(InvalidParameter, match="k must"):
        TopK(GumbelNoisyMax(Fraction(1)), k)


def test_too_few_candidates_a_base_measure_and_another_mechanism_are_refused():
    with pytest.raises(InvalidParameter, match="best 3"):
        TopK(GumbelNoisyMax(Fraction(1)), 3).release([1, 2], Bits())
    with pytest.raises(UnprovenClaim, match="base measure"):
        TopK(Exponential(Fraction(1), (1, 2)), 1)
    with pytest.raises(InvalidParameter, match="selection"):
        TopK("gumbel", 1)


def test_calibration_is_that_of_one_round():
    assert TopK.least(ONE, PureDP(1)) == TopK(GumbelNoisyMax(Fraction(2)), 1)
    with pytest.raises(UnprovenClaim):
        TopK.least(ONE, GDP(1))
