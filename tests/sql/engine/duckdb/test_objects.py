import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from dalenius.sql.engine.duckdb.objects import read_objects
from dalenius.sql.types.column_types import FILE_TYPES
from tests.contracts.sources import hostile

NOON = dt.datetime(2020, 1, 1, 12)
GOOD = {
    "VARCHAR": [("a", "a"), (np.str_("b"), "b"), ("a ", "a "), ("\0", "\0"), ("", "")],
    "BOOLEAN": [(True, True), (np.False_, False)],
    "BIGINT": [(7, 7), (np.int8(7), 7), (7.0, 7), (Decimal("7.0"), 7), (-(2**63), -(2**63)), (2.0**52, 2**52)],
    "INTEGER": [(7, 7), (-(2**31), -(2**31)), (np.float32(3), 3)],
    "DOUBLE": [(1, 1.0), (1.5, 1.5), (Decimal("1.5"), 1.5), (np.float16(0.5), 0.5), (2**100, 2.0**100)],
    "FLOAT": [(0.1, float(np.float32(0.1))), (float("inf"), float("inf"))],
    "DATE": [(dt.date(2020, 1, 1), dt.date(2020, 1, 1)), (np.datetime64("2020-01-01"), dt.date(2020, 1, 1))],
    "TIMESTAMP": [
        (NOON, NOON),
        (pd.Timestamp(NOON), NOON),
        (np.datetime64(NOON), NOON),
        (np.datetime64(NOON, "ns"), NOON),
    ],
}
NONE = [None, float("nan"), pd.NaT, pd.NA, np.datetime64("NaT"), Decimal("nan"), Decimal("snan")]
ODD = [*NONE, b"a", [1], {"a": 1}, object, 1j, dt.timedelta(1), np.timedelta64(1, "s"), dt.time(1), "\ud800", 10**400]
WRONG = {
    "VARCHAR": [*ODD, 1, NOON],
    "BOOLEAN": [*ODD, 1, 0.0, "true"],
    "BIGINT": [*ODD, True, 1.5, 2**63, 2.0**53, "7", Decimal("1.5"), Decimal("1e400"), float("inf"), np.uint64(2**63)],
    "INTEGER": [*ODD, np.True_, 2**31, 1.5],
    "DOUBLE": [one for one in ODD if not isinstance(one, float | Decimal)] + [True, "1.5", Decimal("snan")],
    "FLOAT": [True, 1e39, -1e39, "1", None, 10**400],
    "DATE": [*ODD, NOON, pd.Timestamp(NOON), "2020-01-01", np.datetime64(NOON)],
    "TIMESTAMP": [
        *ODD,
        *(dt.date(2020, 1, 1), NOON.replace(tzinfo=dt.UTC), "2020-01-01", np.datetime64("2020-01-01"), 0),
        *(pd.Timestamp(NOON, tz="UTC"), np.datetime64(2**62, "s")),
    ],
}


@pytest.mark.parametrize("kind", FILE_TYPES)
def test_a_value_of_the_type_is_itself_and_any_other_is_null(kind):
    good, wrong = GOOD[kind], WRONG[kind]
    alone = [read_objects([value], kind).to_pylist()[0] for value, _ in good]
    assert alone == [expected for _, expected in good]
    assert read_objects(wrong, kind).to_pylist() == [None] * len(wrong)
    together = read_objects([*wrong, *(value for value, _ in good)], kind).to_pylist()
    assert together[len(wrong) :] == alone


class Liar(int):
    """A number that fails when it is looked at."""

    def __int__(self):
        raise RuntimeError("secret")

    __index__ = __lt__ = __le__ = __ge__ = __gt__ = __float__ = __int__


@pytest.mark.parametrize("kind", FILE_TYPES)
def test_an_object_that_raises_is_null(kind):
    assert read_objects([Liar(3)], kind).to_pylist() in ([None], [3])


def test_an_object_is_never_asked_what_it_is():
    for kind in FILE_TYPES:
        together = read_objects([*hostile.VALUES, GOOD[kind][0][0]], kind).to_pylist()
        assert together[-1] == GOOD[kind][0][1]
    read = read_objects([hostile.EndingInt(3), hostile.Remembering(5), hostile.Remembering(5)], "BIGINT").to_pylist()
    assert read == [3, 5, 5]
    assert read_objects([hostile.EndingText("a")], "VARCHAR").to_pylist() == ["a"]
    assert read_objects([hostile.EndingTime(2020, 1, 1, 12)], "TIMESTAMP").to_pylist() == [NOON]


def test_a_float_of_fewer_digits_ends_sooner():
    floats = [np.float16(2047), np.float16(2048), np.float32(2**24 - 1), np.float32(2**24), np.longdouble(2) ** 53]
    assert read_objects(floats, "BIGINT").to_pylist() == [2047, None, 2**24 - 1, None, None]
