import numpy as np
import pytest

from dalenius.audit import choose as choose_module
from dalenius.audit.bound import goal_of
from dalenius.audit.choose import best, bounds, candidates, choose, columns_of, judge, margins
from dalenius.audit.encode import OutcomeEncoder, Outputs
from dalenius.audit.scores import Tail
from dalenius.guarantees import PureDP

RNG = np.random.default_rng(11)


def columns(first, second):
    one, other = Outputs.read(first), Outputs.read(second)
    encoder = OutcomeEncoder.fit(one, other)
    return columns_of(encoder(one)), columns_of(encoder(other))


def laplace(scale, n=4000):
    return np.round(RNG.laplace(0, scale, n) * 64) / 64


def test_the_event_of_too_little_noise_crosses_the_claim_both_ways_round():
    goal = goal_of(PureDP(1), None, 0.05, 10_000)
    for flip in (False, True):
        first, second = columns(*((laplace(0.5), 1 + laplace(0.5))[:: -1 if flip else 1]))
        event = choose(first, second, goal, trees=False)
        fresh = columns(*((laplace(0.5, 20000), 1 + laplace(0.5, 20000))[:: -1 if flip else 1]))
        p, q = (float(np.mean(event.holds(side))) for side in fresh)
        p, q = (q, p) if event.reversed else (p, q)
        assert p > min(np.e * q, 1 - (1 - q) / np.e) + 0.05


def test_predicted_margins_and_bounds_are_those_of_the_normal_law():
    goal = goal_of(PureDP(1), None, 0.05, 100_000)
    p, q = np.array([0.5]), np.array([0.15])
    n = goal.draws
    expected = (0.5 - np.e * 0.15) / np.sqrt((0.25 + np.e**2 * 0.15 * 0.85) / n)
    assert margins(p, 10**9, q, 10**9, goal)[0] == pytest.approx(expected, rel=0.01)
    radius = 1.645 * np.sqrt((1 + 0.85 / 0.15) / n)
    assert bounds(p, 10**9, q, 10**9, goal)[0] == pytest.approx(np.log(0.5 / 0.15) - radius, abs=3e-3)


def test_constant_columns_give_no_candidates_and_constant_outputs_no_event():
    first, second = columns(["same"] * 100, ["same"] * 100)
    assert candidates(first, second) == []
    event = choose(first, second, goal_of(PureDP(1), None, 0.05, 1000))
    assert not event.holds(first).any()
    assert best([], goal_of(PureDP(1), None, 0.05, 1000)).score.name == "a constant"


def test_a_score_is_judged_in_both_directions():
    found = judge(Tail("a"), RNG.normal(0, 1, 500), RNG.normal(2, 1, 500), goal_of(PureDP(1), None, 0.05, 1000))
    assert {event.reversed for event in found} == {False, True}
    assert max(found, key=lambda event: event.margin).margin > 3


def test_it_works_without_scikit_learn(monkeypatch):
    monkeypatch.setattr(choose_module, "has_trees", lambda: False)
    monkeypatch.setattr(choose_module, "Trees", None)
    vectors = RNG.laplace(0, 1, (2, 3000, 3)).round(2)
    first, second = columns(vectors[0], vectors[1] + [2, 0, 0])
    event = choose(first, second, goal_of(PureDP(1), None, 0.05, 5000))
    assert event.margin > 3


def test_laws_that_lie_apart_are_told_apart_by_few_draws():
    """All of one side lies above all of the other: no cut through the middle of a side is chosen."""
    goal = goal_of(PureDP(0.5), None, 1e-6, 120)
    fresh = laplace(0.05, 20000)
    for shift in (-1, 1) * 30:
        event = choose(*columns(laplace(0.05, 48), shift + laplace(0.05, 48)), goal, trees=False)
        p, q = (float(np.mean(event.holds(side))) for side in columns(fresh, shift + fresh))
        p, q = (q, p) if event.reversed else (p, q)
        assert p - q > 0.6
