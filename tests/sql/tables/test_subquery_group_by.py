import pytest

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.sql import Policy
from dalenius.sql.tables.subquery import resolve
from dalenius.sql.text.parse import parse

POLICY = Policy.declare(
    *("t", {"who": "BIGINT", "k": "VARCHAR", "x": "DOUBLE", "sex": "VARCHAR"}),
    unit="who",
    contributions=5,
    keys={"k": ["a", "b"], "sex": ["f", "m"]},
    bounds={"x": (-1, 4)},
    attributes=["sex"],
)


def table_of(inner):
    return resolve(parse(f"SELECT COUNT(*) FROM ({inner}) AS q"), POLICY, {}).table


def test_keys_and_extremes_keep_what_is_known_of_them():
    table = table_of("SELECT who, k, MAX(sex) AS s, MIN(x) AS m, AVG(x) AS a, SUM(x) AS t FROM t GROUP BY who, k")
    assert {name: keys.values for name, keys in table.keys.items()} == {"k": ("a", "b"), "s": ("f", "m")}
    assert table.bounds == {"m": (-1, 4), "a": (-1, 4), "t": (-5, 20)}  # of five rows, where a query says no other
    assert table.unit == "who"
    assert not table.single
    assert table.attributes == set()


def test_a_unit_has_one_row_unless_a_key_tells_its_rows_apart():
    assert table_of("SELECT who, COUNT(*) AS n FROM t GROUP BY who").single
    assert table_of("SELECT who, sex, COUNT(*) AS n FROM t GROUP BY who, sex").single
    assert table_of("SELECT who, LOWER(sex) AS low FROM t GROUP BY 1, 2").attributes == {"low"}
    assert not table_of("SELECT who, k FROM t GROUP BY who, k").single
    assert table_of("SELECT sex, x FROM t").attributes == {"sex"}


def test_equal_numbers_are_one_key_written_one_way():
    rows = resolve(parse("SELECT COUNT(*) FROM (SELECT who, x FROM t GROUP BY who, x) AS q"), POLICY, {}).rows
    assert "= 0e0 THEN 0e0" in rows.sql(dialect="duckdb")


@pytest.mark.parametrize(
    ("inner", "kind", "said"),
    [
        ("SELECT k FROM t GROUP BY k", UnboundedQuery, "must GROUP BY who"),
        ("SELECT who FROM t GROUP BY ROLLUP (who)", UnsupportedQuery, "no ALL"),
        ("SELECT DISTINCT ON (who) who, k FROM t", UnsupportedQuery, "without ON"),
        ("SELECT DISTINCT who, COUNT(*) AS n FROM t GROUP BY who", UnsupportedQuery, "without ON"),
        ("SELECT COUNT(*) AS n FROM t GROUP BY who, n", UnsupportedQuery, "without aggregates"),
    ],
)
def test_rows_of_several_people_are_never_made_one(inner, kind, said):
    with pytest.raises(kind, match=said):
        table_of(inner)


def test_the_least_of_a_persons_months_is_one_of_the_months():
    policy = Policy.declare(
        *("t", {"who": "BIGINT", "day": "DATE"}),
        unit="who",
        contributions=5,
        bounds={"day": ("2023-01-15", "2023-03-02")},
    )
    inner = "SELECT who, DATE_TRUNC('month', day) AS m, MIN(DATE_TRUNC('week', day)) AS w FROM t GROUP BY 1, 2"
    table = resolve(parse(f"SELECT COUNT(*) FROM ({inner}) AS q"), policy, {}).table
    assert table.keys["m"].values == ("2023-01-01", "2023-02-01", "2023-03-01")
    assert table.keys["w"].values[0] == "2023-01-09"
    assert len(table.keys["w"].values) == 8
