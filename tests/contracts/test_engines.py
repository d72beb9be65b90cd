"""What the proofs ask of an engine, over every engine: docs/theory/engines.md, one test for each obligation."""

import math
import re
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
FIRST = "(SELECT who, k, x, ROW_NUMBER() OVER (PARTITION BY who ORDER BY {} ) AS r FROM t) AS q WHERE r = 1"
ACROSS_ROWS = [
    f"SELECT k, COUNT(*) FROM {FIRST.format('k')} GROUP BY k",
    f"SELECT SUM(CLAMP(x, -2, 3)) FROM {FIRST.format('k DESC')}",
    "SELECT SUM(CLAMP(y, -2, 3)) FROM (SELECT who, LAG(x) OVER (PARTITION BY who ORDER BY n) AS y FROM t) AS q",
    "SELECT COUNT(*) FROM (SELECT who, MIN(k) AS least, MAX(x) AS most FROM t GROUP BY who) AS q WHERE least = 'A'",
    "SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1 FROM t AS o WHERE o.who = t.who AND o.x > 2)",
    "SELECT COUNT(*) FROM t WHERE NOT EXISTS (SELECT 1 FROM t AS o WHERE o.who = t.who AND o.n IS NULL)",
    "SELECT COUNT(*) FROM t WHERE who NOT IN (SELECT o.who FROM t AS o WHERE o.n > 15)",
    "SELECT k, COUNT(*) FROM t WHERE k LIKE 'a%' OR k < 'P' GROUP BY k",
]
"""Questions whose rows are made of several rows of one unit, or compare texts."""
QUESTIONS += ACROSS_ROWS

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


@engines
def test_the_first_row_of_a_unit_is_the_first_by_bytes(kind):
    """'A' lies before 'a', and 'å' after every letter of ASCII, whatever language the machine speaks."""
    owned = [KEYS, KEYS[1:], ["å", "o'hara"]]
    rows = [(who, key, 0.0, 0) for who, keys in enumerate(owned) for key in keys]
    answer, _ = parts(opened(kind, rows), ACROSS_ROWS[0])
    firsts = [min(keys, key=str.encode) for keys in owned]
    assert dict(zip(KEYS, (answer[0] // ONE).tolist(), strict=True)) == {key: firsts.count(key) for key in KEYS}


@engines
@pytest.mark.parametrize("query", ACROSS_ROWS)
def test_ties_are_broken_by_the_row_and_never_by_its_place(kind, query):
    random, every = np.random.default_rng(4), parts(opened(kind, ROWS), query)[0]
    for _ in range(3):
        shuffled = [ROWS[place] for place in random.permutation(len(ROWS))]
        assert np.array_equal(parts(opened(kind, shuffled), query)[0], every)


@engines
def test_exists_is_true_or_false_and_a_row_of_nobody_is_nobodys(kind):
    rows = [(1, "a", 3.0, 1), (1, "a", 0.0, 1), (2, "a", 0.0, None), (2, "a", None, 2), (None, "a", 3.0, None)]
    engine = opened(kind, rows)
    counted = [int(parts(engine, query)[0].sum()) // ONE for query in ACROSS_ROWS[4:7]]
    assert counted == [2, 2, 4]  # both rows of 1; both rows of 1; everybody's, though one row of nobody has no number


@engines
@pytest.mark.parametrize(("pattern", "matched"), [("a%", 2), ("_", 3), ("%'%", 1)])
def test_a_pattern_is_matched_letter_by_letter_and_tells_cases_apart(kind, pattern, matched):
    rows = [(who, key, 0.0, 0) for who, key in enumerate(KEYS)]
    written = pattern.replace("'", "''")
    assert parts(opened(kind, rows), f"SELECT COUNT(*) FROM t WHERE k LIKE '{written}'")[0].sum() == matched * ONE


@engines
@pytest.mark.parametrize("query", ["SELECT COUNT(*) FROM t", "SELECT SUM(x) FROM t", "SELECT AVG(x), COUNT(*) FROM t"])
def test_survey_weights_are_the_same_whole_numbers_in_every_engine(kind, query):
    def weighed(engine):
        policy = Policy.declare(
            *("t", engine.columns),
            **{"unit": "who", "contributions": 3, "bounds": {"x": (-2, 3)}, "weight": {"column": "n", "most": 10**18}},
        )
        compiled = compile_query(query, policy, dialect=engine.dialect)
        return engine.scan(compiled.scan, compiled.cells, len(compiled.parts))

    whole = weighed(opened(kind, ROWS))
    assert np.array_equal(whole, weighed(opened(DuckDB, ROWS)))
    assert np.array_equal(
        whole, sum(weighed(opened(kind, [row for row in ROWS if row[0] == who])) for who in (1, 2, 3, 4))
    )


DATED = {"duckdb": DuckDB}
"""Engines that read dates and times; one that does not refuses their types when a table is opened."""
FAR = [-(2**63) + 1, -(2**62), 0, 1_711_846_800_000_000, 2**62, 2**63 - 1, None]
TIMES = [
    *("CAST(ts AS DATE)", "CAST(ts AS VARCHAR)", "DATE_TRUNC('month', ts)", "DATE_DIFF('day', ts, CURRENT_DATE)"),
    *("ts + INTERVAL 1 MONTH", "STRFTIME(ts, '%Y-%m')", "HOUR(ts)", "DAYNAME(ts)", "EXTRACT(year FROM AGE(ts))"),
    *("ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin'", "HOUR(ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata')"),
]


def timed(kind, zone=None, **more):
    return kind(
        pa.table({"who": range(len(FAR)), "ts": pa.array(FAR, pa.int64()).cast(pa.timestamp("us", zone))}),
        table="t",
        **more,
    )


@pytest.mark.parametrize("kind", DATED.values(), ids=DATED)
@pytest.mark.parametrize("value", TIMES)
def test_functions_of_times_are_total_and_of_one_time_alone(kind, value):
    engine = timed(kind)
    policy = Policy.declare("t", engine.columns, unit="who", contributions=1, as_of="2024-06-01")
    for condition in (f"{value} IS NULL", f"{value} IS NOT NULL"):
        compiled = compile_query(f"SELECT COUNT(*) FROM t WHERE {condition}", policy, dialect=engine.dialect)
        assert 0 <= engine.scan(compiled.scan, 1, 1)[0, 0] <= len(FAR) * ONE


@pytest.mark.parametrize("kind", DATED.values(), ids=DATED)
def test_no_setting_of_the_machine_moves_a_time(kind, monkeypatch):
    asked = f'SELECT "ts" FROM "{SOURCE}" WHERE "who" = 3'
    told = []
    for zone in ("UTC", "Asia/Tokyo"):
        monkeypatch.setenv("TZ", zone)
        engine = timed(kind, "America/New_York")
        told.append(engine.fetch(asked).to_pydict()["ts"])
        assert engine.fetch("SELECT current_setting('TimeZone') AS z").to_pydict()["z"] == ["UTC"]
    assert told[0] == told[1]


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


class Rewriting(DuckDB):
    """A mutant that writes something else than it was given."""

    @classmethod
    def made(cls, pattern, other):
        class Dialect(type(DuckDB.dialect)):
            def text(self, tree):
                return re.sub(pattern, other, super().text(tree))

        return type("Rewritten", (cls,), {"dialect": Dialect(), "__slots__": ()})


def test_an_engine_that_reads_texts_or_rows_otherwise_is_caught():
    caseless = Rewriting.made(r" LIKE ", " ILIKE ")
    with pytest.raises(AssertionError):
        test_a_pattern_is_matched_letter_by_letter_and_tells_cases_apart(caseless, "a%", 2)
    collated = Rewriting.made(r'ORDER BY "source"."k" ASC', 'ORDER BY "source"."k" COLLATE NOACCENT ASC')
    with pytest.raises(AssertionError):
        test_the_first_row_of_a_unit_is_the_first_by_bytes(collated)
    placed = Rewriting.made(r'"n" AS DOUBLE\) ASC, .*?"n" ASC\)', '"n" AS DOUBLE) ASC)')
    with pytest.raises(AssertionError):
        test_ties_are_broken_by_the_row_and_never_by_its_place(placed, ACROSS_ROWS[2])
    nobodys = Rewriting.made(r'NOT "inner0"."c0" IS NULL AND "inner0"."c0" = "source"."who"', "TRUE")
    with pytest.raises(AssertionError):
        test_exists_is_true_or_false_and_a_row_of_nobody_is_nobodys(nobodys)
    with pytest.raises(AssertionError):
        test_each_unit_adds_what_its_own_rows_add_and_never_more_than_was_proved(nobodys, ACROSS_ROWS[4])


def test_an_engine_that_breaks_an_obligation_is_caught():
    with pytest.raises(ExecutionFailed):
        test_a_sum_that_is_too_large_is_held_and_never_wraps_or_fails(NarrowSums)
    with pytest.raises(AssertionError):
        test_the_weights_of_a_units_rows_never_sum_to_more_than_its_share(LooseWeights, 7)
    with pytest.raises(AssertionError):
        test_each_unit_adds_what_its_own_rows_add_and_never_more_than_was_proved(LooseWeights, QUESTIONS[0])
