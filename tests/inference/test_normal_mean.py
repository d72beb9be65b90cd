import numpy as np
import pytest

from dalenius import inference
from dalenius.curator import Facts
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.neighbors import Relation, Unit
from tests.inference.releases import counts, generator, least_hits, release_of

CHANGED = Unit.row(Relation.CHANGE_ONE)


def plan(rows, deviation=1, epsilon=1, **more):
    facts = Facts.declare(unit=CHANGED, rows=rows)
    given = {"mean_within": (-1000, 1000), "deviation": deviation, "epsilon": epsilon} | more
    return inference.plan_normal_mean("x", about=facts, **given)


def covered(planned, deviation, draws):
    rng, hits = generator(), 0
    for _ in range(draws):
        mean = rng.uniform(-990, 990)
        low, high = inference.normal_mean(
            release_of(planned, {"x": rng.normal(mean, deviation, planned.rows)})
        ).interval
        hits += low <= mean <= high
    return hits


@pytest.mark.parametrize(("rows", "known"), [(400, True), (2000, False)])
def test_a_mean_without_bounds_is_held_as_often_as_was_said(rows, known):
    planned = plan(rows, 1 if known else ("0.01", 100))
    assert covered(planned, 1.0, 40) >= least_hits(40, 0.95)


@pytest.mark.long
@pytest.mark.parametrize(("rows", "deviations", "deviation"), [(300, 1, 1.0), (2000, (".01", 100), 0.3)])
def test_a_mean_without_bounds_is_held_as_often_as_was_said_over_many_draws(rows, deviations, deviation):
    assert covered(plan(rows, deviations), deviation, 2000) / 2000 >= 0.945


def test_the_interval_is_not_much_wider_than_without_privacy():
    found = inference.normal_mean(release_of(plan(5000), {"x": np.random.default_rng(1).normal(3, 1, 5000)}))
    assert found.width < 1.1 * 2 * 1.96 / 5000**0.5
    assert found.coverage == "guaranteed"
    assert "independent and normal" in found.sentence


def test_a_plan_that_forgets_to_hold_the_values_widely_covers_too_little():
    from dataclasses import replace

    rng, hits, planned = generator(), 0, plan(400)
    for _ in range(40):
        release = release_of(planned, {"x": rng.normal(0.0, 1, 400)})
        note = release.notes["normal mean"]
        wrong = replace(release.outcome, notes={"normal mean": note | {"half": note["half"] / 30}})
        low, high = inference.normal_mean(replace(release, outcome=wrong)).interval
        hits += low <= 0.0 <= high
    assert hits < least_hits(40, 0.95)


def test_one_place_and_one_deviation_cost_nothing_to_find():
    planned = plan(200, 2, mean_within=(-1, 1))
    assert planned.design.rest == 1
    ends = [inference.normal_mean(release_of(planned, {"x": np.zeros(200)})).interval for _ in range(40)]
    assert sum(low <= 0 <= high for low, high in ends) >= least_hits(40, 0.95)


def test_too_few_people_and_other_facts_are_refused_before_the_charge():
    with pytest.raises(InvalidParameter, match="too few"):
        plan(30)
    with pytest.raises(UnprovenClaim, match="CHANGE_ONE"):
        inference.plan_normal_mean("x", mean_within=(0, 1), deviation=1, epsilon=1, about=Facts.declare())
    for more in ({"mean_within": (1, 1)}, {"deviation": (2, 1)}, {"deviation": 0}, {"epsilon": 0}, {"level": 1}):
        with pytest.raises(InvalidParameter):
            plan(400, **more)
    with pytest.raises(InvalidParameter, match="narrower"):
        plan(400, "1e-9")
    with pytest.raises(UnprovenClaim, match="plan_normal_mean"):
        inference.normal_mean(counts(["a"], 1))
