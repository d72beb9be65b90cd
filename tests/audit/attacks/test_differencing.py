import itertools
from fractions import Fraction

import numpy as np
import pytest

from dalenius.audit.attacks import AnswerLog
from dalenius.errors import InvalidParameter, UnknownName


@pytest.mark.theorem("A §1.1 differencing", "D §1.1 sums differencing")
def test_all_but_one_gives_that_one_for_every_bit_pattern():
    people = ["X", "A", "B"]
    for values in itertools.product((0, 1), repeat=3):
        log = AnswerLog(people)
        log.record(people, sum(values))
        log.record(people[1:], sum(values[1:]))
        assert log.exposed() == {"X": values[0]}


@pytest.mark.theorem("S §2.1 income table")
def test_the_totals_of_the_income_table_give_mr_white():
    town = AnswerLog(["White", "rest"])
    town.record(["White", "rest"], 50)
    assert town.exposed() == {}
    town.record(["rest"], 49)
    assert town.exposed()["White"] == 1


def test_exposed_is_exactly_what_the_row_space_holds():
    # truth from numpy: eᵢ is in the row space when adding it does not raise the rank
    rng = np.random.default_rng(3)
    for _ in range(40):
        masks = rng.random((4, 5)) < 0.5
        values = rng.integers(0, 9, 5)
        log = AnswerLog(list(range(5)))
        for row in masks:
            log.record(np.flatnonzero(row).tolist(), int(values[row].sum()))
        rank = np.linalg.matrix_rank(masks.astype(float))
        inside = [i for i in range(5) if np.linalg.matrix_rank(np.vstack([masks, np.eye(5)[i]]).astype(float)) == rank]
        assert log.exposed() == {i: values[i] for i in inside}


def test_a_bounded_sum_at_its_end_exposes_all_in_it():
    log = AnswerLog(["a", "b", "c"], bounds=(0, 1))
    log.record(["a", "b", "c"], 2)
    assert log.exposed() == {}
    log.record(["a", "b"], 2)
    assert log.exposed() == {"a": 1, "b": 1, "c": 0}


def test_a_query_can_be_judged_before_its_answer():
    log = AnswerLog(["a", "b", "c"])
    log.record(["a", "b", "c"], Fraction(7, 2))
    assert log.would_expose(["a", "b"]) == ("c",)
    assert log.would_expose(["a", "b", "c"]) == ()
    assert log.exposed() == {}


def test_bad_input_is_named():
    log = AnswerLog(["a", "b"])
    log.record(["a"], 1)
    with pytest.raises(InvalidParameter, match="contradicts"):
        log.record(["a"], 2)
    with pytest.raises(UnknownName):
        log.record(["z"], 2)
    with pytest.raises(InvalidParameter, match="one name"):
        AnswerLog(["a", "a"])
