"""Clocks are those of the zone database, second by second, and every time has one."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pytest
from sqlglot import exp

from dalenius.errors import InvalidParameter
from dalenius.sql.types.time_zones import time_zone

ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kolkata"]
FAR = [
    *("infinity", "-infinity", "290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54.775806", "0001-01-01 00:00:00"),
    *("9999-12-31 23:59:59.999999", "1969-12-31 23:59:59", "2100-06-01 00:00:00"),
]
TIME = exp.column("ts", quoted=True)


def computed(tree, times):
    """The expression of each time, by the engine in a session of another zone."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("SET TimeZone = 'Asia/Tokyo'")
        values = ", ".join(f"({place}, CAST('{one}' AS TIMESTAMP))" for place, one in enumerate(times))
        query = f'SELECT {tree.sql("duckdb")} FROM (VALUES {values}) AS v(place, "ts") ORDER BY place'
        return [value for (value,) in connection.execute(query).fetchall()]


def instants(zone, size=300):
    """Times spread over the years, and many around the changes of a zone."""
    random = np.random.default_rng(3)
    spread = [datetime(1970, 1, 2) + timedelta(seconds=int(at)) for at in random.integers(0, 80 * 31_556_952, size)]
    near = [
        one.instant.replace(tzinfo=None) + timedelta(minutes=by)
        for one in time_zone(zone).changes[-40:]
        for by in (-61, -1, 0, 29, 30, 59, 60, 61)
    ]
    return spread + near


@pytest.mark.parametrize("zone", ZONES)
def test_a_clock_is_that_of_the_database(zone):
    times = instants(zone)
    expected = [one.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) for one in times]
    assert computed(time_zone(zone).clock(TIME), times) == expected


@pytest.mark.parametrize(
    ("own", "other"), [*zip(ZONES, [*ZONES[1:], "UTC"], strict=True), ("Europe/Berlin", "Europe/Paris")]
)
def test_the_time_on_another_clock_is_that_of_the_first_instant_that_this_one_shows(own, other):
    """By PEP 495: of a time that occurs twice the first, and one that is skipped by the offset from before."""
    times = instants(own) + instants(other)
    expected = [
        one.replace(tzinfo=ZoneInfo(own)).astimezone(UTC).astimezone(ZoneInfo(other)).replace(tzinfo=None)
        for one in times
    ]
    assert computed(time_zone(own).seen_from(TIME, time_zone(other)), times) == expected


@pytest.mark.parametrize("zone", ZONES)
def test_every_time_has_a_clock_or_none_and_no_error(zone):
    for tree in (time_zone(zone).clock(TIME), time_zone(zone).seen_from(TIME, time_zone("America/New_York"))):
        values = computed(tree, FAR)
        assert values[:6] == [None] * 6
        assert None not in values[6:]


def test_a_zone_that_the_database_lacks_is_refused():
    for name in ("Mars/Phobos", "", "../../etc/passwd", "europe"):
        with pytest.raises(InvalidParameter, match="a time zone is one of the zone database"):
            time_zone(name)
