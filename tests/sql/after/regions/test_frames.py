from datetime import date, timedelta

import duckdb
import pytest

from dalenius.sql.after.regions.dates import moment
from dalenius.sql.after.regions.frames import runs
from dalenius.sql.after.regions.order import in_order
from dalenius.sql.after.regions.rows import HERE
from dalenius.sql.after.regions.values import Exact, NoRule
from dalenius.sql.engine import language

NUMBERS = [5, 1, 2, 2, None, 9, 4, None, 7, 7, 7]
DAYS = [date(2024, 1, 31) + timedelta(days=step) for step in (0, 1, 3, 29, 30, 60, 61, 90, 120, 29, 2)]
FRAMES = [
    "ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING",
    "ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING",
    "ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN CURRENT ROW AND CURRENT ROW",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW",
    "GROUPS BETWEEN 2 PRECEDING AND 1 PRECEDING",
    "GROUPS BETWEEN CURRENT ROW AND 1 FOLLOWING",
]
OF_NUMBERS = [
    "RANGE BETWEEN 2 PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN 1.5 PRECEDING AND 2 FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING",
    "RANGE BETWEEN 1 FOLLOWING AND 3 FOLLOWING",
]
OF_DAYS = [
    "RANGE BETWEEN INTERVAL 6 DAY PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN INTERVAL 1 MONTH PRECEDING AND INTERVAL 30 DAY FOLLOWING",
    "RANGE BETWEEN INTERVAL 1 WEEK FOLLOWING AND UNBOUNDED FOLLOWING",
]
CASES = [(NUMBERS, frame) for frame in FRAMES + OF_NUMBERS] + [(DAYS, frame) for frame in FRAMES + OF_DAYS]


@pytest.mark.parametrize("order", ["ASC NULLS LAST", "DESC NULLS LAST", "ASC NULLS FIRST", "DESC NULLS FIRST"])
@pytest.mark.parametrize(("keys", "frame"), CASES)
def test_a_frame_holds_the_rows_that_duckdb_takes(keys, frame, order):
    """Rows are told apart by a number; of equal keys the order is not public, so frames of ROWS add it as a key."""
    by = f"k {order}" + (", place" if frame.startswith("ROWS") else "")
    text = f"SELECT place, LIST(place) OVER (ORDER BY {by} {frame}) FROM t ORDER BY place"
    with duckdb.connect() as connection:
        kind = "DATE" if keys is DAYS else "INTEGER"
        connection.execute(f"CREATE TABLE t (place INTEGER, k {kind})")
        connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(keys)))
        theirs = [set(members or ()) for _, members in connection.execute(text).fetchall()]
    spec = language.read(text).expressions[1].args["spec"]
    way = (order.startswith("DESC"), order.endswith("FIRST"))
    rows = [(HERE, (Exact(moment(key) if keys is DAYS else key),)) for key in keys]
    ways = [way]
    if frame.startswith("ROWS"):
        rows = [(HERE, (*key, Exact(place))) for place, (_, key) in enumerate(rows)]
        ways = [way, (False, False)]
    places = in_order(rows, ways)
    mine = {
        place: {places[one] for one in range(*run)}
        for place, run in zip(places, runs(places, rows, ways, spec), strict=True)
    }
    assert [mine[place] for place in range(len(keys))] == theirs


def test_without_a_frame_it_is_all_up_to_its_equals_or_all():
    rows = [(HERE, (Exact(key),)) for key in (1, 2, 2, 3)]
    assert runs(range(4), rows, [(False, False)], None) == [(0, 1), (0, 3), (0, 3), (0, 4)]
    assert runs(range(4), rows, [], None) == [(0, 4)] * 4


@pytest.mark.parametrize(
    "frame",
    [
        "RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW",
        "RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW",
        "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW",
    ],
)
def test_a_frame_without_a_rule_is_refused_by_name(frame):
    spec = language.read(f"SELECT SUM(n) OVER (ORDER BY k {frame}) FROM t").expressions[0].args["spec"]
    with pytest.raises(NoRule, match=r"no rule|written out"):
        runs([0, 1], [(HERE, (Exact(1),)), (HERE, (Exact(2),))], [(False, False)], spec)
