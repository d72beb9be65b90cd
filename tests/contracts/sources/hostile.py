"""Python objects that lie, raise, end the process or change others when they are asked what they are."""

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pandas as pd


class Ending:
    """Asked for its class, it ends the process."""

    @property
    def __class__(self):
        raise SystemExit("secret")

    __hash__ = None

    def __eq__(self, other):
        raise KeyboardInterrupt

    def __repr__(self):
        raise SystemExit("secret")

    __str__ = __bool__ = __float__ = __int__ = __index__ = __len__ = __iter__ = __array__ = __repr__


def _raises(self, *_):
    raise SystemExit("secret")


_ASKED = ("__int__", "__index__", "__float__", "__str__", "__repr__", "__abs__", "__lt__", "__eq__", "__bool__")
_body = {**dict.fromkeys(_ASKED, _raises), "__hash__": lambda self: 0, "encode": _raises, "tzinfo": property(_raises)}
EndingInt, EndingFloat, EndingText, EndingDecimal, EndingDate, EndingTime = (
    type(f"Ending{kind.__name__}", (kind,), {**_body, "year": property(_raises)})
    for kind in (int, float, str, Decimal, dt.date, dt.datetime)
)


class Remembering(int):
    """A number that is another each time it is asked."""

    asked = 0

    def __int__(self):
        Remembering.asked += 1
        return Remembering.asked

    __index__ = __int__

    def __float__(self):
        return float(int(self))


VALUES = [
    Ending(),
    EndingInt(3),
    EndingFloat(1.5),
    EndingText("a"),
    EndingDecimal("1.5"),
    EndingDate(2020, 1, 1),
    EndingTime(2020, 1, 1),
    Remembering(5),
    *(None, math.nan, pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("snan"), 10**400, -0.0, 2.0**53, 1j),
    *(np.float32(2**24), np.float16(2048), np.longdouble(2) ** 60, np.uint64(2**63), np.timedelta64(1, "s"), True),
    *("\ud800", b"\xff", bytearray(b"a"), [1], {}, object(), int, dt.time(1), dt.timedelta(1), "x" * 5000),
    pd.Timestamp(np.datetime64("20000-01-01", "s")),
    pd.Timestamp("2020-01-01", tz="UTC"),
]
