import math

import pytest

from dalenius.sql import Policy
from dalenius.sql.engine import evaluated
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.rows import can_be_null, null_values, row_expression
from dalenius.sql.text.parse import parse

COLUMNS = {
    **{
        "k": "VARCHAR",
        "n": "INTEGER",
        "x": "DOUBLE",
        "d": "DATE",
        "ts": "TIMESTAMP",
        "b": "BOOLEAN",
        "free": "VARCHAR",
    },
    **{"loose": "DOUBLE", "u": "VARCHAR", "y": "DOUBLE"},
}
BOUNDS = {
    "n": (0, 9),
    "x": (0, 100),
    "d": ("2024-01-01", "2024-03-31"),
    "ts": ("2024-01-01", "2024-03-31"),
    "y": (0, 9),
}
POLICY = Policy.declare(
    "t",
    COLUMNS,
    unit="row",
    keys={"k": ["A", "B"], "u": ["A"]},
    bounds=BOUNDS,
    null_keys=["k", "x", "d"],
    fill={"y": 3},
)


def of(term, where=None):
    tree = parse(f"SELECT {term} AS g FROM t" + (f" WHERE {where}" if where else ""))
    node = tree.expressions[0].unalias()
    return can_be_null(node, row_expression(node, POLICY), POLICY, tree.args["where"].this if where else None)


@pytest.mark.parametrize(
    "term",
    [
        *("k", "x", "d", "UPPER(k)", "FLOOR(x / 10)", "DATE_TRUNC('month', d)", "x > 3", "k = 'A'", "NULLIF(u, 'A')"),
        *("CASE WHEN n > 3 THEN 'a' END", "CASE WHEN x < 50 THEN 'lo' END", "CASE WHEN free = 'z' THEN 1 END"),
        *("CASE WHEN loose < 5 THEN 'a' WHEN loose > 5 THEN 'b' END", "CASE WHEN ts < '2024-02-01' THEN 1 END"),
        *("CAST(k AS INTEGER)", "1 / n", "CASE WHEN y < 3 THEN 'a' END", "COALESCE(k, NULLIF(u, 'A'))"),
    ],
)
def test_a_term_that_some_declared_value_makes_null_can_be_null(term):
    assert of(term)


@pytest.mark.parametrize(
    "term",
    [
        *("u", "n", "b", "y", "COALESCE(k, 'none')", "k IS NULL", "n > 3", "CASE WHEN n > 3 THEN 'a' ELSE 'b' END"),
        *("CASE WHEN n >= 5 THEN 'a' WHEN n < 5 THEN 'b' END", "CASE WHEN y >= 3 THEN 1 WHEN y < 3 THEN 2 END"),
        *("CASE WHEN loose < 5 THEN 'a' WHEN loose >= 5 THEN 'b' END", "CASE WHEN ts >= '2024-01-01' THEN 1 END"),
        *("1 / (n + 1)", "LEAST(n, 3)", "MONTH(ts)", "COALESCE(x, 0) > 3", "LENGTH(free)"),
    ],
)
def test_a_term_that_no_declared_value_makes_null_is_not(term):
    assert not of(term)


@pytest.mark.parametrize(
    ("term", "where", "null"),
    [
        *(("k", "k = 'A'", False), ("k", "k IN ('A', 'B')", False), ("k", "k IS NOT NULL", False)),
        *(
            ("k", "k <> 'A'", False),
            ("k", "k IS NULL", True),
            ("k", "n = 3", True),
            ("k", "k = 'A' OR k IS NULL", True),
        ),
        *(("CASE WHEN x < 5 THEN 1 END", "x < 5", False), ("CASE WHEN x < 5 THEN 1 END", "x > 50", True)),
        *(("NULLIF(k, 'A')", "k = 'B'", False), ("NULLIF(k, 'A')", "k LIKE 'A'", True)),
    ],
)
def test_a_condition_on_its_columns_decides(term, where, null):
    assert of(term, where) == null


def test_of_many_columns_as_many_values_are_tried_as_fit():
    assert of("CASE WHEN x + loose > 3 THEN k || free END")


def keys_of(query, policy=POLICY):
    return [key.values for key in compile_query(query, policy).keys]


def test_null_stands_last_among_the_keys_of_a_query():
    assert keys_of("SELECT k, COUNT(*) FROM t GROUP BY k") == [("A", "B", None)]
    assert keys_of("SELECT k, COUNT(*) FROM t WHERE k IS NULL GROUP BY k") == [(None,)]
    assert keys_of("SELECT u, COUNT(*) FROM t WHERE u IS NULL GROUP BY u") == [(None,)]
    assert keys_of("SELECT MONTH(d), COUNT(*) FROM t GROUP BY 1") == [(1, 2, 3, None)]


def test_keys_of_one_column_are_null_together():
    compiled = compile_query("SELECT MONTH(d), DATE_TRUNC('month', d), COUNT(*) FROM t GROUP BY 1, 2", POLICY)
    assert [compiled.labels(cell) for cell in range(compiled.cells)] == [
        *((month, f"2024-0{month}-01") for month in (1, 2, 3)),
        (None, None),
    ]


def test_a_number_that_no_key_can_be_is_no_null():
    """2⁶⁰ is a value of the expression, and none of its cells; nor is it NULL."""
    assert keys_of("SELECT POWER(n + 1, 60) AS p, COUNT(*) FROM t WHERE n < 2 GROUP BY 1") == [(1,)]


WIDE = Policy.declare(
    "t",
    {**{f"n{place}": "DOUBLE" for place in range(40)}, **{f"c{place}": "VARCHAR" for place in range(40)}},
    unit="row",
    keys={f"c{place}": ["a", "b", "c"] for place in range(40)},
)


@pytest.mark.parametrize("size", [2, 5, 10, 14, 40])
@pytest.mark.parametrize(("rest", "null"), [("", True), (" ELSE 'z'", False)])
@pytest.mark.parametrize("sign", ["<", ">"])
def test_of_many_columns_few_combinations_are_tried(monkeypatch, size, rest, null, sign):
    tried = []

    def counted(trees, columns):
        tried.append(math.prod(len(values) for _, values in columns.values()))
        return evaluated(trees, columns)

    monkeypatch.setattr(null_values, "evaluated", counted)
    branches = " ".join(f"WHEN n{place} {sign} {place} AND c{place} = 'b' THEN 'v{place}'" for place in range(size))
    node = parse(f"SELECT CASE {branches}{rest} END FROM t").expressions[0]
    assert can_be_null(node, row_expression(node, WIDE), WIDE) is null
    assert sum(tried) <= 8 * 20_000
