"""COUNT, SUM and AVG by a survey weight are those of the population, and no weight moves them by more than declared."""

import math
from fractions import Fraction
from itertools import product

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query

COLUMNS = {"who": "BIGINT", "k": "VARCHAR", "x": "DOUBLE", "w": "DOUBLE", "note": "VARCHAR", "yes": "BOOLEAN"}

SCHEMA = pa.schema(
    [("who", "int64"), ("k", "string"), ("x", "float64"), ("w", "float64"), ("note", "string"), ("yes", "bool")]
)


def declared(most=50, contributions=1000, bounds=None, keys=None):
    return Policy.declare(
        *("t", COLUMNS),
        **{"unit": "who", "bounds": bounds or {"x": (-3, 7.5)}, "keys": keys or {"k": ["a", "b"]}},
        **{"weight": {"column": "W", "most": most}, "contributions": contributions},
    )


POLICY = declared()
RANDOM = np.random.default_rng(8)
X, W = RANDOM.uniform(-3, 7.5, 300), RANDOM.uniform(0, 50, 300)
ROWS = [
    (i % 7, "ab"[i % 2], float(x), float(w), None if i % 5 == 0 else "n", i % 3 == 0)
    for i, (x, w) in enumerate(zip(X, W, strict=True))
]
GAPS = [(1, "a", None, 20.0, "n", None), (2, "b", math.nan, 10.0, None, True)]
UNWEIGHTED = [(3, "a", 5.0, None, "n", True), (3, "b", 5.0, math.nan, "n", True), (4, "a", 5.0, -8.0, "n", True)]
NOTED, YES = (np.array([bool(test(i)) for i in range(300)]) for test in (lambda i: i % 5, lambda i: i % 3 == 0))


CONNECTION = duckdb.connect(config={"threads": 1})


def scanned(compiled, rows):
    """The exact parts of each cell."""
    columns = zip(COLUMNS, zip(*rows, strict=True), strict=True)
    CONNECTION.register("source", pa.table({name: list(column) for name, column in columns}, SCHEMA))
    return CONNECTION.execute(compiled.scan).fetchall()


def answer(query, rows, policy=POLICY):
    """The columns of the answer from exact parts, the parts, and the compiled query."""
    compiled = compile_query(query, policy)
    ((_, *parts),) = scanned(compiled, rows)
    steps = {name: float(group.lattice.step) for group in compiled.groups for name in group.parts}
    cells = {name: np.array([value * steps[name]]) for name, value in zip(compiled.parts, parts, strict=True)}
    return [float(column.of.value(cells)[0]) for column in compiled.output.columns], parts, compiled


@pytest.mark.parametrize("beside", ["", ", COUNT(*)", ", SUM(x) AS s", ", AVG(x) AS m, COUNT(*)", ", COUNT(note) AS c"])
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        *(("COUNT(*)", W.sum() + 30), ("COUNT(1)", W.sum() + 30), ("COUNT(x)", W.sum()), ("SUM(x)", (W * X).sum())),
        *(("AVG(x)", (W * X).sum() / W.sum()), ("SUM(1)", W.sum() + 30), ("COUNT(note)", W[NOTED].sum() + 20)),
        ("COUNT_IF(yes)", W[YES].sum() + 10),
        ("SUM(x) FILTER (WHERE yes)", (W * X)[YES].sum()),
        ("AVG(CASE WHEN yes THEN 1 ELSE 0 END)", (W[YES].sum() + 10) / (W.sum() + 30)),
        ("WEIGHTED_AVG(x, CLAMP(x, 1, 3))", (X * X.clip(1, 3)).sum() / X.clip(1, 3).sum()),
    ],
)
def test_each_is_of_the_population_whatever_stands_beside_it(asked, expected, beside):
    value = answer(f"SELECT {asked} AS a{beside} FROM t", [*ROWS, *GAPS])[0][0]
    assert value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("asked", ["COUNT(*)", "SUM(x)", "AVG(x), COUNT(*)", "COUNT(note), COUNT(*)"])
def test_weights_that_are_null_nan_or_negative_count_for_nothing(asked):
    query = f"SELECT {asked} FROM t"
    assert answer(query, [*ROWS, *GAPS, *UNWEIGHTED])[1] == answer(query, [*ROWS, *GAPS])[1]


@pytest.mark.parametrize(
    "asked", ["COUNT(*)", "COUNT(x)", "SUM(x)", "AVG(x)", "AVG(x), COUNT(*)", "COUNT(note), COUNT(*)"]
)
@pytest.mark.parametrize("most", [50, 1, Fraction(1, 3), 1e9])
def test_one_row_adds_at_most_the_largest_weight_and_all_that_is_paid_is_needed(asked, most):
    xs = (-3.0, -2.999, 0.0, 7.5, 1e308, -math.inf, None, math.nan)
    ws = (0.0, 0.1, float(most), 2.0 * float(most), 1e308, math.inf, -math.inf, None, math.nan)
    rows = list(product(xs, ws, ("n", None)))
    policy = declared(most, contributions=1, keys={"k": [f"k{place}" for place in range(len(rows))]})
    compiled = compile_query(f"SELECT k, {asked} FROM t GROUP BY k", policy)
    (group,) = compiled.groups
    cells = scanned(compiled, [(place, f"k{place}", x, w, note, None) for place, (x, w, note) in enumerate(rows)])
    moved = [sum(map(abs, parts)) for _, *parts in cells]
    assert max(moved) <= group.steps
    assert max(moved) >= group.steps * (1 - 1e-6)
    assert asked == "SUM(x)" or all(part >= 0 for _, *parts in cells for part in parts)


def test_the_sensitivity_is_the_largest_weight_times_that_of_rows():
    plain = Policy.declare("t", COLUMNS, unit="who", bounds={"x": (-3, 7.5)}, contributions=3)
    for asked in ("COUNT(*)", "SUM(x)", "AVG(x)", "COUNT(note)"):
        by_rows, by_weight = (
            compile_query(f"SELECT {asked} FROM t", policy).groups[0] for policy in (plain, declared(40, 3))
        )
        moved = [float(one.steps * one.lattice.step) for one in (by_rows, by_weight)]
        assert moved[1] == pytest.approx(40 * moved[0], rel=1e-6)


@pytest.mark.parametrize(
    "asked", ["MEDIAN(x)", "VARIANCE(x)", "STDDEV(x)", "MODE(k)", "CORR(x, w)", "QUANTILE_CONT(x, 0.2)"]
)
def test_what_has_no_rule_with_weights_is_refused_by_name(asked):
    with pytest.raises(
        UnsupportedQuery, match=r"has no rule with the survey weight w; COUNT, COUNT_IF, SUM, AVG are of"
    ):
        compile_query(f"SELECT {asked} FROM t", declared(bounds={"x": (-3, 7.5), "w": (0, 50)}))


@pytest.mark.parametrize("asked", ["COUNT(DISTINCT who)", "COUNT(DISTINCT note)", "MIN(x)", "MAX(x)"])
def test_what_weights_do_not_change_is_answered_as_without_them(asked):
    plain = Policy.declare("t", COLUMNS, unit="who", bounds={"x": (-3, 7.5)}, contributions=1000)
    query = f"SELECT {asked} FROM t"
    assert compile_query(query, POLICY).facts() == compile_query(query, plain).facts()


def test_rows_of_a_subquery_keep_their_weight_and_groups_of_one_have_none():
    inner = "(SELECT k, x AS y FROM t WHERE yes) AS s"
    value = answer(f"SELECT SUM(y) FROM {inner}", ROWS)[0][0]
    assert value == pytest.approx((W * X)[YES].sum(), rel=1e-6)
    with pytest.raises(UnsupportedQuery, match="a row that is made of several has no weight"):
        compile_query("SELECT AVG(n) FROM (SELECT who, SUM(x) AS n FROM t GROUP BY who) AS s", POLICY)
