import copy
import math
import pickle
import threading
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import BudgetExceeded, InvalidParameter, MixedMetrics, MixedRelations, StaleState, UnprovenClaim
from dalenius.guarantees import GDP, PureDP
from dalenius.mechanisms.sparse_vector import MonotoneSparseVector, SparseRun, SparseState, SparseVector
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits
from tests.contracts.selection_laws import sparse_vector
from tests.mechanisms.test_selection import NoBits
from tests.noise.fit import FALSE_ALARM, chi_square
from tests.noise.seeded import SeededBits

ONE = Sensitivity(1, Metric.LINF)
CERTAIN = SparseVector(Fraction(1, 1000), Fraction(1, 1000), 2)


@pytest.mark.parametrize("cutoff", [1, 2])
def test_the_law_that_is_sampled_is_the_law_that_is_claimed(cutoff):
    answers, draws, scales = (0, 2, -1), 12_000, (Fraction(2), Fraction(3))
    mechanism = SparseVector(*scales, cutoff)
    counts = Counter(tuple(mechanism.release(answers, Bits())) for _ in range(draws))
    for factor, fits in ((Fraction(1), True), (Fraction(1, 2), False), (Fraction(2), False)):
        law = sparse_vector(answers, *(scale * factor for scale in scales), cutoff)
        assert set(counts) <= set(law)
        seen = np.array([counts[key] for key in law], float)
        assert (chi_square(seen, np.array([float(p) for p in law.values()])) > FALSE_ALARM) is fits


def test_each_scale_alone_is_told_apart_when_it_is_off_by_a_quarter():
    answers, draws = (4, -4, 6, -6), 16_000
    counts = Counter(tuple(SparseVector(Fraction(3), Fraction(3), 4).release(answers, Bits())) for _ in range(draws))
    for scales, fits in (
        ((3, 3), True),
        (("9/4", 3), False),
        (("15/4", 3), False),
        ((3, "9/4"), False),
        ((3, "15/4"), False),
    ):
        law = sparse_vector(answers, *map(Fraction, scales), 4)
        seen = np.array([counts[key] for key in law], float)
        assert (chi_square(seen, np.array([float(p) for p in law.values()])) > FALSE_ALARM) is fits


def test_cost_counts_the_threshold_once_and_each_above_twice_its_sensitivity():
    assert SparseVector(Fraction(2), Fraction(4), 1).guarantee(ONE) == PureDP(1)
    assert SparseVector(Fraction(2), Fraction(12), 3).guarantee(ONE) == PureDP(1)
    assert SparseVector(Fraction(2), Fraction(4), 1).guarantee(ONE, Relation.CHANGE_ONE).relation is Relation.CHANGE_ONE
    assert MonotoneSparseVector(Fraction(2), Fraction(2), 1).guarantee(ONE) == PureDP(1)
    with pytest.raises(MixedRelations):
        MonotoneSparseVector(Fraction(2), Fraction(2), 1).guarantee(ONE, Relation.CHANGE_ONE)


@pytest.mark.parametrize("kind", [SparseVector, MonotoneSparseVector])
def test_calibration_meets_the_target_exactly(kind):
    sensitivity = Sensitivity(3, Metric.LINF)
    mechanism = kind.least(sensitivity, PureDP(Fraction(1, 2)))
    assert mechanism.guarantee(sensitivity).budget == Fraction(1, 2)
    assert kind.from_facts(mechanism.facts()) == mechanism
    assert mechanism.scaled(2).guarantee(sensitivity).budget == Fraction(1, 4)
    with pytest.raises(UnprovenClaim):
        kind.least(ONE, GDP(1))
    with pytest.raises(InvalidParameter, match="no noise"):
        kind.least(Sensitivity(0, Metric.LINF), PureDP(1))
    with pytest.raises(MixedMetrics):
        mechanism.guarantee(Sensitivity(1, Metric.L1))


def test_a_step_is_a_function_of_state_answer_and_bits():
    mechanism = SparseVector(Fraction(5), Fraction(5), 3)
    state = mechanism.start(SeededBits(1))
    assert mechanism.step(state, 2, SeededBits(2)) == mechanism.step(state, 2, SeededBits(2))
    after, _ = mechanism.step(state, 2, SeededBits(2))
    assert (after.number, after.threshold_noise) == (1, state.threshold_noise)


def test_the_run_ends_after_the_last_above_that_was_paid_for():
    assert CERTAIN.release([-50, 50, -50, 50, 50], Bits()) == [False, True, False, True]
    state = SparseState(7, 0, 0)
    with pytest.raises(BudgetExceeded, match="2 times"):
        CERTAIN.step(state, 1, NoBits())


def test_an_old_state_stepped_again_is_refused():
    run = SparseRun(CERTAIN, Bits())
    assert run.step(0, 50) is True
    for number in (0, 2, -1):
        with pytest.raises(StaleState):
            run.step(number, 50)
    assert (run.number, run.left) == (1, 1)
    assert run.step(1, -50) is False
    assert run.step(2, 50) is True
    with pytest.raises(BudgetExceeded):
        run.step(3, 50)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_run_cannot_be_copied(duplicate):
    with pytest.raises(StaleState, match="copied"):
        duplicate(SparseRun(CERTAIN, Bits()))


def test_of_threads_that_take_the_same_step_one_succeeds():
    run, outcomes = SparseRun(SparseVector(Fraction(1), Fraction(1), 100), Bits()), []

    def take():
        try:
            outcomes.append(run.step(0, 0))
        except StaleState:
            outcomes.append(None)

    threads = [threading.Thread(target=take) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(outcome is not None for outcome in outcomes) == 1
    assert run.number == 1


def test_a_refused_answer_takes_no_step():
    run = SparseRun(CERTAIN, Bits())
    with pytest.raises(InvalidParameter):
        run.step(0, 0.5)
    assert run.number == 0


def test_the_secret_noise_is_not_printed():
    run = SparseRun(SparseVector(Fraction(10**6), Fraction(1), 1), SeededBits(3))
    secret = str(run._state.threshold_noise)
    assert secret not in repr(run)
    assert secret not in repr(run._state)


@pytest.mark.parametrize("answer", [0.5, math.nan, "a", None, True, [1]])
def test_an_answer_that_is_no_whole_number_is_refused_before_any_draw(answer):
    with pytest.raises(InvalidParameter, match="whole number"):
        CERTAIN.step(SparseState(0, 1, 0), answer, NoBits())


@pytest.mark.parametrize("kind", [SparseVector, MonotoneSparseVector])
@pytest.mark.parametrize(
    "parameters",
    [(0, 1, 1), (1, 0, 1), (-1, 1, 1), (1, math.nan, 1), (1, 1, 0), (1, 1, True), (1, 1, 1.5), (2**60, 1, 1)],
)
def test_bad_parameters_are_refused(kind, parameters):
    with pytest.raises(InvalidParameter):
        kind(*parameters)


def test_answers_of_any_size_need_no_care():
    assert CERTAIN.release([10**400, -(10**400)], Bits()) == [True, False]
