import math
import random

import duckdb
import pytest

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.sql import Policy
from dalenius.sql.tables.subquery import resolve
from dalenius.sql.text.parse import parse

TERMS = Policy.declare(
    *("t", {"who": "BIGINT", "x": "DOUBLE", "b": "BOOLEAN", "s": "VARCHAR"}),
    unit="who",
    contributions=1,
    bounds={"x": (-1e6, 1e6)},
)
ODD = [math.nan, math.inf, -math.inf, 1e308, -0.0, 5e-324, None]


def computed(aggregate, values, order=1):
    """The aggregate of one unit's x."""
    rows = resolve(parse(f"SELECT COUNT(*) FROM (SELECT {aggregate} AS a FROM t GROUP BY who) AS q"), TERMS, {}).rows
    with duckdb.connect(config={"threads": 1}) as plain:
        plain.execute("SET ieee_floating_point_ops = true")
        plain.execute('CREATE TABLE "source" (who BIGINT, x DOUBLE, b BOOLEAN, s VARCHAR)')
        given = [[1, value, None if value is None else value > 0, str(value)] for value in values]
        plain.executemany('INSERT INTO "source" VALUES (?, ?, ?, ?)', given[::order])
        return plain.execute(f"SELECT a FROM ({rows.sql(dialect='duckdb')})").fetchone()[0]


def test_sums_and_averages_are_those_of_exact_arithmetic():
    drawn = random.Random(5)
    values = [drawn.uniform(-1e6, 1e6) for _ in range(200)]
    assert computed("SUM(x)", values) == pytest.approx(math.fsum(values), abs=200 * 2**-30)
    assert computed("AVG(x)", values) == pytest.approx(math.fsum(values) / 200, abs=2**-30)
    assert computed("SUM(x)", [0.5, 1.25, -3, 7]) == 5.75
    assert computed("AVG(x)", [1, 2, 4.5]) == 2.5


@pytest.mark.parametrize("aggregate", ["SUM(x)", "AVG(x)", "MIN(x)", "MAX(x)", "COUNT(x)", "COUNT(DISTINCT x)"])
def test_odd_values_make_no_failure_and_no_order(aggregate):
    assert computed(aggregate, [*ODD, 1.0]) == computed(aggregate, [*ODD, 1.0], -1)
    assert str(computed(aggregate, [-0.0, 0.0])) == str(computed(aggregate, [0.0, -0.0]))


def test_each_value_is_held_inside_of_the_bounds():
    assert computed("SUM(x)", [math.inf, 1e308, -5e7, 3.0, None, math.nan]) == 1e6 + 1e6 - 1e6 + 3
    assert computed("SUM(CLAMP(x, 0, 2))", [5.0, -3.0, 1.0]) == 3
    assert computed("SUM(b)", [5.0, -3.0, 1.0, None]) == 2
    assert computed("SUM(x)", [None, math.nan]) is None
    assert computed("AVG(x)", [None]) is None


def test_counts_pass_over_what_is_no_number():
    assert computed("COUNT(x)", ODD) == 5
    assert computed("COUNT(*)", ODD) == 7
    assert computed("COUNT(DISTINCT x)", [1.0, 1.0, -0.0, 0.0, math.nan, None]) == 2
    assert computed("COUNT(s)", [1.0, math.nan]) == 2
    assert computed("COUNT(DISTINCT s)", [1.0, 1.0, 2.0]) == 2


def test_extremes_of_every_kind():
    assert computed("MIN(s)", [2.0, 1.5]) == "1.5"
    assert computed("MAX(b)", [2.0, -1.0]) is True
    assert computed("BOOL_AND(b)", [2.0, -1.0]) is False
    assert computed("BOOL_OR(x > 1)", [2.0, -1.0]) is True
    assert computed("MAX(x) - MIN(x)", [2.0, -1.0]) == 3


@pytest.mark.parametrize(
    ("aggregate", "kind", "said"),
    [
        ("SUM(LENGTH(s))", UnboundedQuery, "CLAMP"),
        ("SUM(CLAMP(x, 0, 1e-299))", UnsupportedQuery, "too near to 0"),
        ("SUM(s)", UnsupportedQuery, "takes a number"),
        ("STDDEV(x)", UnsupportedQuery, "order of rows"),
        ("MEDIAN(DISTINCT x)", UnsupportedQuery, "no rule"),
        ("MODE(DISTINCT s)", UnsupportedQuery, "no rule"),
        ("STRING_AGG(s)", UnsupportedQuery, "order of rows"),
        ("COUNT(DISTINCT x, s)", UnsupportedQuery, "one expression"),
        ("MAX(x, 2)", UnsupportedQuery, "one expression"),
        ("COUNT(NULL)", UnsupportedQuery, "nothing to ask"),
        ("BOOL_OR(x)", UnsupportedQuery, "boolean"),
        ("COUNT(* EXCLUDE (x))", UnsupportedQuery, "one expression"),
    ],
)
def test_what_has_no_exact_rule_is_refused(aggregate, kind, said):
    with pytest.raises(kind, match=said):
        computed(aggregate, [1.0])


def test_the_mean_of_equal_numbers_is_that_number_to_its_last_digit():
    terms = Policy.declare("t", {"who": "BIGINT", "a": "DOUBLE"}, unit="who", contributions=1, bounds={"a": (0, 10**6)})
    query = "SELECT COUNT(*) AS n FROM (SELECT who, AVG(a) AS m FROM t GROUP BY who) AS q"
    statement = resolve(parse(query), terms, {}).rows.sql(dialect="duckdb")
    values = {1: [0.1], 2: [123.456, 123.456], 3: [2e6], 4: [1.0, 2.0], 5: [None]}
    with duckdb.connect() as opened:
        opened.execute('CREATE TABLE "source" (who BIGINT, a DOUBLE)')
        opened.executemany('INSERT INTO "source" VALUES (?, ?)', [[who, one] for who in values for one in values[who]])
        assert dict(opened.execute(statement).fetchall()) == {1: 0.1, 2: 123.456, 3: 1e6, 4: 1.5, 5: None}


def test_the_middle_and_the_oftenest_are_those_of_the_values_however_they_stand():
    """By hand: of equally frequent values the least; a median of values held in the bounds, without NaN and NULL."""
    terms = Policy.declare("t", {"who": "BIGINT", "a": "DOUBLE"}, unit="who", contributions=1, bounds={"a": (0, 10)})
    query = "SELECT COUNT(*) AS n FROM (SELECT who, MEDIAN(a) AS m, MODE(a) AS o FROM t GROUP BY who) AS q"
    statement = resolve(parse(query), terms, {}).rows.sql(dialect="duckdb")
    nan = float("nan")
    values = {1: [3.0, 1, 3, 1, 2], 2: [8.0, 99.0], 3: [None, nan], 4: [5.0, None, nan, 5, 2], 5: [-0.0, 0.0, 7]}
    with duckdb.connect() as opened:
        opened.execute('CREATE TABLE "source" (who BIGINT, a DOUBLE)')
        opened.executemany('INSERT INTO "source" VALUES (?, ?)', [[who, one] for who in values for one in values[who]])
        found = {who: (middle, often) for who, middle, often in opened.execute(statement).fetchall()}
    assert found == {1: (2, 1), 2: (9, 8), 3: (None, None), 4: (5, 5), 5: (0, 0)}
