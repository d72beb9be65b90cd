from datetime import UTC, datetime, timedelta, timezone

import pytest

from dalenius.ledger.moments import later, not_before, written


def test_a_moment_is_written_in_utc_so_that_texts_sort_as_times_do():
    east = datetime(2026, 1, 1, 1, 30, 0, 999, tzinfo=timezone(timedelta(hours=2)))
    assert written(east) == "2025-12-31T23:30:00+00:00"
    assert written(east) < written(datetime(2026, 1, 1, tzinfo=UTC))


def test_time_is_the_later_of_clock_and_last_entry():
    assert later(None, "2026") == "2026"
    assert later("2027", "2026") == "2027"
    assert later("2026", "2027") == "2027"


def test_a_new_link_that_goes_back_is_refused_and_an_old_one_is_not():
    early, late = "2020-01-01T00:00:00+00:00", "2030-01-01T00:00:00+00:00"
    assert not_before(late, {"version": 2, "time": early}) == late
    assert not_before(early, {"version": 3, "time": late}) == late
    assert not_before(late, {"receipt": "x"}) is None
    with pytest.raises(ValueError, match="dated before"):
        not_before(late, {"version": 3, "time": early})
