from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator import Curator, Facts, Measured, Outcome, Then
from dalenius.errors import InvalidParameter
from dalenius.ledger import Ledger
from dalenius.mechanisms import Geometric
from dalenius.noise import Bits
from dalenius.noise.lattice import INTEGERS
from dalenius.queries import Table
from dalenius.statistics import PrivateBounds, mean
from dalenius.statistics import sum as private_sum
from dalenius.statistics.private_bounds import NOTHING_FOUND, bounds_histogram, choose_bounds

SEARCH = PrivateBounds(least=0, most=4)  # −16, −8, −4, −2, −1, 1, 2, 4, 8, 16


def released(counts, scale=1):
    return Outcome((Measured("rows", tuple(counts), INTEGERS, Geometric(scale)),))


def test_the_least_interval_that_holds_every_bin_out_of_the_noise_is_chosen():
    assert choose_bounds(released([0, 0, 0, 0, 0, 99, 0, 0, 0]), SEARCH) == (1, 2)
    assert choose_bounds(released([0, 0, 0, 0, 0, 99, 3, 99, 2]), SEARCH) == (1, 8)
    assert choose_bounds(released([0, 99, 0, 0, 99, 0, 0, 0, 0]), SEARCH) == (-8, 1)
    assert choose_bounds(released([99] * 9), SEARCH) == (-16, 16)
    assert choose_bounds(released([0] * 9), SEARCH) == NOTHING_FOUND == (-1, 1)
    assert choose_bounds(released([0, 0, 0, 0, 0, 99, 0, 0, 0], 50), SEARCH) == NOTHING_FOUND


def test_a_histogram_of_another_search_is_refused():
    with pytest.raises(InvalidParameter, match="same search"):
        choose_bounds(released([0] * 8), SEARCH)


def test_noise_makes_an_empty_bin_look_taken_once_in_a_thousand():
    """100 000 empty histograms: more than 165 are six standard deviations from 100 (chance below 1e-9)."""
    plan = bounds_histogram("x", epsilon=Fraction(1, 5), facts=Facts(), search=SEARCH)
    radius = plan.mechanism.accuracy(Fraction(1, 1000), 9)
    draws = plan.mechanism.release(np.zeros(900_000, np.int64), Bits()).reshape(-1, 9)
    # only upward noise is mistaken for rows: half of what the radius allows
    assert np.count_nonzero((draws > float(radius)).any(axis=1)) <= 165


def test_bounds_are_found_and_told(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    data = np.random.default_rng(1).normal(100, 5, 20_000)
    curator = Curator({"x": data}, unit="row", ledger=ledger, dataset="people")
    release = curator.release(mean("x", "private", epsilon=1))
    low, high = release.notes["bounds"]["x"]
    assert low <= 64  # the bin of 20 000 rows is always seen; a wider one is found once in a thousand
    assert high >= 128
    least, most = release.interval(1 - Fraction(1, 10**9))
    assert least <= data.mean() <= most
    assert curator.budget.epsilon == 0


def test_the_share_is_stated_and_the_rest_is_for_the_statistic():
    plan = mean("x", PrivateBounds(share=Fraction(1, 4)), epsilon=2)
    assert isinstance(plan, Then)
    assert plan.first.guarantee.sum_form[0] == Fraction(1, 2)
    assert plan.price.sum_form[0] == Fraction(3, 2)
    assert plan.guarantee.sum_form[0] == 2
    assert mean("x", "private", epsilon=1).first.guarantee.sum_form[0] == Fraction(1, 5)
    assert mean("x", "private", epsilon=1).fingerprint != private_sum("x", "private", epsilon=1).fingerprint


def test_nothing_found_is_an_answer_too():
    outcome = mean("x", "private", epsilon=0.01).run(Table.of({"x": [float("nan")]}), Bits())
    assert -(2**40) <= outcome.column(outcome.numbers[0])[0] <= 2**40


@pytest.mark.parametrize("wrong", [{"share": 1}, {"share": 0}, {"least": 3, "most": 3}, {"most": 401}, {"least": 0.5}])
def test_a_search_without_a_sense_is_refused(wrong):
    with pytest.raises(InvalidParameter):
        PrivateBounds(**wrong)


def test_noise_that_cannot_be_drawn_is_refused_before_the_charge():
    with pytest.raises(InvalidParameter):
        private_sum("x", "private", epsilon=1e-12)
