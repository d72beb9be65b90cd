from datetime import date, datetime

import pyarrow as pa
import pytest

from dalenius.curator.answer.key_types import NOTE, kind_of, noted, typed


def test_texts_become_dates_and_times_by_the_note_and_what_is_absent_stays():
    notes = noted({0: "date", 2: "timestamp"})
    assert typed(notes, 0, ["2024-02-29", None]) == (date(2024, 2, 29), None)
    assert typed(notes, 2, ["2024-02-29 23:00:00"]) == (datetime(2024, 2, 29, 23),)
    assert typed(notes, 1, ["2024-02-29"]) == ("2024-02-29",)
    assert noted({}) == {}


@pytest.mark.parametrize("note", [None, 7, [], {"0": 1}, {"0": []}, {"0": "interval"}, {0: "date"}])
def test_a_note_that_says_nothing_leaves_texts(note):
    assert kind_of({NOTE: note}, 0) is None
    assert typed({NOTE: note}, 0, ["2024-01-01"]) == ("2024-01-01",)


def test_a_column_has_one_type_if_one_value_does_not_read_so_none_does():
    assert typed(noted({0: "date"}), 0, ["2024-01-01", "total"]) == ("2024-01-01", "total")


MONTHS = "SELECT DATE_TRUNC('month', day) AS m, COUNT(*) AS n FROM visits GROUP BY m"
STATEMENT = (
    "SELECT m, LAG(m) OVER (ORDER BY m) AS before, CAST(m AS TEXT) AS text, n * 2 AS twice "
    f"FROM ({MONTHS}) AS t ORDER BY m"
)


@pytest.fixture
def db(tmp_path):
    from dalenius import connect

    days = [date(2024, 1 + number % 3, 5) for number in range(60)]
    times = [datetime(2024, 1, 1, number % 24) for number in range(60)]
    rows = pa.table({"who": [f"p{number}" for number in range(60)], "day": days, "at": times})
    bounds = {"day": ("2024-01-01", "2024-03-31"), "at": ("2024-01-01", "2024-01-01")}
    terms = {"bounds": bounds, "contributions": 1, "budget": {"epsilon": 1000, "delta": "1e-3"}}
    return connect(rows, table="visits", unit="who", ledger=tmp_path / "a.ledger", **terms)


def test_keys_leave_with_their_types_and_are_stored_as_before(db):
    answer = db.sql(MONTHS, epsilon=1)
    months = (date(2024, 1, 1), date(2024, 2, 1), date(2024, 3, 1))
    assert (answer.value["m"], answer["m"], answer.rows[0][0]) == (months, months, months[0])
    assert answer.to_arrow(intervals=True).schema.field("m").type == pa.date32()
    assert list(answer.to_pandas()["m"]) == list(months)
    assert answer.outcome.keys.facts()["values"] == [str(month) for month in months]
    assert '"m": "2024-01-01"' in answer.to_json()
    assert answer.to_csv().splitlines()[1].startswith("2024-01-01,")
    assert type(answer).from_dict(answer.to_dict()).value["m"] == months
    hours = db.sql("SELECT DATE_TRUNC('hour', at) AS h, COUNT(*) AS n FROM visits GROUP BY h", epsilon=1)
    assert hours.to_arrow().schema.field("h").type == pa.timestamp("us")
    assert hours.value["h"][1] == datetime(2024, 1, 1, 1)


def test_keys_that_are_found_have_the_type_of_what_was_asked(db):
    found = db.sql("SELECT day, COUNT(*) AS n FROM visits GROUP BY day", epsilon=100, delta="1e-4", groups=1)
    assert all(type(day) is date for day in found.value["day"])


def test_a_statement_has_the_types_of_the_engine_also_for_who_reads_it_elsewhere(db):
    answer = db.sql(STATEMENT, epsilon=1)
    assert answer.value["m"][:2] == (date(2024, 1, 1), date(2024, 2, 1))
    assert answer.value["before"][:2] == (None, date(2024, 1, 1))
    assert answer.value["text"][0] == "2024-01-01"
    assert type(answer).from_dict(answer.to_dict()).value["before"] == answer.value["before"]


def test_a_view_is_filtered_by_texts_as_before_and_gives_dates(db):
    db.sql(f"CREATE PRIVATE VIEW months AS {MONTHS}", epsilon=1)
    part = db.sql("SELECT m, n FROM months WHERE m >= '2024-02-01'")
    assert part.value["m"] == (date(2024, 2, 1), date(2024, 3, 1))
    assert db.sql("SELECT MAX(m) AS last FROM months").value["last"] in ((date(2024, 3, 1),), date(2024, 3, 1))
