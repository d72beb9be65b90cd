"""Every promise of a mechanism, over the whole catalog."""

import collections
import itertools
import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dalenius.mechanisms import CATALOG, Geometric, mechanism_of
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Bits

ENTRIES = pytest.mark.parametrize("entry", CATALOG, ids=lambda entry: entry.label)
GRID = [Fraction(k, 20) for k in range(61)]


def geometric_mass(mechanism, step):
    """The definition of the notes, at 40 digits and without our own code."""
    alpha = mpmath.exp(mpmath.mpf(mechanism.scale.denominator) / mechanism.scale.numerator)
    return (alpha - 1) / (alpha + 1) * alpha ** (-abs(step))


MASS = {"geometric": geometric_mass}


def output_law(mechanism, answer, reach):
    """P[output] for every output within `reach` of the origin in each cell."""
    mass = MASS[mechanism.name]
    with mpmath.workdps(40):
        lines = [[mass(mechanism, y - x) for y in range(-reach, reach + 1)] for x in answer]
        return [mpmath.fprod(point) for point in itertools.product(*lines)]


def profile(mechanism, first, second):
    """ε → the hockey-stick divergence H(first ‖ second), from below: outputs beyond the reach could only add."""
    reach = int(90 * mechanism.scale) if len(first) == 1 else int(45 * mechanism.scale)
    p, q = (output_law(mechanism, answer, reach) for answer in (first, second))

    def divergence(epsilon):
        with mpmath.workdps(40):
            growth = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
            return mpmath.fsum(max(0, a - growth * b) for a, b in zip(p, q, strict=True))

    return divergence


def violates(mechanism, entry, claim):
    """Whether some ε of the grid, or the claimed one, shows more than the claim in either direction."""
    points = [*(GRID if len(entry.neighbors[0]) == 1 else GRID[::10]), claim.budget]
    for pair in (entry.neighbors, entry.neighbors[::-1]):
        divergence = profile(mechanism, *pair)
        if any(divergence(epsilon) > mpmath.mpf(claim.delta(epsilon)) + mpmath.mpf(10) ** -30 for epsilon in points):
            return True
    return False


@ENTRIES
@pytest.mark.theorem("D Thm 2.8")
def test_no_event_tells_the_neighbors_apart_by_more_than_the_guarantee(entry):
    claim = entry.mechanism.guarantee(entry.sensitivity)
    assert not violates(entry.mechanism, entry, claim)


MAPS = {
    "held in a narrow range": lambda output: tuple(min(max(y, -2), 3) for y in output),
    "remainders": lambda output: tuple(y % 3 for y in output),
    "the sum": lambda output: sum(output),
    "one bit": lambda output: output[0] > 0,
    "a constant": lambda output: 0,
}


@ENTRIES
@pytest.mark.parametrize("name", MAPS)
@pytest.mark.theorem("A Prop 3.1", "D Thm 1.4")
def test_no_function_of_the_output_tells_the_neighbors_apart_by_more(entry, name):
    claim = entry.mechanism.guarantee(entry.sensitivity)
    reach = int(20 * entry.mechanism.scale)
    outputs = list(itertools.product(range(-reach, reach + 1), repeat=len(entry.neighbors[0])))
    laws = []
    for answer in entry.neighbors:
        image = collections.defaultdict(float)
        for output, mass in zip(outputs, output_law(entry.mechanism, answer, reach), strict=True):
            image[MAPS[name](output)] += float(mass)
        laws.append(image)
    for p, q in (laws, laws[::-1]):
        for epsilon in GRID[::10]:
            told = sum(max(0.0, p[y] - math.exp(epsilon) * q[y]) for y in p)
            assert told <= claim.delta(epsilon) + 1e-7  # what lies beyond the reach has less mass than that


@ENTRIES
def test_five_percent_less_noise_is_rejected(entry):
    claim = entry.mechanism.guarantee(entry.sensitivity)
    assert violates(replace(entry.mechanism, scale=entry.mechanism.scale * Fraction(19, 20)), entry, claim)


@pytest.mark.parametrize("entry", [entry for entry in CATALOG if entry.tight], ids=lambda entry: entry.label)
def test_a_tight_claim_is_attained_at_every_epsilon(entry):
    claim = entry.mechanism.guarantee(entry.sensitivity)
    divergence = profile(entry.mechanism, *entry.neighbors)
    assert all(abs(float(divergence(epsilon)) - claim.delta(epsilon)) <= 1e-9 for epsilon in GRID)


@ENTRIES
def test_the_entry_is_a_pair_of_neighbors_at_the_stated_distance(entry):
    distance = sum(abs(a - b) for a, b in zip(*entry.neighbors, strict=True))
    assert distance == entry.sensitivity.l1


@ENTRIES
def test_the_law_that_the_code_states_is_the_definition(entry):
    with mpmath.workdps(40):
        for step in range(-30, 31):
            expected = float(mpmath.log(MASS[entry.mechanism.name](entry.mechanism, step)))
            assert entry.mechanism.noise.log_mass(step) == pytest.approx(expected, rel=1e-14)


@ENTRIES
@pytest.mark.parametrize("times", [0, 1, 2, 7])
def test_repeat_equals_composition(entry, times):
    once = entry.mechanism.guarantee(entry.sensitivity)
    free = entry.mechanism.guarantee(Sensitivity(0, entry.sensitivity.metric))
    assert once.repeat(times) == free.compose(*[once] * times)


@ENTRIES
def test_zero_sensitivity_costs_nothing_and_cost_grows_with_sensitivity(entry):
    metric = entry.sensitivity.metric
    costs = [entry.mechanism.guarantee(Sensitivity(value, metric)).epsilon(0) for value in (0, 0.5, 1, 2, 10)]
    assert costs[0] == 0
    assert costs == sorted(costs)


@ENTRIES
@pytest.mark.parametrize("beta", [0.2, 0.05, 1e-3, 1e-9])
@pytest.mark.parametrize("dimension", [1, 3, 1000])
@pytest.mark.theorem("D Def 2.1", "D Thm 2.7")
def test_accuracy_covers_and_one_step_less_does_not(entry, beta, dimension):
    radius = entry.mechanism.accuracy(beta, dimension)
    with mpmath.workdps(60):
        alpha = mpmath.exp(mpmath.mpf(entry.mechanism.scale.denominator) / entry.mechanism.scale.numerator)

        def misses(reach):
            tail = 2 * alpha ** (-reach) / (alpha + 1) if reach >= 0 else mpmath.mpf(1)
            return 1 - (1 - tail) ** dimension

        assert misses(int(radius)) <= mpmath.mpf(str(beta))
        assert misses(int(radius) - 1) > mpmath.mpf(str(beta))


@ENTRIES
def test_released_answers_err_by_more_than_the_accuracy_as_often_as_said(entry):
    # false alarm: a binomial count of 20000 is 6.5 standard deviations off with probability < 1e-9
    draws, radius = 20_000, entry.mechanism.accuracy(0.1)
    answer = np.full(draws, 5, np.int64)
    p = entry.mechanism.noise.tail(radius)

    def fits(mechanism):
        misses = np.count_nonzero(np.abs(mechanism.release(answer, Bits()) - answer) > float(radius))
        return abs(misses - draws * p) <= 6.5 * math.sqrt(draws * p * (1 - p))

    assert p <= 0.1
    assert fits(entry.mechanism)
    for factor in (Fraction(3, 4), Fraction(5, 4)):
        assert not fits(replace(entry.mechanism, scale=entry.mechanism.scale * factor))


@ENTRIES
def test_a_stored_mechanism_is_the_same_mechanism(entry):
    assert mechanism_of(entry.mechanism.facts()) == entry.mechanism


@ENTRIES
@pytest.mark.parametrize("answer", [[0.5], [math.nan], [[1, 2]], ["a"], np.array([1], np.uint64)])
def test_an_answer_that_is_no_integer_vector_is_refused_without_being_named(entry, answer):
    with pytest.raises(ValueError, match="vector of int64") as refusal:
        entry.mechanism.release(answer, Bits())
    assert "nan" not in str(refusal.value)
    assert "0.5" not in str(refusal.value)


def test_a_mechanism_that_understates_its_noise_is_caught_by_this_suite():
    entry = next(entry for entry in CATALOG if entry.tight)
    half = Geometric(entry.mechanism.scale).guarantee(Sensitivity(Fraction(1, 2), Metric.L1))
    assert violates(entry.mechanism, entry, half)
