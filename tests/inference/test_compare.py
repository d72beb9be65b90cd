import math

import numpy as np
import pytest

from dalenius import inference
from dalenius import statistics as st
from dalenius.errors import InvalidParameter, MixedRelations, UnknownName, UnprovenClaim
from dalenius.inference.compare import compare_summaries
from dalenius.queries import Keys
from tests.inference.releases import CHANGED, generator, least_hits, release_of
from tests.inference.test_mean import summary

BY = Keys("g", ["a", "b"])


def wards(epsilon=1.0, size=500, **more):
    rng = np.random.default_rng(7)
    data = {
        "x": np.concatenate([rng.random(size) < 0.3, rng.random(size) < 0.2]).astype(float),
        "g": ["a"] * size + ["b"] * size,
        "u": list(range(size)) * 2,
    }
    return release_of(st.mean("x", (0, 1), epsilon=epsilon, by=BY, **more), data)


@pytest.mark.parametrize(("kind", "truth"), [("difference", 0.1), ("ratio", 1.5)])
def test_two_groups_differ_as_often_as_was_said(kind, truth):
    rng, hits = generator(), 0
    for _ in range(100):
        one, two = (summary(rng, (rng.random(400) < p).astype(float), 1.0, 1) for p in (0.3, 0.2))
        found = compare_summaries(one, two, ("a", "b"), 0.95, kind, "", False)
        hits += found.interval[0] <= truth <= found.interval[1]
    assert hits >= least_hits(100, 0.94)


def test_a_difference_that_forgets_the_noise_is_held_too_seldom():
    rng, hits = generator(), 0
    for _ in range(100):
        one, two = (summary(rng, (rng.random(100) < p).astype(float), 0.1, 1, 10) for p in (0.3, 0.2))
        found = compare_summaries(one, two, ("a", "b"), 0.95, "difference", "", False)
        hits += found.interval[0] <= 0.1 <= found.interval[1]
    assert hits < least_hits(100, 0.94)


def test_without_noise_the_difference_is_newcombes():
    """56/70 against 48/80: method 10 of Newcombe (1998), table II, gives 0.0524 to 0.3339."""
    rng = np.random.default_rng(1)
    ones = [np.repeat([1.0, 0.0], [yes, n - yes]) for yes, n in ((56, 70), (48, 80))]
    one, two = (summary(rng, x, 1e7, 1) for x in ones)
    found = compare_summaries(one, two, ("a", "b"), 0.95, "difference", "", False)
    assert found.interval == pytest.approx((0.0524, 0.3339), abs=2e-4)


def test_the_ratio_is_where_the_difference_of_a_and_r_times_b_is_zero():
    rng = np.random.default_rng(1)
    one, two = (summary(rng, np.repeat([1.0, 0.0], [k, 100 - k]), 1e7, 1) for k in (40, 25))
    found = compare_summaries(one, two, ("a", "b"), 0.95, "ratio", "", False)
    a, b = one.estimate, two.estimate
    from dalenius.inference.mean import score_ends

    (l1, u1), (l2, u2) = score_ends(one, 0.95), score_ends(two, 0.95)
    low, high = found.interval
    assert a - low * b == pytest.approx(math.hypot(a - l1, low * (u2 - b)), abs=1e-9)
    assert high * b - a == pytest.approx(math.hypot(u1 - a, high * (b - l2)), abs=1e-9)


def test_an_answer_is_compared_by_its_keys():
    answer = wards()
    for kind, truth in (("difference", 0.1), ("ratio", 1.5)):
        nearly_sure = inference.compare(answer, "a", "b", 1 - 1e-9, kind=kind)  # misses once in 1e9 draws
        assert nearly_sure.interval[0] < truth < nearly_sure.interval[1]
    difference = inference.compare(answer, "a", "b")
    back = inference.compare(answer, "b", "a")
    assert back.interval == pytest.approx((-difference.interval[1], -difference.interval[0]), abs=1e-9)
    assert inference.compare(answer, "a", "b", guaranteed=True).width > difference.width
    ratio = inference.compare(answer, "a", "b", kind="ratio")
    assert inference.compare(answer, "a", "b", kind="ratio", guaranteed=True).width > ratio.width


def test_people_in_both_groups_are_not_taken_as_independent():
    apart, together = wards(), wards(unit="u", contributions=2)
    assert "both groups" in inference.compare(together, "a", "b").sentence
    assert inference.compare(together, "a", "b").width > inference.compare(apart, "a", "b").width


def test_two_releases_are_compared_if_they_protect_the_same():
    plan = st.mean("x", (0, 1), epsilon=1)
    one, other = (release_of(plan, {"x": [k] * 200}, number=i) for i, k in ((2, 0.5), (3, 0.25)))
    assert inference.compare_releases(one, other).estimate == pytest.approx(0.25, abs=0.1)
    with pytest.raises(InvalidParameter, match="same release"):
        inference.compare_releases(one, one)
    changed = release_of(st.mean("x", (0, 1), epsilon=1, about=CHANGED), {"x": [0.5] * 9})
    with pytest.raises(MixedRelations):
        inference.compare_releases(one, changed)
    with pytest.raises(UnprovenClaim, match="one mean"):
        inference.compare_releases(one, wards())


def test_nobody_in_the_second_group_makes_the_ratio_unbounded():
    rng = np.random.default_rng(1)
    one, two = summary(rng, np.ones(50), 1.0, 1), summary(rng, np.zeros(50), 1.0, 1)
    assert compare_summaries(one, two, ("a", "b"), 0.95, "ratio", "", False).interval[1] == math.inf


def test_unknown_keys_and_kinds_are_refused():
    with pytest.raises(UnknownName):
        inference.compare(wards(), "a", "z")
    with pytest.raises(InvalidParameter, match="kind"):
        inference.compare(wards(), "a", "b", kind="odds")
    negative = release_of(st.mean("x", (-1, 1), epsilon=1, by=BY), {"x": [0.5, 0.5], "g": ["a", "b"]})
    with pytest.raises(InvalidParameter, match="below 0"):
        inference.compare(negative, "a", "b", kind="ratio")
