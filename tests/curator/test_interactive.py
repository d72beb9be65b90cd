import copy
import os
import pickle
from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator import Curator, Interactive
from dalenius.errors import (
    BudgetExceeded,
    ExecutionFailed,
    InvalidParameter,
    MixedRelations,
    StaleState,
    UnboundedQuery,
    UnprovenClaim,
)
from dalenius.ledger import Ledger
from dalenius.mechanisms import Geometric, MonotoneSparseVector, SparseVector
from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.noise.lattice import INTEGERS
from dalenius.queries import Count, Keys, Sum

ROW = Unit.row()
UNIT_STEP = Sensitivity(1, Metric.LINF)
SHARP = SparseVector(Fraction(1, 50), Fraction(1, 50), 2)
"""ε = 50 + 200: its noise stays 0 but with probability < 1e-20."""


class Watched:
    """A sum that tells when data is read."""

    keys = None
    columns = ("value",)
    lattice = INTEGERS

    def __init__(self, moves, fails=False):
        self.moves, self.fails, self.reads = moves, fails, 0

    def evaluate(self, view):
        self.reads += 1
        if self.fails:
            raise ValueError("row 0 holds 42")
        return np.array([len(view)], np.int64)

    def sensitivity(self, _):
        return Sensitivity(self.moves, Metric.L1)

    def facts(self):
        return {"query": "watched"}


@pytest.fixture
def curator(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1000, unit="row")
    return Curator({"x": [1, 2, 3]}, unit="row", ledger=ledger, dataset="people")


@pytest.fixture
def run(curator):
    return curator.open(Interactive(SHARP, UNIT_STEP, ROW))


def test_the_whole_life_is_charged_once_before_the_first_question(curator, run):
    assert curator.budget.epsilon == 1000 - 250
    assert [run.ask(Count(), threshold) for threshold in (10, 9, 3, 8, 2)] == [False, False, True, False, True]
    assert curator.budget.epsilon == 750
    assert len(curator.ledger.entries("people")) == 1
    curator.open(Interactive(SHARP, UNIT_STEP, ROW))
    assert curator.budget.epsilon == 500


def test_too_dear_a_life_is_never_opened(curator):
    with pytest.raises(BudgetExceeded):
        curator.open(Interactive(SHARP, Sensitivity(5, Metric.LINF), ROW))
    assert curator.ledger.entries("people") == []


def test_after_the_last_above_nothing_is_read(run):
    assert run.ask(Count(), 1)
    assert run.ask(Count(), 1)
    watched = Watched(1)
    with pytest.raises(BudgetExceeded):
        run.ask(watched)
    assert watched.reads == 0


def test_a_question_that_moves_too_far_is_refused_before_data_is_read(run):
    watched = Watched(2)
    with pytest.raises(UnboundedQuery, match="by up to 2 steps"):
        run.ask(watched)
    assert (watched.reads, run.number) == (0, 0)
    with pytest.raises(UnboundedQuery):
        run.ask(Sum("x", (0, 2)))
    assert run.ask(Sum("x", (0, 1)), 3)


def test_a_retry_gets_the_same_answer_and_another_question_none(curator):
    noisy = SparseVector(Fraction(10**6), Fraction(10**6), 1000)
    run = curator.open(Interactive(noisy, UNIT_STEP, ROW))
    watched = Watched(1)
    first = run.ask(watched, number=0)
    assert all(run.ask(watched, number=0) is first for _ in range(60))
    assert (watched.reads, run.number) == (1, 1)
    for query, threshold in ((Count(), 0), (watched, 1)):
        with pytest.raises(StaleState, match="step 0 was taken already"):
            run.ask(query, threshold, number=0)
    for number in (-1, 2):
        with pytest.raises(StaleState, match="stands at 1"):
            run.ask(watched, number=number)
    assert (watched.reads, run.number) == (1, 1)


def test_a_failure_says_nothing_and_ends_the_run(run):
    with pytest.raises(ExecutionFailed) as failure:
        run.ask(Watched(1, fails=True))
    assert "42" not in str(failure.value)
    assert failure.value.__context__ is None
    with pytest.raises(StaleState, match="closed"):
        run.ask(Count())


def test_a_closed_run_is_stored_and_answers_only_what_it_has_answered(curator, run):
    assert not run.ask(Count(), 9)
    run.close()
    run.close()
    (step,) = curator.ledger.release_of(run.receipt)["interactive"]
    assert (step["threshold"], step["above"]) == (9, False)
    assert run.ask(Count(), 9, number=0) is False
    with pytest.raises(StaleState, match="closed"):
        run.ask(Count(), 9)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_there_is_no_second_holder(run, duplicate):
    with pytest.raises(StaleState):
        duplicate(run)


def test_another_process_is_refused(run, monkeypatch):
    here = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: here + 1)
    with pytest.raises(StaleState, match="process"):
        run.ask(Count())
    with pytest.raises(StaleState, match="process"):
        run.close()


def test_only_answers_that_rise_go_with_half_the_noise(curator):
    monotone = MonotoneSparseVector(Fraction(1, 50), Fraction(1, 50), 2)
    run = curator.open(Interactive(monotone, UNIT_STEP, ROW))
    assert curator.budget.epsilon == 1000 - 150
    assert run.ask(Count(), 2)
    assert run.ask(Sum("x", (0, 1)), 2)
    run = curator.open(Interactive(monotone, UNIT_STEP, ROW))
    for query in (Sum("x", (-1, 1)), Sum("x", (-1, 0)), Watched(1)):
        with pytest.raises(UnprovenClaim):
            run.ask(query)


def test_bad_input_is_refused_by_name(curator, run):
    with pytest.raises(InvalidParameter, match="each key"):
        run.ask(Count(Keys("x", [1])))
    for threshold in (0.5, True):
        with pytest.raises(InvalidParameter, match="threshold"):
            run.ask(Count(), threshold)
    with pytest.raises(InvalidParameter, match="number"):
        run.ask(Count(), number="0")
    with pytest.raises(UnprovenClaim):
        Interactive(Geometric(Fraction(1)), UNIT_STEP, ROW)
    with pytest.raises(MixedRelations):
        curator.open(Interactive(SHARP, UNIT_STEP, Unit.row(Relation.CHANGE_ONE)))
    assert len(curator.ledger.entries("people")) == 1


def test_a_second_run_of_the_same_plan_is_charged_again_though_the_first_is_stored(curator, run):
    run.ask(Count(), 0)
    run.close()
    again = curator.open(run._plan)
    assert again.receipt.head != run.receipt.head
    assert again.receipt.release is None
    assert len(curator.ledger.entries("people")) == 2


def test_neither_data_nor_noise_is_shown(run):
    assert repr(run).endswith("number=0, left=2)")


def test_the_fingerprint_follows_mechanism_sensitivity_and_unit():
    plans = [
        Interactive(SHARP, UNIT_STEP, ROW),
        Interactive(SHARP, Sensitivity(2, Metric.LINF), ROW),
        Interactive(SHARP, UNIT_STEP, Unit.row(Relation.CHANGE_ONE)),
        Interactive(SparseVector(Fraction(1), Fraction(1), 2), UNIT_STEP, ROW),
    ]
    assert len({plan.fingerprint for plan in plans}) == 4
    assert Interactive(SHARP, Sensitivity(1, Metric.L1), ROW) == plans[0]


def test_an_interactive_plan_is_opened_and_not_released(curator):
    left = curator.budget
    with pytest.raises(InvalidParameter, match=r"curator\.open"):
        curator.release(Interactive(SHARP, UNIT_STEP, ROW))
    assert curator.budget == left
