import json
import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius import inference
from dalenius.curator import Outcome
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.mechanisms import DiscreteGaussian, Gaussian, calibrate
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Bits
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.plans.choose_plan import choose_plan, earlier_forms
from dalenius.sql.plans.counted_keys import CountedKeysPlan
from dalenius.sql.plans.unknown_keys import UnknownKeysPlan

COLUMNS = {"who": "BIGINT", "city": "VARCHAR", "x": "DOUBLE", "k": "VARCHAR"}
QUERY = "SELECT city, COUNT(DISTINCT who) AS n FROM t GROUP BY city"
TABLE = pa.table(
    {
        "who": [*range(300), *range(40), 1, 1, 1],
        "city": [*(["big"] * 300), *(["small"] * 40), "own", "own", "own"],
        "x": [1.0] * 343,
        "k": ["a"] * 343,
    }
)


def policy(contributions=2):
    return Policy.declare(
        "t", COLUMNS, unit="who", contributions=contributions, bounds={"x": (0, 9)}, keys={"k": ["a", "b"]}
    )


def compiled(query=QUERY, groups=2, contributions=2, min_units=1):
    return compile_query(query, policy(contributions), KeySearch(groups, min_units))


def test_the_count_and_the_decision_are_one_release():
    plan = choose_plan(compiled(), 4, Fraction(1, 10**6))
    assert isinstance(plan, CountedKeysPlan)
    assert plan.guarantee.sum_form == (4, Fraction(1, 10**6))
    outcome = plan.run(DuckDB(TABLE, table="t"), Bits())
    shown = dict(zip((row[0] for row in outcome.keys.rows), outcome.columns[0].values, strict=True))
    assert "own" not in shown
    assert all(count >= plan.mechanism.threshold for count in shown.values())
    assert abs(shown["big"] - 300) < 30 * 2 / 4  # e⁻³⁰
    assert Outcome.from_dict(json.loads(json.dumps(outcome.to_dict()))) == outcome


def test_a_person_is_counted_in_the_keys_of_most_of_their_rows():
    scanned = DuckDB(TABLE, table="t").fetch(compiled(groups=1).counted.scan).to_pylist()
    counts = {row["key0"]: row["units"] for row in scanned}
    assert counts["own"] == 1  # three rows, against one in each other city
    assert sum(counts.values()) == 300


def test_no_key_of_too_few_people_is_fetched():
    scanned = DuckDB(TABLE, table="t").fetch(compiled(min_units=41).counted.scan).to_pylist()
    assert [row["key0"] for row in scanned] == ["big"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT city, COUNT(*) AS n FROM t GROUP BY city",
        "SELECT city, COUNT(DISTINCT who) AS n, SUM(x) AS s FROM t GROUP BY city",
        "SELECT city, COUNT(DISTINCT who) AS n, MEDIAN(x) AS m FROM t GROUP BY city",
        "SELECT city, k, COUNT(DISTINCT who) AS n FROM t GROUP BY city, k",
        f"{QUERY} HAVING n > 3",
        f"{QUERY} ORDER BY n DESC LIMIT 1",
        f"{QUERY} ORDER BY n",
    ],
)
def test_other_questions_name_their_keys_first(query):
    assert isinstance(choose_plan(compiled(query), 1, Fraction(1, 10**6)), UnknownKeysPlan)


def test_an_order_by_the_key_is_no_choice_by_noise():
    assert isinstance(choose_plan(compiled(f"{QUERY} ORDER BY city"), 1, Fraction(1, 10**6)), CountedKeysPlan)


def test_noise_is_at_most_half_of_naming_first():
    plan = choose_plan(compiled(), 1, Fraction(1, 10**6))
    assert plan.missed <= earlier_forms(plan, 1, Fraction(1, 10**6))[-1].missed / 2 + 1


@pytest.mark.parametrize(("groups", "epsilon"), [(30, 40), (10, 20), (4, 1)], ids=["one", "less", "wide"])
def test_an_earlier_form_has_the_scale_that_was_found_for_it_alone(groups, epsilon):
    """So also where noise is narrower than a step and is discrete today."""
    delta = Fraction(1, 100)
    plan = choose_plan(compiled(groups=groups, contributions=groups), epsilon, delta)
    assert isinstance(plan.mechanism.noise, Gaussian if epsilon == 1 else DiscreteGaussian)
    moved = Sensitivity.root(groups, Metric.L2)
    alone = calibrate(DiscreteGaussian, moved, epsilon=epsilon - delta, delta=delta / 2)
    assert plan.mechanism.noise != alone
    assert alone in [one.mechanism.noise for one in earlier_forms(plan, epsilon, delta) if hasattr(one, "mechanism")]


def test_without_a_delta_no_key_is_shown():
    with pytest.raises(InvalidParameter, match="delta must lie"):
        CountedKeysPlan(compiled(), 1, 0)


def session(folder, ledger="l"):
    return dalenius.connect(
        TABLE,
        table="t",
        unit="who",
        contributions=2,
        budget={"epsilon": 100, "delta": "1e-3"},
        ledger=folder / ledger,
    )


def test_what_it_is_is_said_in_the_answer_and_beforehand(tmp_path):
    db = session(tmp_path)
    terms = {"epsilon": 2, "delta": "1e-6", "groups": 2}
    said = str(db.explain(QUERY, **terms))
    assert "shown and its count further off with probability 5 % at most" in said
    answer = db.sql(QUERY, **terms)
    least = choose_plan(compiled(), 2, Fraction(1, 10**6)).mechanism.threshold
    assert f"a row is shown if its noisy count reaches {least}" in str(answer)
    ends = answer.intervals(0.95, joint=True)
    assert set(ends["n_lower"]) == {-math.inf}
    assert set(ends["n_upper"]) == {math.inf}


def test_such_counts_enter_no_combination(tmp_path):
    db = session(tmp_path)
    one, other = (db.sql(QUERY, epsilon=price, delta="1e-6", groups=2) for price in (2, 3))
    with pytest.raises(UnprovenClaim, match="no combination"):
        inference.combine(one, other)


def test_what_was_answered_by_naming_first_stays_answered(tmp_path):
    db = session(tmp_path)
    first = db.release(UnknownKeysPlan(compiled(), 2, Fraction(1, 10**6)))
    left = db.budget
    again = db.sql(QUERY, epsilon=2, delta="1e-6", groups=2)
    assert db.budget == left
    assert again.value == first.value


@pytest.mark.parametrize("units", [20, 40, 300])
def test_a_key_is_shown_and_missed_with_no_more_than_the_stated_chance(units):
    """20 000 draws of one key: at level 0.8, chance 0.2 of shown and missed; a false alarm has probability 1e-9."""
    one = choose_plan(compiled(), 1, Fraction(1, 100)).mechanism
    shown, noisy = one.release(np.full(20_000, units), Bits())
    wide = float(one.noise.accuracy(Fraction(1, 5)))
    missed = int((shown & (np.abs(noisy - units) > wide)).sum())
    assert missed <= 20_000 * 0.2 + 6 * math.sqrt(20_000 * 0.2 * 0.8)
    if units == 300:
        assert int((np.abs(noisy - units) > wide * 0.75).sum()) > 20_000 * 0.2 + 6 * math.sqrt(20_000 * 0.16)
