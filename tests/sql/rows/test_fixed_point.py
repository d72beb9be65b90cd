from fractions import Fraction

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.sql.rows.fixed_point import scale_around, scale_between

ends = st.fractions(min_value=-(10**30), max_value=10**30, max_denominator=10**12)


@given(ends, ends, st.integers(12, 30))
def test_a_scale_is_the_finest_that_fits_its_bits(a, b, bits):
    low, high = min(a, b), max(a, b)
    scale = scale_between(low, high, bits)
    assert 0 < scale.high <= 2**bits
    assert scale.base + scale.width >= high
    around = scale_around(low, high, bits)
    assert max(-around.low, around.high) <= 2**bits
    assert around.low * around.step <= low
    assert around.high * around.step >= high


@pytest.mark.parametrize("value", ["'nan'", "'inf'", "'-inf'", "1e308", "-1e308", "5e-324", "NULL", "0.5", "-0.0"])
def test_no_number_leaves_the_range(value):
    for scale in (scale_between(Fraction(-3), Fraction(7), 30), scale_around(Fraction(-3), Fraction(7), 30)):
        whole = scale.whole().sql(dialect="duckdb")
        with duckdb.connect() as connection:
            (found,) = connection.execute(f'SELECT {whole} FROM (SELECT CAST({value} AS DOUBLE) AS "v")').fetchone()
        assert found is None if value in ("'nan'", "NULL") else scale.low <= found <= scale.high
