import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator import Measured, Outcome
from dalenius.errors import InvalidParameter
from dalenius.mechanisms import Geometric
from dalenius.noise import Bits
from dalenius.noise.lattice import INTEGERS
from dalenius.queries import Keys
from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.pricing.choose_bounds import (
    Histogram,
    contributions_for,
    contributions_within,
    groups_for,
    together,
    trials_around,
)
from dalenius.sql.pricing.rows_per_unit import OCTAVES

COLUMNS = {"who": "BIGINT", "k": "VARCHAR", "x": "DOUBLE", "city": "VARCHAR"}
POLICY = Policy.declare("t", COLUMNS, unit="who", contributions=1, keys={"k": ["a", "b"]}, bounds={"x": (0, 10)})
COUNT = compile_query("SELECT COUNT(*) FROM t", POLICY)
CELLS = compile_query("SELECT k, COUNT(*), SUM(x) FROM t GROUP BY k", POLICY)
NAMED = compile_query("SELECT city, COUNT(*) FROM t GROUP BY city", POLICY, KeySearch())


def released(counts, scale=Fraction(1, 100)):
    counts = [*counts, *[0] * (OCTAVES + 2 - len(counts))]
    column = Measured("units", tuple(counts), INTEGERS, Geometric(scale))
    return Outcome((column,), Keys("most", [2**k for k in range(len(counts))]))


def bins_of(sizes):
    places = np.ceil(np.log2(sizes)).astype(int)
    return np.bincount(np.minimum(places, OCTAVES + 1), minlength=OCTAVES + 2).tolist()


def noisy(counts, epsilon):
    mechanism = Geometric(1 / Fraction(epsilon))
    cells = mechanism.release(np.array(counts, np.int64), Bits()).tolist()
    return Outcome((Measured("units", tuple(cells), INTEGERS, mechanism),), released([]).keys)


def test_noise_and_what_is_cut_off_are_weighed():
    assert contributions_for(released([100]), COUNT, Fraction(1)) == 1
    assert contributions_for(released([100, 0, 0, 100]), COUNT, Fraction(1)) == 8
    assert contributions_for(released([100, 0, 0, 100]), COUNT, Fraction(1, 1000)) == 1
    assert contributions_for(released([0] * 17 + [100]), COUNT, Fraction(1)) == 2**OCTAVES  # the last bin has no end


def test_a_trial_is_the_noise_of_a_cell_and_the_rows_that_are_cut_off_it():
    """300 people of six rows in two cells: T = 4 loses 600 rows, T = 1 loses 1500; noise has scale 5·T at ε = 1/5."""
    trials = trials_around(released([1000, 0, 0, 300]), CELLS, Fraction(1, 5), 4)
    assert [(trial.most, trial.noise, trial.cut_off) for trial in trials] == [
        (1, 5, 750),
        (2, 10, 600),
        (4, 20, 300),
        (8, 40, 0),
        (16, 80, 0),
    ]
    assert min(trials, key=lambda trial: trial.total).most == 8
    assert contributions_for(released([1000, 0, 0, 300]), CELLS, Fraction(1, 5)) == 8
    below = trials_around(released([1000, 0, 0, 300]), CELLS, Fraction(1, 5), 4, ceiling=10)
    assert [trial.most for trial in below] == [1, 2, 4, 8]


def test_every_cell_and_question_has_noise_of_its_own():
    """300 people of six rows: T = 4 loses 600 rows, T = 1 loses 1500; the noise of two cells is twice that of one."""
    counts = released([1000, 0, 0, 300])
    assert contributions_for(counts, COUNT, Fraction(1, 250)) == 4
    assert contributions_for(counts, CELLS, Fraction(1, 250)) == 1
    assert contributions_for(counts, CELLS, Fraction(2, 250)) == 4


def test_for_an_error_the_least_number_of_rows_is_taken_that_biases_no_more():
    counts = released([100, 0, 100])  # 100 people of three rows
    assert contributions_within(counts, COUNT, Fraction(100)) == 2
    assert contributions_within(counts, COUNT, Fraction(99)) == 4
    assert contributions_within(counts, COUNT, Fraction(200)) == 1
    assert contributions_within(released([0] * 17 + [100]), COUNT, Fraction(1)) == 2**OCTAVES


def test_groups_weigh_what_a_key_needs_against_what_is_lost():
    many = released([0, 0, 10**6])
    assert groups_for(many, NAMED, Fraction(1), Fraction(1, 10**6)) == 4
    assert groups_for(released([0, 0, 40]), NAMED, Fraction(1), Fraction(1, 10**6)) == 1
    assert groups_for(released([0, 0, 0]), NAMED, Fraction(1), Fraction(1, 10**6)) == 1


def test_few_people_who_own_much_are_seen_together():
    """No bin alone, and no two, have more than noise of scale 10 would give them; all three together have."""
    alone, together_ = released([1000, 0, 0, 0, 80], 10), released([1000, 0, 0, 48, 48, 48], 10)
    assert Histogram.of(alone).units[4] == 0
    found = Histogram.of(together_)
    assert (found.units[3], found.units[4], found.unsure) == (144, 0, True)
    assert found.cut_off(4).at_least
    assert Histogram.of(released([1000, 0, 0, 0, 200], 10)).unsure is False


def test_how_many_may_hide_is_told():
    found = Histogram.of(released([1000, 500], 10))
    assert 0 < found.unseen < 10 * 20 * math.log(20)
    cut = found.cut_off(1)
    assert (cut.unseen, cut.beyond) == (found.unseen, 2)


@pytest.mark.parametrize("most", [1, 2, 3, 4, 7, 8, 100])
def test_the_share_lies_between_its_ends_whatever_the_rows_are(most):
    """Random people in the bins, 60 times; T need not be a power of two."""
    random = np.random.default_rng(3)
    for _ in range(60):
        sizes = random.integers(1, 2 ** random.integers(1, 7), size=random.integers(1, 30))
        truth = np.maximum(sizes - most, 0).sum() / sizes.sum()
        cut = Histogram.of(released(bins_of(sizes))).cut_off(most)
        assert cut.low <= truth <= cut.high
        assert cut.low <= cut.share <= cut.high


def test_the_share_at_the_open_end_is_at_least():
    sizes = np.array([1] * 50 + [10**6] * 50)
    cut = Histogram.of(released(bins_of(sizes))).cut_off(4)
    truth = (sizes - np.minimum(sizes, 4)).sum() / sizes.sum()
    assert cut.low <= truth
    assert (cut.high, cut.at_least) == (1.0, True)


@pytest.mark.parametrize("shape", ["lognormal", "pareto", "geometric"])
def test_on_skewed_data_the_estimate_is_within_a_factor_of_one_and_a_half(shape):
    """Of what is cut off 200,000 people, by a histogram of ε = 0.1, at the T's below which a tenth or more is lost."""
    random = np.random.default_rng(7)
    sizes = (
        {
            "lognormal": random.lognormal(1.5, 1.2, 200_000),
            "pareto": random.pareto(2, 200_000) * 6,
            "geometric": random.geometric(0.05, 200_000),
        }[shape]
        .astype(int)
        .clip(1, 5000)
    )
    found, tried = Histogram.of(noisy(bins_of(sizes), 0.1)), 0
    for most in (1, 2, 4, 8, 16, 32):
        truth = np.maximum(sizes - most, 0).sum() / sizes.sum()
        if truth >= 0.1:
            tried += 1
            assert truth / 1.5 < found.cut_off(most).share < truth * 1.5
    assert tried >= 3


def test_an_estimate_that_takes_every_person_to_own_the_bins_end_is_off_by_more():
    """The mutant of the factor above."""
    sizes = np.random.default_rng(7).lognormal(1.5, 1.2, 200_000).astype(int).clip(1, 5000)
    found = Histogram.of(noisy(bins_of(sizes), 0.1))
    truth = np.maximum(sizes - 32, 0).sum() / sizes.sum()
    ends = np.array(found.ends)
    wrong = (np.array(found.units) * np.maximum(2 * ends - 32, 0)).sum() / (np.array(found.units) * ends).sum()
    assert not truth / 1.5 < wrong < truth * 1.5


def test_noise_alone_is_taken_for_nobody():
    """Of 300 empty tables no more than 1 % each shows anyone: 30 or more have chance below 1e-9."""
    seen = [Histogram.of(noisy([0] * (OCTAVES + 2), 0.1)).total > 0 for _ in range(300)]
    assert sum(seen) < 30
    assert Histogram.of(released([])).cut_off(1) is None


def test_what_groups_leave_is_weighed_again():
    rows, groups = (Histogram.of(released(counts)).cut_off(1) for counts in ([10, 0, 10], [10, 10]))
    both = together(rows, groups, sifted=False)
    assert both.share == pytest.approx(1 - (1 - rows.share) * (1 - groups.share))
    assert (both.low, together(rows, None, sifted=True).low) == (rows.low, 0)
    assert together(None, groups, sifted=False) is None


def test_only_a_histogram_tells():
    with pytest.raises(InvalidParameter, match="histogram"):
        Histogram.of(Outcome(released([1]).columns))
