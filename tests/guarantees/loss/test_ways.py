"""Every way to evaluate δ gives bounds that hold the same truth."""

import math
import warnings
from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.saddle import saddle_for_epsilon
from dalenius.guarantees.loss.ways import _one_jump_or_none as last_resort
from dalenius.guarantees.loss.ways import certified_line, on_line, ways_to_delta, ways_to_epsilon
from tests.guarantees.loss import loss_truth as truth


def composition(rate, sigma, steps):
    return LossComposition.of([(pairs.gaussian(1 / Fraction(sigma) ** 2).sampled(Fraction(rate)), steps)])


@pytest.mark.parametrize(("rate", "sigma", "steps"), [("0.1", "1", 1), ("0.1", "1", 2), ("0.9", "3", 2)])
def test_all_ways_hold_the_truth(rate, sigma, steps):
    exact = truth.one_sampled_step if steps == 1 else truth.two_sampled_steps
    with mp.workdps(25):
        expected = exact(truth.number(rate), 1 / truth.number(sigma), mp.mpf("0.3"), True)
    tried = 0
    for way in ways_to_delta(composition(rate, sigma, steps), 0.3, 1e-6):
        low, high = way.evaluate(0.3)
        assert low + way.infinite[0] <= expected * (1 + mp.mpf("1e-12"))
        assert expected * (1 - mp.mpf("1e-12")) <= high + way.infinite[1]
        tried += 1
    assert tried >= 2


def test_one_step_begins_with_its_closed_form():
    first = next(ways_to_delta(composition("0.0001", "1.5", 1), 0.5, 1e-6))
    low, high = first.evaluate(0.5)
    assert 0 < low <= high <= low * (1 + 1e-9)


def test_a_way_to_epsilon_begins_near_it():
    low, high = 0.95, 1.05
    way = next(ways_to_epsilon(composition("0.001", "1", 1000), 2.540930394e-13, 1e-6, []))
    assert low < way.start.epsilon < high


@pytest.mark.parametrize("epsilon", [math.inf, -math.inf, math.nan])
def test_a_search_that_left_the_floats_proves_nothing_and_warns_of_nothing(epsilon):
    whole = composition("0.01", "1", 300)
    line = on_line(certified_line(whole, saddle_for_epsilon(whole, 0.3), 1e-6))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert line(epsilon) == (0.0, 1.0)


def test_where_no_line_and_no_grid_will_do_jumps_and_chernoff_still_enclose_the_truth():
    """Two steps whose truth is an integral of a closed form; of all ways the last resort alone is asked."""
    rate, sigma, epsilon = "0.0001", "1", 0.02
    with mp.workdps(25):
        expected = truth.two_sampled_steps(truth.number(rate), 1 / truth.number(sigma), mp.mpf(epsilon), True)
    (way,) = last_resort(composition(rate, sigma, 2), epsilon)
    low, high = way.evaluate(epsilon)
    assert low <= expected <= high
    assert 0.5 * high < low
    assert way.evaluate(math.inf) == (0.0, 1.0)
