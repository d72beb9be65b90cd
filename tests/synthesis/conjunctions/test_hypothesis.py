import numpy as np
import pytest

from dalenius.synthesis.conjunctions.hypothesis import Hypothesis
from dalenius.synthesis.conjunctions.yes_no import YesNo

THREE = YesNo.of({"a": (0, 1), "b": (0, 1), "c": (0, 1)})


def test_an_answer_is_met_and_earlier_ones_are_replayed():
    hypothesis = Hypothesis(THREE)
    answers = {((0, 1),): 0.3, ((0, 1), (1, 1)): 0.2, ((1, 1), (2, 0)): 0.25}
    for _ in range(20):
        for terms, share in answers.items():
            hypothesis.learn(terms, share)
    for terms, share in answers.items():
        assert hypothesis.share(terms) == pytest.approx(share, abs=1e-3)
    assert hypothesis.law.sum() == pytest.approx(1)


def test_all_conjunctions_of_a_width_are_listed_with_their_shares():
    hypothesis = Hypothesis(THREE)
    hypothesis.law = np.arange(8.0).reshape(2, 2, 2)
    terms, shares = hypothesis.tables(2)
    assert len(terms) == 12
    assert [hypothesis.share(one) for one in terms] == pytest.approx(shares.tolist())


def test_impossible_answers_do_not_break_it():
    hypothesis = Hypothesis(THREE)
    for share in (-3.0, 7.0):
        hypothesis.learn(((0, 1),), share)
        assert np.isfinite(hypothesis.law).all()
