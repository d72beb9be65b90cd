import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import ndtr

from dalenius.curator import Together
from dalenius.errors import InvalidParameter, UnsupportedQuery
from dalenius.guarantees import GDP
from dalenius.mechanisms import DiscreteGaussian, Gaussian, discrete_gaussians
from dalenius.neighbors import Metric, Unit
from dalenius.noise import Bits
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.plans.choose_plan import earlier_forms
from dalenius.sql.plans.sums import CellParts, QueryPlan
from tests.noise.seeded import SeededBits

COLUMNS = {"who": "BIGINT", "text": "VARCHAR", "real": "DOUBLE"}
POLICY = Policy.declare("t", COLUMNS, unit="who", keys={"text": ["a", "b"]}, bounds={"real": (-1, 3)}, contributions=2)
QUERY = "SELECT text AS k, AVG(real) AS mean, COUNT(DISTINCT who) FROM t GROUP BY text HAVING SUM(real + 1) > 3"


def plan_of(query=QUERY, epsilon=1):
    return QueryPlan(compile_query(query, POLICY), epsilon)


@pytest.mark.theorem("A Thm 3.3")
def test_epsilon_given_is_epsilon_spent_over_all_groups():
    plan = plan_of(epsilon="0.3")
    assert isinstance(plan.derived.plan, Together)
    assert len(plan.derived.plan.plans) == 3
    assert plan.guarantee.sum_form == (Fraction(3, 10), 0)


def test_what_only_sifts_is_paid_and_explained():
    told = plan_of().explain()
    assert sum(line.only_to_sift for line in told.lines) == 1
    assert "only to sift or sort, and paid too" in str(told)
    assert sum(line.epsilon for line in told.lines) == 1


def test_the_fingerprint_follows_the_question_and_epsilon():
    prints = {plan.fingerprint for plan in (plan_of(), plan_of(epsilon=2), plan_of(QUERY.replace("> 3", "> 4")))}
    assert len(prints) == 3
    assert plan_of().fingerprint in prints


def test_parts_hold_for_their_unit_and_no_other():
    part = CellParts(compile_query("SELECT COUNT(*) FROM t", POLICY), 0)
    assert part.sensitivity(Unit("who")).value * part.lattice.step == 2
    assert part.sensitivity(Unit("who"), Metric.L2).metric is Metric.L2
    with pytest.raises(InvalidParameter, match="each who"):
        part.sensitivity(Unit.row())


def test_the_error_of_a_sum_is_told_beforehand_and_that_of_a_mean_with_the_answer():
    told = plan_of("SELECT COUNT(*) AS n, 10 * COUNT(*) AS tenfold, AVG(real) AS mean, SUM(real) AS s FROM t").explain()
    assert told.errors["mean"] is None
    assert told.errors["tenfold"] == pytest.approx(10 * told.errors["n"])
    assert "error        mean told with the answer" in str(told)


def test_the_error_told_beforehand_is_that_of_the_answer():
    query = "SELECT text AS k, COUNT(*) AS n, SUM(real) AS s FROM t GROUP BY text"
    plan, engine = plan_of(query), DuckDB(pa.table({"who": [1], "text": ["a"], "real": [2.0]}), table="t")
    outcome = plan.run(engine, Bits())
    for item in outcome.numbers:
        assert outcome.errors(item, 0.95)[0] == pytest.approx(plan.explain().errors[item.name])


def spread_plan(query, delta=1e-6, policy=POLICY):
    return QueryPlan(compile_query(query, policy, norm=Metric.L2), 1, delta)


def test_a_delta_buys_gaussian_noise_in_l2_that_meets_the_target_over_all_groups():
    """μ² of all groups by the exact profile, Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ), which is tight  [BW18, Thm 8]."""
    plan = spread_plan("SELECT text, AVG(real), COUNT(DISTINCT who) FROM t GROUP BY text")
    measures = plan.derived.plan.plans
    assert all(isinstance(one.mechanism, Gaussian) and one.metric is Metric.L2 for one in measures)
    square = sum(one.query.sensitivity(one.unit, Metric.L2).square / one.mechanism.scale**2 for one in measures)
    assert plan.guarantee == GDP.root(square)
    mu = math.sqrt(square)
    assert ndtr(mu / 2 - 1 / mu) - math.e * ndtr(-mu / 2 - 1 / mu) == pytest.approx(1e-6, rel=1e-6)
    assert plan.guarantee.delta(1) <= 1e-6
    assert "ρ = " in str(plan.explain())
    assert Fraction(plan.explain().to_dict()["rho"]) == square / 2
    assert plan.guarantee.sum_form is None


def test_noise_of_an_earlier_version_is_the_same_question_at_the_same_price():
    plan = spread_plan("SELECT text, COUNT(*) FROM t GROUP BY text")
    (before,) = earlier_forms(plan, 1, 1e-6)
    (measure,) = before.derived.plan.plans
    assert isinstance(measure.mechanism, DiscreteGaussian)
    assert (
        before.fingerprint == QueryPlan(plan.compiled, 1, 1e-6, "", discrete_gaussians).fingerprint != plan.fingerprint
    )
    assert earlier_forms(before, 1, 1e-6) == earlier_forms(plan_of("SELECT COUNT(*) FROM t"), 1) == ()
    assert plan.explain().errors["count"] < 0.95 * before.explain().errors["count"]


def test_a_single_cell_spends_no_delta():
    plan = spread_plan("SELECT COUNT(*) FROM t")
    assert plan.guarantee.sum_form == (1, 0)


def test_sums_paid_with_delta_and_quantiles_are_not_mixed():
    with pytest.raises(UnsupportedQuery, match="delta"):
        spread_plan("SELECT text, COUNT(*), MEDIAN(real) FROM t GROUP BY text")


def test_the_released_noise_has_the_variance_that_was_paid_for():
    """A mean of squares over 2000 cells lies within 20 % of σ² but for a chance of 1e-9; half of σ is rejected."""
    keys = [str(number) for number in range(2000)]
    policy = Policy.declare("t", COLUMNS, unit="who", keys={"text": keys}, bounds={}, contributions=2)
    plan = spread_plan("SELECT text, COUNT(*) FROM t GROUP BY text", policy=policy)
    (measure,) = plan.derived.plan.plans
    empty = DuckDB(
        pa.table(
            {"who": pa.array([], pa.int64()), "text": pa.array([], pa.string()), "real": pa.array([], pa.float64())}
        ),
        table="t",
    )
    noise = np.array(plan.run(empty, SeededBits(3)).columns[0].cells, float)
    assert 0.8 < (noise**2).mean() / float(measure.mechanism.scale) ** 2 < 1.2
