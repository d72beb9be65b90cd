import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.neighbors import Metric
from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.rules import bound_contribution
from dalenius.sql.planner.rules.bound_contribution import ONE
from tests.sql.cases import cases, check, drafted, policy


@cases(bound_contribution)
def test_fixture(case):
    check(bound_contribution, case)


def test_the_bound_is_what_the_rule_proves():
    (row,) = drafted(bound_contribution, "SELECT COUNT(*) FROM purchases", policy()).groups
    (unit,) = drafted(bound_contribution, "SELECT COUNT(*) FROM purchases", policy("user_id")).groups
    assert (row.steps, row.lattice.step) == (1, 1)
    assert (unit.steps * unit.lattice.step, unit.steps) == (3, 3 * ONE)


@pytest.mark.theorem("G complaints count")
@given(st.integers(1, 10**6), st.integers(1, 2**30))
def test_the_weights_of_a_unit_never_sum_to_more_than_its_share(rows, contributions):
    weight = min(ONE, contributions * ONE // rows)
    assert rows * weight <= contributions * ONE
    if rows <= contributions:
        assert rows * weight == rows * ONE


TWICE = (
    "SELECT category, COUNT(*) FROM purchases GROUP BY category",
    "SELECT category, SUM(price), AVG(price) FROM purchases GROUP BY category",
    "SELECT category, VARIANCE(price), COUNT(*) FROM purchases GROUP BY category",
    "SELECT category, COUNT(DISTINCT user_id), SUM(price) FROM purchases GROUP BY category",
    'SELECT category, CORR(price, "odd ""name"""), SUM("odd ""name""") FROM purchases GROUP BY category',
)
ONCE = (
    "SELECT SUM(price) FROM purchases",
    "SELECT category, COUNT(DISTINCT user_id) FROM purchases GROUP BY category",
)


def odd_rows(rows):
    """Numbers of every sort, people without a name and people with many rows, keys that are declared and not."""
    random = np.random.default_rng(rows)
    numbers = [0.0, -0.0, 3.25, 199.999, 200.0, 1e308, -1e308, math.inf, -math.inf, math.nan, None, 5e-324]
    return pa.table(
        {
            "user_id": pa.array(random.choice([None, 1, 2, 2**40, -5], rows).tolist(), pa.int64()),
            "category": pa.array(random.choice(["food", "o'hara", "other", None], rows).tolist(), pa.string()),
            "price": pa.array([numbers[at] for at in random.integers(0, len(numbers), rows)], pa.float64()),
            'odd "name"': pa.array(random.choice([None, -9, -2, 0, 1, 7], rows).tolist(), pa.int32()),
        }
    )


@pytest.mark.parametrize("query", TWICE)
def test_the_statement_that_is_run_gives_the_sums_of_the_one_that_names_the_question(query):
    compiled = compile_query(query, policy("user_id"))
    assert compiled.quick not in ("", compiled.scan)
    assert compiled.statement == compiled.quick
    for rows in (0, 1, 7, 400):
        engine = DuckDB(odd_rows(rows), table="purchases")
        named, run = (
            engine.scan(text, compiled.cells, len(compiled.parts)) for text in (compiled.scan, compiled.statement)
        )
        assert (named == run).all()
        assert run.any() or rows < 7


@pytest.mark.parametrize("query", TWICE)
def test_what_is_run_keeps_no_terms_between_its_passes(query):
    kept = compile_query(query, policy("user_id")).quick.partition('"units" AS')[0]
    assert not any(f'AS "{term}0"' in kept for term in "cqrs")
    assert 'AS USMALLINT) AS "cell"' in kept


@pytest.mark.parametrize("query", ONCE)
def test_a_statement_that_goes_over_rows_once_is_run_itself(query):
    compiled = compile_query(query, policy("user_id"))
    assert compiled.quick == ""
    assert compiled.statement == compiled.scan


def test_rows_that_are_units_and_weights_by_norm_are_run_as_they_are_named():
    assert compile_query(TWICE[1], policy()).quick == ""
    assert compile_query(TWICE[1], policy("user_id"), norm=Metric.L2).quick == ""


def test_what_is_run_is_no_part_of_what_a_question_is():
    compiled = compile_query(TWICE[1], policy("user_id"))
    assert compiled.quick not in str(compiled.facts())
