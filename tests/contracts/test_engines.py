"""What the proofs ask of an engine, over every engine: docs/theory/engines.md, one test for each obligation."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from sqlglot import exp

import dalenius
from dalenius.errors import ExecutionFailed
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.engine.statements import Sums, whole_rows
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.rows.fixed_point import scale_around, scale_between
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind
from tests.sql.engine.sqlite import SQLite

ENGINES = {"duckdb": DuckDB, "sqlite": SQLite}
ONE = 2**20
KEYS = ["a", "A", "å", "o'hara", "a "]
ODD = [0.0, -0.0, 1.5, -3.0, 1e308, -1e308, 5e-324, math.inf, -math.inf, math.nan, None]
SCHEMA = pa.schema([("who", pa.int64()), ("k", pa.string()), ("x", pa.float64()), ("n", pa.int64())])
ROWS = [
    (who, key, value, None if who in (3, None) else who * 10**18)
    for who, key, value in product((1, 2, 3, None), [*KEYS, "other", None], ODD)
] + [(4, "a", 1.0, 5)]
QUESTIONS = [
    *("SELECT COUNT(*) FROM t", "SELECT COUNT(x) FROM t", "SELECT SUM(x) FROM t", "SELECT SUM(n) FROM t"),
    *("SELECT COUNT(DISTINCT who) FROM t", "SELECT SUM(x), COUNT(*) FROM t", "SELECT AVG(x) FROM t"),
    "SELECT k, COUNT(*) FROM t GROUP BY k",
    "SELECT k, SUM(x), COUNT(DISTINCT who) FROM t GROUP BY k",
    "SELECT k, COUNT(DISTINCT who) FROM t GROUP BY k",
    "SELECT k, SUM(x) FROM t WHERE x > 1 GROUP BY k",
    "SELECT SUM(CASE WHEN k = 'A' THEN x ELSE 0 END) FROM t",
]

engines = pytest.mark.parametrize("kind", ENGINES.values(), ids=ENGINES)


def opened(kind, rows):
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(SCHEMA)
    return kind(pa.table(dict(zip(SCHEMA.names, columns, strict=True)), schema=SCHEMA), table="t")


def terms(engine, unit="who", contributions=3):
    return Policy.declare(
        "t",
        engine.columns,
        unit=unit,
        contributions=contributions if unit == "who" else None,
        keys={"k": KEYS},
        bounds={"x": (-2, 3), "n": (0, 4 * 10**18)},
    )


def parts(engine, query, **more):
    compiled = compile_query(query, terms(engine, **more), dialect=engine.dialect)
    return engine.scan(compiled.scan, compiled.cells, len(compiled.parts)), compiled


@engines
@pytest.mark.parametrize("query", QUESTIONS)
def test_each_unit_adds_what_its_own_rows_add_and_never_more_than_was_proved(kind, query):
    """No statistic, order or error of other rows has a say: the answer is the sum of the units' own answers."""
    whole, compiled = parts(opened(kind, ROWS), query)
    alone = [parts(opened(kind, [row for row in ROWS if row[0] == who]), query)[0] for who in (1, 2, 3, 4)]
    assert np.array_equal(whole, sum(alone))
    start = 0
    for group in compiled.groups:
        for one in alone:
            assert np.abs(one[start : start + len(group.parts)]).sum() <= group.steps
        start += len(group.parts)


@engines
@pytest.mark.parametrize("query", QUESTIONS)
def test_engines_agree_to_the_last_digit(kind, query):
    assert np.array_equal(parts(opened(kind, ROWS), query)[0], parts(opened(DuckDB, ROWS), query)[0])


@engines
def test_a_sum_that_is_too_large_is_held_and_never_wraps_or_fails(kind):
    engine = opened(kind, [(1, "a", 0.0, 2**62)] * 5)
    rows = exp.select(exp.alias_(exp.Literal.number(0), "cell", quoted=True), exp.column("n", quoted=True)).from_(
        exp.table_(SOURCE, quoted=True)
    )
    for sign in (1, -1):
        value = exp.Mul(this=exp.column("n", quoted=True), expression=exp.paren(exp.convert(sign)))
        tree = whole_rows(engine.dialect, Sums(rows, (), (("p", exp.Sum(this=value)),)))
        tree.find(exp.Subquery).this.find(exp.Literal).replace(exp.Literal.number(1))
        assert engine.scan(engine.dialect.text(tree), 1, 1).tolist() == [[sign * (2**63 - 1)]]


@engines
@pytest.mark.parametrize("rows", [1, 2, 3, 7, 2**20, 2**40])
def test_the_weights_of_a_units_rows_never_sum_to_more_than_its_share(kind, rows):
    engine = opened(kind, [(1, "a", 0.0, rows)])
    text = engine.dialect.row_weight(ONE, 3 * ONE, '"n"')
    (weight,) = engine.fetch(f'SELECT {text} AS "w" FROM "{SOURCE}"').to_pydict()["w"]
    assert weight == min(ONE, 3 * ONE // rows)


@engines
@pytest.mark.parametrize("value", ODD)
def test_a_bounded_number_is_whole_and_in_its_range_whatever_the_row_holds(kind, value):
    engine = opened(kind, [(1, "a", value, 0)])
    for scale in (scale_between(Fraction(-3), Fraction(7), 30), scale_around(Fraction(-3), Fraction(7), 30)):
        whole = engine.dialect.text(scale.whole())
        (found,) = engine.fetch(f'SELECT {whole} AS "a" FROM (SELECT "x" AS "v" FROM "{SOURCE}") AS s').to_pydict()["a"]
        if value is None or math.isnan(value):
            assert found is None
        else:
            assert scale.low <= found <= scale.high


@engines
def test_a_row_equals_one_key_at_most(kind):
    rows = [(who, key, 0.0, 0) for who, key in enumerate(KEYS)]
    answer, _ = parts(opened(kind, rows), "SELECT k, COUNT(*) FROM t GROUP BY k")
    assert answer.tolist() == [[ONE] * len(KEYS)]


@engines
@pytest.mark.parametrize("values", [("a",), ("a", "b|c", "|"), (True, False), (1.5, -2.0)])
def test_a_key_frame_numbers_the_keys_as_they_are_given(kind, values):
    engine = opened(kind, ROWS)
    kinds = {str: Kind.TEXT, bool: Kind.BOOLEAN, float: Kind.NUMBER}
    frame = engine.fetch(engine.dialect.text(engine.dialect.key_frame(values, kinds[type(values[0])]))).to_pydict()
    assert dict(zip(frame["cell"], frame["key"], strict=True)) == dict(enumerate(values))


@engines
def test_the_order_of_a_units_groups_is_the_doing_of_its_own_values(kind):
    def order(rows):
        engine = opened(kind, rows)
        text = engine.dialect.hash_order([engine.dialect.literal("salt"), '"who"', '"k"'])
        found = engine.fetch(f'SELECT "who", "k", {text} AS "h" FROM "{SOURCE}"').to_pydict()
        return dict(zip(zip(found["who"], found["k"], strict=True), found["h"], strict=True))

    rows = [row for row in ROWS if row[0] is not None]
    every = order(rows)
    assert order(rows[::-1]) == every
    for who in (1, 2, 3):
        own = order([row for row in rows if row[0] == who])
        assert own == {key: every[key] for key in own}
    assert len(set(every.values())) == len(every)


@engines
@pytest.mark.parametrize(
    "condition", ["1 / x > 0", "x * x > 1", "n + n + n > 0", "x / (x - x) > 1", "CAST(k AS DOUBLE) > 0"]
)
def test_no_row_makes_a_statement_fail(kind, condition):
    parts(opened(kind, ROWS), f"SELECT COUNT(*) FROM t WHERE {condition}")


@engines
def test_a_failure_says_nothing_of_a_row(kind):
    with pytest.raises(ExecutionFailed) as failure:
        opened(kind, ROWS).scan('SELECT secret FROM "nowhere"', 1, 1)
    assert failure.value.__context__ is None
    assert "secret" not in str(failure.value)


@engines
def test_a_session_over_any_engine_answers_and_charges(kind, tmp_path):
    engine = opened(kind, [(who, "a", 1.0, 1) for who in range(100)])
    db = dalenius.connect(
        engine,
        ledger=tmp_path / "l",
        unit="who",
        contributions=1,
        keys={"k": KEYS},
        bounds={"x": (0, 2)},
        budget={"epsilon": 10**6},
    )
    answer = db.sql("SELECT k, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY k", epsilon=10**5)
    assert [round(n) for _, n, _ in answer.rows] == [100, 0, 0, 0, 0]
    assert answer.rows[0][2] == pytest.approx(100, abs=0.1)
    assert db.budget.epsilon == 9 * 10**5
    silent = dalenius.connect(
        engine, ledger=tmp_path / "m", table=None, unit="who", keys={"k": KEYS}, budget={"epsilon": 10**6}
    )
    assert silent.sql("SELECT COUNT(*) FROM t", epsilon=10**4, profile=True).value == pytest.approx(100, abs=0.1)


class NarrowSums(DuckDB):
    """A mutant: sums of 64 bits, which wrap, or fail at a row."""

    class _Dialect(type(DuckDB.dialect)):
        def held(self, total):
            return f"CAST({total} AS BIGINT)"

    dialect = _Dialect()


class LooseWeights(DuckDB):
    """A mutant: weights rounded up."""

    class _Dialect(type(DuckDB.dialect)):
        def row_weight(self, full, most, rows):
            return f"LEAST({full}, {most} // {rows} + 1)"

    dialect = _Dialect()


def test_an_engine_that_breaks_an_obligation_is_caught():
    with pytest.raises(ExecutionFailed):
        test_a_sum_that_is_too_large_is_held_and_never_wraps_or_fails(NarrowSums)
    with pytest.raises(AssertionError):
        test_the_weights_of_a_units_rows_never_sum_to_more_than_its_share(LooseWeights, 7)
    with pytest.raises(AssertionError):
        test_each_unit_adds_what_its_own_rows_add_and_never_more_than_was_proved(LooseWeights, QUESTIONS[0])
