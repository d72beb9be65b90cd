from datetime import date, datetime, time

import pytest

from dalenius import dbapi
from dalenius.dbapi.types import type_of


def test_the_module_says_what_pep_249_asks_for():
    assert (dbapi.apilevel, dbapi.threadsafety, dbapi.paramstyle) == ("2.0", 1, "qmark")


def test_constructors_give_python_s_own_types():
    assert dbapi.Date(2024, 1, 2) == date(2024, 1, 2)
    assert dbapi.Time(1, 2, 3) == time(1, 2, 3)
    assert dbapi.Timestamp(2024, 1, 2, 3, 4, 5) == datetime(2024, 1, 2, 3, 4, 5)
    assert dbapi.Binary(b"x") == b"x"
    now = datetime(2024, 5, 6, 7, 8, 9)
    ticks = now.timestamp()
    assert dbapi.DateFromTicks(ticks) == now.date()
    assert dbapi.TimeFromTicks(ticks) == now.time()
    assert dbapi.TimestampFromTicks(ticks) == now


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", None], dbapi.STRING),
        ([1, 2.5, None], dbapi.NUMBER),
        ([True], dbapi.BOOLEAN),
        ([2020, None], dbapi.NUMBER),
        ([date(2024, 1, 2), None], dbapi.DATETIME),
        ([datetime(2024, 1, 2), None], dbapi.DATETIME),
        ([None], dbapi.NUMBER),
        ([], dbapi.NUMBER),
    ],
)
def test_a_column_has_the_type_of_what_was_released(values, kind):
    assert type_of(values) == kind


def test_type_objects_differ():
    kinds = [dbapi.STRING, dbapi.NUMBER, dbapi.BINARY, dbapi.DATETIME, dbapi.ROWID, dbapi.BOOLEAN]
    assert len(set(kinds)) == len(kinds)
