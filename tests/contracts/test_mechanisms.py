"""Every promise of a mechanism, over the whole catalog."""

import collections
import functools
import itertools
import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dalenius.mechanisms import CATALOG, AdditiveMechanism, mechanism_of
from dalenius.neighbors import Sensitivity
from dalenius.noise import Bits, Lattice
from dalenius.noise.inverted import InvertedLaw
from dalenius.numerics import precision
from tests.contracts.definitions import outside
from tests.contracts.hockey_stick import both_directions, violates

ADDITIVE = [entry for entry in CATALOG if isinstance(entry.mechanism, AdditiveMechanism)]
ENUMERATED = [entry for entry in CATALOG if entry.outcomes is not None]
WHOLE = [entry for entry in ADDITIVE if entry.mechanism.lattice.step == 1]
GRID = [Fraction(k, 20) for k in range(61)]


def over(entries):
    return pytest.mark.parametrize("entry", entries, ids=lambda entry: entry.label)


@functools.lru_cache(maxsize=2)
def sticks(entry, factor):
    """The hockey sticks of the mechanism with `factor` times its noise, on the entry's neighbors."""
    mechanism = entry.mechanism if factor == 1 else entry.mechanism.scaled(factor)
    return both_directions(entry.outcomes(mechanism, *entry.neighbors))


def claim_of(entry):
    return entry.mechanism.guarantee(entry.sensitivity, entry.relation)


def grid_of(claim):
    """The grid, and the largest loss claimed, where nothing may be left."""
    form = claim.sum_form
    return GRID if form is None else [*GRID, form[0]]


@over(ENUMERATED)
@pytest.mark.theorem("A Thm 3.2", "A Thm 13.1", "D Thm 2.5", "D Thm 2.8", "L §4 proof", "G Laplace privacy theorem")
def test_no_event_tells_the_neighbors_apart_by_more_than_the_guarantee(entry):
    claim = claim_of(entry)
    assert not violates(sticks(entry, 1), claim, grid_of(claim))


@over([entry for entry in ENUMERATED if entry.tight])
def test_a_tight_claim_is_attained_at_every_epsilon(entry):
    claim, (stick, _) = claim_of(entry), sticks(entry, 1)
    assert all(claim.delta(epsilon) - stick(epsilon)[0] <= 1e-9 for epsilon in GRID)


@over(ENUMERATED)
def test_five_percent_less_noise_is_rejected(entry):
    # where the claim is loose, 5 % less than the noise that would just meet it
    claim = claim_of(entry)
    assert violates(sticks(entry, Fraction(19, 20) / entry.factor), claim, grid_of(claim))


@over(ADDITIVE)
def test_the_entry_is_a_pair_of_neighbors_at_the_stated_distance(entry):
    moves = [abs(a - b) * entry.mechanism.lattice.step for a, b in zip(*entry.neighbors, strict=True)]
    distance = {"ℓ1": sum(moves) ** 2, "ℓ2": sum(move**2 for move in moves)}[entry.sensitivity.metric.value]
    assert distance == entry.sensitivity.square


MAPS = {
    "held in a narrow range": lambda output: tuple(min(max(y, -2), 3) for y in output),
    "remainders": lambda output: tuple(y % 3 for y in output),
    "the sum": lambda output: sum(output),
    "one bit": lambda output: output[0] > 0,
    "a constant": lambda output: 0,
}


@over(WHOLE)
@pytest.mark.theorem("A Prop 3.1", "D Thm 1.4")
def test_no_function_of_the_output_tells_the_neighbors_apart_by_more(entry):
    claim, law = claim_of(entry), entry.mechanism.noise
    reach = int(20 * entry.mechanism.scale)
    mass = {k: math.exp(law.log_mass(k)) for k in range(2 * reach + 10)}
    outputs = list(itertools.product(range(-reach, reach + 1), repeat=len(entry.neighbors[0])))
    for image_of in MAPS.values():
        laws = []
        for answer in entry.neighbors:
            image = collections.defaultdict(float)
            for output in outputs:
                image[image_of(output)] += math.prod(mass[abs(y - x)] for x, y in zip(answer, output, strict=True))
            laws.append(image)
        for p, q in (laws, laws[::-1]):
            for epsilon in GRID[::10]:
                told = sum(max(0.0, p[y] - math.exp(epsilon) * q[y]) for y in p)
                assert told <= claim.delta(epsilon) + 1e-7  # what lies beyond the reach has less mass than that


@over(ADDITIVE)
def test_the_law_that_the_code_states_is_the_definition(entry):
    mechanism = entry.mechanism
    unit = 1 if mechanism.lattice.step == 1 else int(1 / mechanism.lattice.step)
    for steps in {k * unit // 8 for k in range(0, 57, 4)} | {0, 1, 2, unit // 2, unit}:
        with precision(192):
            stated = mechanism.noise.outside(steps)
        expected = outside(mechanism, steps)
        assert float(stated.mid()) == pytest.approx(float(expected), rel=1e-13, abs=1e-25)


@over(CATALOG)
@pytest.mark.parametrize("times", [1, 2, 3])
def test_repeat_equals_composition(entry, times):
    once = claim_of(entry)
    together = once.compose(*[once] * (times - 1))
    assert once.repeat(times) == together or all(
        once.repeat(times).delta(epsilon) == together.delta(epsilon) for epsilon in GRID[::20]
    )


@over(CATALOG)
def test_no_release_costs_nothing(entry):
    none = claim_of(entry).repeat(0)
    assert (none.delta(0), none.epsilon(0)) == (0, 0)


@over(CATALOG)
@pytest.mark.theorem("A Rem 3.5")
def test_zero_sensitivity_costs_nothing_and_cost_grows_with_sensitivity(entry):
    metric = entry.sensitivity.metric
    claims = [entry.mechanism.guarantee(Sensitivity(value, metric), entry.relation) for value in (0, 0.5, 1, 2, 10)]
    assert claims[0].delta(0) == 0
    assert claims[0].epsilon(0) == 0
    for epsilon in (0.0, 0.5, 2.0):
        costs = [claim.delta(epsilon) for claim in claims]
        assert costs == sorted(costs)


@over(ADDITIVE)
@pytest.mark.parametrize("beta", [0.2, 1e-3, 1e-9])
@pytest.mark.theorem("D Def 2.1", "D Thm 2.5", "D Thm 2.7", "D Thm 2.8")
def test_accuracy_covers_and_one_step_less_does_not(entry, beta):
    mechanism = entry.mechanism
    for dimension in (1,) if mechanism.name in {"staircase", "tulap", "canonical"} else (1, 1000):
        steps = int(mechanism.accuracy(beta, dimension) / mechanism.lattice.step)
        with mpmath.workdps(60):

            def misses(reach, dimension=dimension):
                return 1 - (1 - outside(mechanism, reach)) ** dimension if reach >= 0 else mpmath.mpf(1)

            assert misses(steps) <= mpmath.mpf(str(beta)) * (1 + mpmath.mpf(10) ** -20)
            assert misses(steps - 1) >= mpmath.mpf(str(beta)) * (1 - mpmath.mpf(10) ** -20)


@over(ADDITIVE)
@pytest.mark.theorem("L §3.1 Laplace mechanism", "G Laplace mechanism")
def test_noise_exceeds_the_accuracy_as_often_as_said(entry):
    # false alarm: a binomial count is 6.5 standard deviations off with probability < 1e-9
    stated = entry.mechanism
    if isinstance(stated.noise, InvertedLaw):  # drawn by a search: few points, each computed once
        stated = replace(stated, lattice=Lattice(-7))
    draws, radius = 24_000, stated.accuracy(0.1)
    p = stated.noise.tail(radius)

    def fits(mechanism):
        noise = np.abs(mechanism.noise.steps(Bits(), draws))
        misses = np.count_nonzero(noise > int(radius / mechanism.lattice.step))
        return abs(misses - draws * p) <= 6.5 * math.sqrt(draws * p * (1 - p))

    assert p <= 0.1
    assert fits(stated)
    for factor in (Fraction(3, 4), Fraction(5, 4)):
        assert not fits(stated.scaled(factor))


@over(ADDITIVE)
def test_release_adds_the_noise_to_the_answer_in_steps(entry):
    mechanism, answer = entry.mechanism, np.array([10**6], np.int64)
    released = mechanism.release(answer, Bits())
    reach = int(mechanism.noise.radius(1e-12) / mechanism.lattice.step)
    assert abs(int(released[0]) - 10**6) <= reach
    center, radius = 7 * mechanism.lattice.step, mechanism.accuracy(0.1)
    assert mechanism.interval(7, 0.9) == (center - radius, center + radius)


@over(ADDITIVE)
def test_a_stored_mechanism_is_the_same_mechanism(entry):
    assert mechanism_of(entry.mechanism.facts()) == entry.mechanism


@over(ADDITIVE)
@pytest.mark.parametrize("answer", [[0.5], [math.nan], [[1, 2]], ["a"], np.array([1], np.uint64)])
def test_an_answer_that_is_no_integer_vector_is_refused_without_being_named(entry, answer):
    with pytest.raises(ValueError, match="vector of int64") as refusal:
        entry.mechanism.release(answer, Bits())
    assert "nan" not in str(refusal.value)
    assert "0.5" not in str(refusal.value)


def test_a_mechanism_that_understates_its_noise_is_caught_by_this_suite():
    for entry in WHOLE:
        if entry.tight:
            half = entry.mechanism.scaled(2).guarantee(entry.sensitivity)
            assert violates(sticks(entry, 1), half, GRID)
