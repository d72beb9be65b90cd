import pyarrow as pa
import pytest

from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.tables.joinable import read_public

POLICY = Policy.declare(
    "t", {"who": "BIGINT", "k": "VARCHAR"}, unit="who", contributions=2, keys={"k": ["a", "b"]}, null_keys=["k"]
)
ZONES = pa.table({"k": ["a", "b", "c"], "zone": ["n", "s", "n"], "hall": ["x", None, "x"]})
OTHERS = {"z": read_public("z", ZONES)[0], "y": read_public("y", ZONES.rename_columns(["k2", "z2", "h2"]))[0]}


def keys_of(query):
    (key,) = compile_query(query, POLICY, None, OTHERS).keys
    return key.values


@pytest.mark.parametrize(
    ("source", "term", "keys"),
    [
        ("t LEFT JOIN z ON t.k = z.k", "zone", ("n", "s", None)),
        ("t JOIN z ON t.k = z.k", "zone", ("n", "s")),
        ("t JOIN z ON t.k = z.k", "hall", ("x", None)),
        ("t LEFT JOIN z ON t.k = z.k", "t.k", ("a", "b", None)),
        ("t JOIN z ON t.k = z.k", "t.k", ("a", "b")),
        ("t LEFT JOIN z ON t.k = z.k WHERE z.k = 'a'", "zone", ("n", "s")),
        ("t LEFT JOIN z ON t.k = z.k WHERE z.k IS NOT NULL", "zone", ("n", "s")),
        ("t LEFT JOIN z ON t.k = z.k WHERE z.k IN ('a', 'b') AND t.k <> 'c'", "zone", ("n", "s")),
        ("t LEFT JOIN z ON t.k = z.k WHERE z.k = 'a' OR t.k = 'b'", "zone", ("n", "s", None)),
        ("t LEFT JOIN z ON t.k = z.k WHERE zone = 'n'", "zone", ("n",)),
        ("t LEFT JOIN z ON t.k = z.k JOIN y ON z.k = y.k2", "zone", ("n", "s")),
        ("t LEFT JOIN z ON t.k = z.k LEFT JOIN y ON z.k = y.k2", "zone", ("n", "s", None)),
        ("t LEFT JOIN z ON t.k = z.k", "COALESCE(zone, 'none')", ("n", "s", "none")),
        ("(SELECT who, zone FROM t LEFT JOIN z ON t.k = z.k) AS q", "zone", ("n", "s", None)),
        ("(SELECT who, k FROM t WHERE k IS NOT NULL) AS q", "k", ("a", "b")),
        ("(SELECT who, NULLIF(k, 'a') AS g FROM t) AS q", "g", ("a", "b", None)),
        ("(SELECT who, MAX(k) AS g FROM t GROUP BY who) AS q", "g", ("a", "b", None)),
        ("(SELECT who, COUNT(k) > 1 AS g FROM t GROUP BY who) AS q", "g", (False, True)),
        ("(SELECT who, LAG(k) OVER (PARTITION BY who ORDER BY k) AS g FROM t) AS q", "g", ("a", "b", None)),
        (
            "(SELECT who, LAG(k, 1, 'a') OVER (PARTITION BY who ORDER BY k) AS g FROM t WHERE k > '') AS q",
            "g",
            ("a", "b"),
        ),
        ("(SELECT who, k FROM t WHERE k = 'a' UNION ALL SELECT who, k FROM t) AS q", "k", ("a", "b", None)),
    ],
)
def test_null_is_a_key_of_what_may_be_empty(source, term, keys):
    assert keys_of(f"SELECT {term} AS o, COUNT(*) AS n FROM {source} GROUP BY 1") == keys
