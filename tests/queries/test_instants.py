import datetime
import math

import numpy as np
import pandas as pd
import pytest

from dalenius.queries.instants import instant, instants

DAY = datetime.date(2024, 2, 29)


@pytest.mark.parametrize("unit", ["D", "h", "m", "s", "ms", "us", "ns"])
def test_the_unit_of_a_column_does_not_show_in_its_rows(unit):
    column = np.array(["2024-02-29", "1969-12-31", "NaT"], f"datetime64[{unit}]")
    assert instants(column) == [np.datetime64("2024-02-29", "us"), np.datetime64("1969-12-31", "us"), None]
    assert all(value is None or value.dtype == "datetime64[us]" for value in instants(column))


@pytest.mark.parametrize(
    "value",
    [
        *(DAY, datetime.datetime(2024, 2, 29), pd.Timestamp("2024-02-29"), np.datetime64("2024-02-29", "ns")),
        *(pd.Timestamp("2024-02-29 00:00:00.000000999"), pd.Timestamp("2024-02-29 01:00", tz="Europe/Stockholm")),
    ],
)
def test_a_date_is_one_value_whatever_type_it_came_in(value):
    told = instant(value)
    assert told == np.datetime64("2024-02-29", "us")
    assert told.dtype == "datetime64[us]"


def test_parts_of_a_microsecond_are_rounded_down_before_1970_too():
    column = np.array([-1, -1001, 1999], "datetime64[ns]")
    assert [int(value.view(np.int64)) for value in instants(column)] == [-1, -2, 1]
    assert instant(pd.Timestamp(-1)) == instants(column)[0]


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "s", "us", "as", "7D"])
@pytest.mark.parametrize("number", [2**63 - 1, -(2**63) + 1, -(2**63), 0])
def test_no_date_fails(unit, number):
    told = instants(np.array([number]).view(f"datetime64[{unit}]"))
    assert told[0] is None or told[0].dtype == "datetime64[us]"
    assert (told[0] is not None) == (number == 0 or (unit == "as" and number != -(2**63)))


@pytest.mark.parametrize(
    "value", [pd.NaT, datetime.date.max, datetime.datetime.min, np.datetime64("NaT"), math.nan, "x"]
)
def test_what_is_no_date_stays_and_nothing_fails(value):
    assert instant(value) is value or instant(value) is None or isinstance(instant(value), np.datetime64)


def test_months_and_years_begin_on_their_first_day():
    assert instants(np.array(["2024", "1960"], "datetime64[Y]")) == [
        np.datetime64("2024-01-01", "us"),
        np.datetime64("1960-01-01", "us"),
    ]
