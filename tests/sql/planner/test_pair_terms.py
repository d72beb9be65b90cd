"""Formulas over exact parts of two numbers are the statistics that they are named after."""

import math

import duckdb
import numpy as np
import pytest

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query

COLUMNS = {"who": "BIGINT", "x": "DOUBLE", "y": "DOUBLE", "free": "DOUBLE", "note": "VARCHAR", "yes": "BOOLEAN"}
POLICY = Policy.declare("t", COLUMNS, unit="who", bounds={"x": (-3, 7.5), "y": (10, 500)}, contributions=1000)
RANDOM = np.random.default_rng(5)
X = RANDOM.uniform(-3, 7.5, 300)
Y = 200 + 20 * X + RANDOM.normal(0, 30, 300)
ROWS = [(i % 7, float(x), float(y), 1.0, "a", i % 3 == 0) for i, (x, y) in enumerate(zip(X, Y, strict=True))]
ROWS += [(1, None, 20.0, None, None, None), (2, 3.0, None, 2.0, "b", True), (3, math.nan, 30.0, 1.0, "c", False)]
SLOPE, INTERCEPT = np.polyfit(X, Y, 1)
R = np.corrcoef(X, Y)[0, 1]


def answer(query, rows=ROWS, policy=POLICY):
    """The columns of the answer from exact parts, and the parts."""
    compiled = compile_query(query, policy)
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE "source" (who BIGINT, x DOUBLE, y DOUBLE, free DOUBLE, note TEXT, yes BOOL)')
        connection.executemany('INSERT INTO "source" VALUES (?, ?, ?, ?, ?, ?)', rows)
        _, *scanned = connection.execute(compiled.scan).fetchone()
    steps = {name: float(group.lattice.step) for group in compiled.groups for name in group.parts}
    cells = {name: np.array([value * steps[name]]) for name, value in zip(compiled.parts, scanned, strict=True)}
    return [float(column.of.value(cells)[0]) for column in compiled.output.columns], scanned, compiled


@pytest.mark.parametrize(
    "beside", ["", ", COUNT(*)", ", CORR(x, y) AS b", ", AVG(x), COUNT(*)", ", REGR_R2(y, x) AS b"]
)
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        *(("COVAR_POP(x, y)", np.cov(X, Y, bias=True)[0, 1]), ("COVAR_SAMP(y, x)", np.cov(X, Y)[0, 1])),
        *(("CORR(x, y)", R), ("CORR(y, x)", R), ("REGR_R2(y, x)", R**2), ("REGR_COUNT(x, y)", 300)),
        *(("REGR_SLOPE(y, x)", SLOPE), ("REGR_INTERCEPT(y, x)", INTERCEPT), ("REGR_AVGX(y, x)", X.mean())),
        *(("WEIGHTED_AVG(x, y)", (X * Y).sum() / Y.sum()), ("wavg(x + 1, y)", ((X + 1) * Y).sum() / Y.sum())),
        *(("REGR_AVGY(y, x)", Y.mean()), ("REGR_SLOPE(x, y)", np.polyfit(Y, X, 1)[0])),
    ],
)
def test_each_is_what_it_is_called_whatever_stands_beside_it(asked, expected, beside):
    assert answer(f"SELECT {asked} AS a{beside} FROM t")[0][0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    "asked", ["COVAR_POP(x, y)", "REGR_SLOPE(y, x)", "CORR(x, y)", "REGR_COUNT(y, x)", "REGR_AVGX(y, x)"]
)
def test_the_parts_of_a_row_are_never_negative_and_sum_to_what_it_costs(asked):
    corners = [-3.0, -2.999, 0.0, 7.5, 1e308, -math.inf]
    for x in corners:
        for y in (10.0, 10.0001, 77.7, 500.0, math.inf):
            _, parts, compiled = answer(f"SELECT {asked} FROM t", [(1, x, y, None, None, None)])
            assert min(parts) >= 0
            assert sum(parts) == compiled.groups[0].steps // 1000 or x == -math.inf or y == math.inf


def test_all_questions_about_two_numbers_are_one_question():
    query = (
        "SELECT CORR(x, y), CORR(y, x) AS b, REGR_SLOPE(y, x), REGR_SLOPE(x, y) AS d, COVAR_POP(y, x), COUNT(*) FROM t"
    )
    values, _, compiled = answer(query)
    assert len(compiled.groups) == 1
    assert values[0] == values[1]
    assert values[-1] == 303


def test_a_condition_and_a_boolean_may_stand_inside():
    here = np.array([place % 3 == 0 for place in range(300)])
    (value,), *_ = answer("SELECT COVAR_POP(x, y) FILTER (WHERE yes) FROM t")
    assert value == pytest.approx(np.cov(X[here], Y[here], bias=True)[0, 1], rel=1e-6)
    (value,), *_ = answer("SELECT CORR(yes, y) FROM t")
    assert value == pytest.approx(np.corrcoef([*here, False], [*Y, 30])[0, 1], rel=1e-6)


def test_a_weight_is_never_negative_and_a_condition_may_stand_beside_it():
    with pytest.raises(UnsupportedQuery, match="a weight is never negative"):
        compile_query("SELECT WEIGHTED_AVG(y, x) FROM t", POLICY)
    with pytest.raises(UnsupportedQuery, match="takes two expressions"):
        compile_query("SELECT WEIGHTED_AVG(y) FROM t", POLICY)
    here = np.array([place % 3 == 0 for place in range(300)])
    (value,), *_ = answer("SELECT WEIGHTED_AVG(x, y) FILTER (WHERE yes) FROM t")
    assert value == pytest.approx((X * Y)[here].sum() / Y[here].sum(), rel=1e-6)


def test_one_possible_value_has_no_covariance():
    assert answer("SELECT COVAR_POP(x, 3) FROM t")[0] == [0]


def test_what_cannot_be_asked_of_two_is_refused_by_name():
    with pytest.raises(UnboundedQuery, match=r"COVAR_POP\(x, free\) needs bounds of both"):
        compile_query("SELECT COVAR_POP(x, free) FROM t", POLICY)
    for asked, words in [
        ("CORR(x, note)", "takes a number, got a text"),
        ("CORR(x, SUM(y))", "aggregate inside an aggregate"),
    ]:
        with pytest.raises(UnsupportedQuery, match=words):
            compile_query(f"SELECT {asked} FROM t", POLICY)
    assert compile_query("SELECT REGR_COUNT(free, x) FROM t", POLICY).groups
