"""First, last and best rows of a person: what DuckDB gives, whatever order the rows stand in."""

import math

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from sqlglot import exp

import dalenius
from dalenius.errors import UnsupportedQuery
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.compile import compile_query

ROWS = 3000
EACH = "SELECT person, {} AS x FROM visits GROUP BY person"
CASES = (
    ("SELECT AVG(x) AS m FROM ({})", "ARG_MAX(cost, day)"),
    ("SELECT AVG(x) AS m FROM ({})", "ARG_MIN(cost, place)"),
    ("SELECT AVG(x) AS m FROM ({})", "MAX_BY(cost, day)"),
    ("SELECT x, COUNT(*) AS n FROM ({}) GROUP BY x ORDER BY x", "ARG_MAX(shop, place)"),
    ("SELECT x, COUNT(*) AS n FROM ({}) GROUP BY x ORDER BY x", "FIRST(shop ORDER BY place)"),
    ("SELECT x, COUNT(*) AS n FROM ({}) GROUP BY x ORDER BY x", "LAST(shop ORDER BY place)"),
    ("SELECT SUM(x) AS s FROM ({})", "FIRST(cost ORDER BY day DESC, place)"),
    ("SELECT COUNT(x) AS n FROM ({})", "FIRST(cost ORDER BY day NULLS FIRST, place)"),
    ("SELECT SUM(x) AS s FROM ({})", "ARG_MAX(cost, day * 1000 + place) - ARG_MIN(cost, day * 1000 + place)"),
)


def visits(seed=5):
    """A person's places differ, `day` has ties and gaps; where day is equal so is cost, and nothing hangs on ties."""
    rng = np.random.default_rng(seed)
    person, day = rng.integers(0, 400, ROWS), rng.integers(0, 6, ROWS)
    cost = (person * 7 + day * 13) % 50.0
    return pa.table(
        {
            "person": person,
            "day": pa.array([None if one == 5 else int(one) for one in day]),
            "place": rng.permutation(ROWS),
            "cost": cost,
            "shop": rng.choice(["a", "b", "c"], ROWS),
        }
    )


def session(folder, table):
    return dalenius.connect(
        table,
        table="visits",
        unit="person",
        contributions=1,
        budget={"epsilon": 10**9},
        ledger=folder / "picks.ledger",
        bounds={"cost": (0, 50), "day": (0, 6), "place": (0, ROWS)},
        keys={"shop": ["a", "b", "c"]},
    )


@pytest.mark.parametrize(("outer", "call"), CASES)
def test_a_value_of_one_row_of_a_person_is_duckdbs(tmp_path, outer, call):
    query = outer.format(EACH.format(call))
    with duckdb.connect() as connection:
        connection.register("visits", visits())
        exact = connection.execute(query).fetchall()
    released = session(tmp_path, visits()).sql(query, epsilon=10**7)
    got = released.rows if "GROUP BY x" in outer else [(released.value,)]
    assert len(got) == len(exact)
    for mine, theirs in zip(got, exact, strict=True):
        assert [float(one) if not isinstance(one, str) else one for one in mine] == pytest.approx(
            [float(one) if not isinstance(one, str) else one for one in theirs], abs=0.05
        )


def scanned(call, order, rows):
    """The exact sum of what is taken, from rows in some order."""
    who, cost, day = (pa.array([rows[at][place] for at in order]) for place in range(3))
    terms = Policy.declare(
        *("visits", {"person": "BIGINT", "cost": "DOUBLE", "day": "DOUBLE"}),
        unit="person",
        bounds={"cost": (-50, 50)},
        contributions=1,
    )
    compiled = compile_query(f"SELECT SUM(x * x + x) AS s, COUNT(x) AS n FROM ({EACH.format(call)})", terms)
    engine = DuckDB(pa.table({"person": who, "cost": cost, "day": day}), table="visits")
    return engine.scan(compiled.scan, compiled.cells, len(compiled.parts)).tolist()


@pytest.mark.parametrize(
    "call",
    [
        "ARG_MAX(cost, day)",
        "ARG_MIN(cost, day)",
        "FIRST(cost ORDER BY day)",
        "LAST(cost ORDER BY day DESC NULLS FIRST)",
    ],
)
def test_ties_are_broken_by_the_value_itself_and_not_by_where_a_row_stands(call, monkeypatch):
    """Rows in any order, with ties, both zeros, NaN and NULL: the same value for each person, to the last bit."""
    odd = [0.0, -0.0, math.nan, None, 3.0, -7.0, 50.0]
    rows = [(person, odd[(person + at) % 7], odd[at % 3 * 2]) for person in range(40) for at in range(9)]
    orders = [np.random.default_rng(seed).permutation(len(rows)).tolist() for seed in range(6)]
    assert len({str(scanned(call, order, rows)) for order in orders}) == 1
    # without the value among what orders the rows it would hang on where they stand
    monkeypatch.setattr(
        "dalenius.sql.tables.subquery_picks._in_order", lambda value, terms: exp.Order(this=value, expressions=terms)
    )
    assert len({str(scanned(call, order, rows)) for order in orders}) > 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("FIRST(cost)", r"needs an order of its own.*FIRST\(x ORDER BY y\)"),
        ("LAST(cost)", r"needs an order of its own"),
        ("ARG_MAX(cost, day, 3)", "takes a value and what decides"),
        ("ARG_MAX(SUM(cost), day)", "aggregate inside"),
        ("FIRST(NULL ORDER BY day)", "NULL decides nothing"),
        ("ANY_VALUE(cost ORDER BY day)", "must not hang on the order of rows"),
    ],
)
def test_what_would_hang_on_how_rows_are_stored_is_refused(tmp_path, call, said):
    with pytest.raises(UnsupportedQuery, match=said):
        session(tmp_path, visits()).sql(f"SELECT AVG(CLAMP(x, 0, 1)) FROM ({EACH.format(call)})", epsilon=1)
