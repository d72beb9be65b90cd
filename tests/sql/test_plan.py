from fractions import Fraction

import pyarrow as pa
import pytest

from dalenius.curator import Together
from dalenius.errors import InvalidParameter
from dalenius.neighbors import Metric, Unit
from dalenius.noise import Bits
from dalenius.sql import Policy
from dalenius.sql.compile import compile_query
from dalenius.sql.engine import DuckDB
from dalenius.sql.plan import Parts, QueryPlan

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
    part = Parts(compile_query("SELECT COUNT(*) FROM t", POLICY), 0)
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
