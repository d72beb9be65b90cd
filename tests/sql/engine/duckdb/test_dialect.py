import math

import duckdb
import pytest

from dalenius.sql.engine import DIALECT


@pytest.mark.parametrize("square", [1, 2, 3, 2**52 + 1, 2**53 + 1, 2**85 - 1])
def test_a_root_is_never_below_the_true_one(square):
    text = DIALECT.root_above('"s"')
    ((found,),) = duckdb.execute(f'SELECT {text} FROM (SELECT CAST({square} AS HUGEINT) AS "s") AS t').fetchall()
    assert found > math.isqrt(square << 40)


@pytest.mark.parametrize("value", ["'inf'", "'-inf'", "1e308", "-1e308", "0.25"])
def test_a_place_lies_on_its_grid(value):
    text = DIALECT.place('"x"', 0.0, 16.0, 15)
    ((found,),) = duckdb.execute(f'SELECT {text} FROM (SELECT CAST({value} AS DOUBLE) AS "x") AS t').fetchall()
    assert 0 <= found <= 15


def test_a_number_is_counted_in_a_where_unless_it_is_null_or_nan():
    rows = "VALUES (1, NULL::DOUBLE), (2, 'nan'), (3, 'inf'), (4, 0.0), (5, '-nan')"
    counted = DIALECT.is_counted('"x"')
    kept = duckdb.execute(f'SELECT n FROM ({rows}) AS t(n, "x") WHERE {counted}').fetchall()
    assert kept == [(3,), (4,)]
