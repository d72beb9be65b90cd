import math
from fractions import Fraction

import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import DaleniusError, InvalidParameter, UnboundedQuery
from dalenius.guarantees import ApproxDP
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.plans.unknown_keys import UnknownKeysPlan

COLUMNS = {"who": "BIGINT", "city": "VARCHAR", "size": "DOUBLE", "kind": "VARCHAR"}
ONE_GROUP = KeySearch()
QUERY = "SELECT city, COUNT(*) AS n FROM t GROUP BY city"


def policy(unit="who"):
    most = None if unit == "row" else 10
    return Policy.declare(
        "t", COLUMNS, unit=unit, keys={"kind": ["x", "y"]}, bounds={"size": (0, 4)}, contributions=most
    )


def table(units=40):
    """Everyone in oslo, the even ones in rome too, the first alone in york; some rows are in no city."""
    rows = [(who, "oslo", 1.0, "x") for who in range(units)]
    rows += [(who, "rome", -0.0 if who % 4 else 0.0, "y") for who in range(0, units, 2)]
    rows += [
        (0, "york", 3.5, "x"),
        (0, None, math.nan, "x"),
        (None, "bonn", math.inf, "x"),
        (1, "z" * 2000, 2.0**60, "x"),
    ]
    return pa.table(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))


def connect(tmp_path, **terms):
    given = {"unit": "who", "contributions": 10, "keys": {"kind": ["x", "y"]}, "bounds": {"size": (0, 4)}}
    given |= {"budget": {"epsilon": 10**5, "delta": Fraction(1, 2)}, "table": "t"} | terms
    return dalenius.connect(table(), ledger=tmp_path / "t.ledger", **given)


def run(query, unit="row", unknown=ONE_GROUP, epsilon=4000, delta=Fraction(1, 10**4), rows=None):
    plan = UnknownKeysPlan(compile_query(query, policy(unit), unknown), epsilon, delta)
    return plan, plan.run(DuckDB(table() if rows is None else rows, table="t"), Bits())


def told(outcome):
    return list(zip(*(outcome.column(item) for item in outcome.shown), strict=True))


def test_keys_that_enough_units_share_are_named_in_order_with_their_answers():
    _, outcome = run(QUERY)
    assert told(outcome) in ([("oslo", 40), ("rome", 20)], [("bonn", 1), ("oslo", 40), ("rome", 20)])


def test_a_unit_counts_in_so_many_groups_only():
    one = dict(told(run(QUERY, "who", KeySearch(1), 10**9)[1]))
    two = dict(told(run(QUERY, "who", KeySearch(2), 10**9)[1]))
    assert sum(one.values()) == pytest.approx(40, abs=1.01)  # the first may be counted in york, which is not named
    assert two["oslo"] + two["rome"] == pytest.approx(60, abs=1.01)


def test_too_few_units_never_name_a_key():
    _, outcome = run(QUERY, "who", KeySearch(3, min_units=21), 10**6)
    assert [key for key, _ in told(outcome)] == ["oslo"]
    assert told(run(QUERY, "who", KeySearch(3, min_units=41), 10**6)[1]) == []


def test_numbers_are_written_one_way_and_what_is_no_number_names_nothing():
    _, outcome = run("SELECT size, COUNT(*) AS n FROM t GROUP BY size", unknown=KeySearch(1, min_units=2))
    assert told(outcome) == [(0, 20), (1, 40)]
    assert all(type(key) is int for key, _ in told(outcome))


def test_declared_keys_beside_have_a_row_each():
    query = "SELECT kind, COUNT(*) AS n, city AS place FROM t GROUP BY kind, city"
    _, outcome = run(query, unknown=KeySearch(1, min_units=2))
    assert told(outcome) == [("x", 40, "oslo"), ("y", 0, "oslo"), ("x", 0, "rome"), ("y", 20, "rome")]


def test_the_answer_may_be_empty_and_is_stored_and_sorted(tmp_path):
    db = connect(tmp_path)
    empty = "SELECT city, kind, AVG(size) AS a FROM t WHERE size > 99 GROUP BY city, kind"
    assert db.sql(empty, epsilon=1, profile=True).rows == []
    assert db.sql(empty, epsilon=1).columns == ("city", "kind", "a")
    falling = db.sql(QUERY + " ORDER BY city DESC LIMIT 1", epsilon=10**4, groups=3, min_units=2)
    assert falling.rows[0][0] == "rome"
    assert db.sql("SELECT city FROM t GROUP BY city HAVING COUNT(*) > 30", epsilon=10**4, groups=3).rows == [("oslo",)]


@pytest.mark.theorem("A Thm 3.3")
@pytest.mark.parametrize("relation", Relation)
def test_epsilon_and_delta_given_are_spent_over_selection_and_groups(relation):
    terms = Policy.declare("t", COLUMNS, unit=Unit("who", relation), contributions=2, bounds={"size": (0, 4)})
    query = "SELECT city, COUNT(DISTINCT who), SUM(size) FROM t GROUP BY city"
    plan = UnknownKeysPlan(compile_query(query, terms, KeySearch(3)), "0.3", "1e-6")
    assert plan.guarantee == ApproxDP("0.3", "1e-6", relation)
    assert len(plan.measures) == 2


def test_the_fingerprint_follows_all_that_the_answer_hangs_on():
    def printed(unknown=ONE_GROUP, query=QUERY, epsilon=1, delta="1e-6"):
        return UnknownKeysPlan(compile_query(query, policy(), unknown), epsilon, delta).fingerprint

    others = [
        *(printed(KeySearch(2)), printed(KeySearch(1, 2)), printed(KeySearch(1, 1, "salt")), printed(epsilon=2)),
        *(printed(delta="1e-7"), printed(query=QUERY + " ORDER BY n")),
    ]
    assert len({printed(), *others}) == 7
    assert printed() == printed()


def test_delta_is_a_hundredth_of_the_budgets_by_default_and_explained(tmp_path):
    db = connect(tmp_path, budget={"epsilon": 9, "delta": "1e-4"})
    explained = db.explain(QUERY, epsilon=1, groups=2, min_units=5)
    assert explained.guarantee == ApproxDP(1, "1e-6")
    text = str(explained)
    assert "which city may be named, 2 of each unit at most" in text
    assert (
        f"a key of {explained.selection.certain} units or more is always named, and one of fewer than 5 never" in text
    )
    assert "δ = 1e-06" in text
    before = db.budget.delta
    db.sql(QUERY, epsilon=1, profile=True)
    assert before - db.budget.delta == Fraction(1, 10**6)


def test_without_delta_unknown_keys_are_refused_with_the_remedy(tmp_path):
    db = connect(tmp_path, budget={"epsilon": 9})
    with pytest.raises(UnboundedQuery, match="give delta="):
        db.sql(QUERY, epsilon=1)
    with pytest.raises(UnboundedQuery, match="give delta="):
        db.sql(QUERY, epsilon=1, delta=0)
    with pytest.raises(DaleniusError):
        db.sql(QUERY, epsilon=1, delta="1e-6")  # the budget has none
    assert db.budget.epsilon == 9


def test_terms_for_unknown_keys_are_refused_where_all_keys_are_public(tmp_path):
    db = connect(tmp_path)
    public = "SELECT kind, COUNT(*) FROM t GROUP BY kind"
    with pytest.raises(InvalidParameter, match="groups"):
        db.sql(public, epsilon=1, groups=2)
    with pytest.raises(InvalidParameter, match="delta"):
        UnknownKeysPlan(compile_query(QUERY, policy(), KeySearch()), 1, 0)
    assert len(db.sql(public, epsilon=1).rows) == 2


def test_a_failing_engine_says_only_that():
    engine = DuckDB(table(), table="t")
    with pytest.raises(DaleniusError, match="engine failed") as failure:
        engine.fetch("SELECT error('oslo')")
    assert failure.value.__context__ is None


def test_a_key_is_named_as_often_as_the_law_says():
    """Of 400 draws at p outside of ±6.2σ less often than 1e-9; 1.25 p lies outside."""
    rows = pa.table({"who": [1, 2, 3], "city": ["oslo"] * 3, "size": [0.0] * 3, "kind": ["x"] * 3})
    plan = UnknownKeysPlan(compile_query(QUERY, policy("row"), KeySearch()), 2, "0.1")  # half of it finds the key
    engine = DuckDB(rows, table="t")
    draws, p = 400, math.expm1(3) / math.expm1(1) * 0.1  # π(3) = δ(e^3ε − 1)/(e^ε − 1) for the selection's ε = 1
    p = min(p, 1 - math.exp(-1) * (1 - 0.1 * math.expm1(2) / math.expm1(1) - 0.1))
    times = sum(len(plan.run(engine, Bits()).rows()) for _ in range(draws))
    width = 6.2 * math.sqrt(draws * p * (1 - p))
    assert abs(times - draws * p) < width < 0.25 * draws * p
