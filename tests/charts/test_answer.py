import math
from fractions import Fraction

import pyarrow as pa
import pytest

import dalenius
from dalenius.charts import answer, is_drawable, save
from dalenius.charts.answer import MOST_BARS
from dalenius.curator import Measured, Outcome
from dalenius.curator.release import released
from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Unit
from dalenius.noise import Lattice
from dalenius.queries import Keys


@pytest.fixture
def db(tmp_path):
    rows = {"city": ["Lund", "Lund", "Umeå"], "year": [1, 2, 2], "age": [20.0, 30.0, 40.0]}
    return dalenius.connect(
        pa.table(rows),
        table="people",
        unit="row",
        budget={"epsilon": 10**4},
        ledger=tmp_path / "people.ledger",
        keys={"city": ["Lund", "Umeå"], "year": [1, 2]},
        bounds={"age": (0, 100)},
    )


def drawn(chart):
    return chart.to_dict()["data"]["values"]


def test_every_bar_is_a_released_number_and_every_whisker_its_interval(db):
    release = db.sql("SELECT city, COUNT(*) AS n FROM people GROUP BY city ORDER BY city DESC", epsilon=1)
    rows = drawn(answer(release, level=0.8))
    assert [row["key"] for row in rows] == ["Umeå", "Lund"]
    assert tuple(row["value"] for row in rows) == release.value["n"]
    assert tuple((row["lower"], row["upper"]) for row in rows) == release.interval(0.8)["n"]


def test_a_second_key_has_colors_and_a_column_is_chosen_by_name(db):
    release = db.sql("SELECT city, year, COUNT(*) AS n, AVG(age) AS a FROM people GROUP BY city, year", epsilon=100)
    chart = answer(release, column="a").to_dict()
    rows = chart["data"]["values"]
    assert [(row["key"], row["name"]) for row in rows] == [("Lund", "1"), ("Lund", "2"), ("Umeå", "1"), ("Umeå", "2")]
    assert tuple(row["value"] for row in rows) == release.value["a"]
    assert chart["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["1", "2"]
    assert chart["title"] == "a by city and year, with 95 % intervals"
    assert drawn(answer(release)) != rows


def test_absent_numbers_and_infinite_ends_are_left_out(db):
    release = db.sql("SELECT city, COUNT(*) / (COUNT(*) - COUNT(*)) AS none FROM people GROUP BY city", epsilon=1)
    assert release.value["none"] == (None, None)
    for row in drawn(answer(release)):
        assert row["value"] is None
        assert all(end is None or math.isfinite(end) for end in (row["lower"], row["upper"]))


def test_a_picture_and_a_page_are_made(db, tmp_path):
    chart = answer(db.sql("SELECT city, year, COUNT(*) AS n FROM people GROUP BY city, year", epsilon=1))
    assert save(chart, tmp_path / "answer.png").read_bytes()[:4] == b"\x89PNG"
    assert save(chart, tmp_path / "answer.html").read_text(encoding="utf-8").startswith("<!DOCTYPE")


def test_what_has_no_such_picture_is_refused(db):
    with pytest.raises(InvalidParameter, match="GROUP BY"):
        answer(db.sql("SELECT COUNT(*) FROM people", epsilon=1))
    release = db.sql(
        "CREATE PRIVATE VIEW v AS SELECT city, year, COUNT(*) AS n FROM people GROUP BY city, year", epsilon=1
    )
    with pytest.raises(InvalidParameter, match="one of n, got 'age'"):
        answer(release, column="age")
    with pytest.raises(InvalidParameter, match="level"):
        answer(release, level=2)
    with pytest.raises(InvalidParameter, match="no number"):
        answer(db.sql("SELECT city FROM v"))
    with pytest.raises(InvalidParameter, match="one or two keys, got 0"):
        answer(db.sql("SELECT n FROM v"))


def test_more_bars_than_an_eye_can_tell_apart_are_refused(tmp_path):
    db = dalenius.connect(
        pa.table({"k": [1]}),
        table="t",
        unit="row",
        budget={"epsilon": 1},
        ledger=tmp_path / "t.ledger",
        keys={"k": range(MOST_BARS + 1)},
    )
    with pytest.raises(InvalidParameter, match="LIMIT"):
        answer(db.sql("SELECT k, COUNT(*) AS n FROM t GROUP BY k", epsilon=1))


def test_what_can_be_drawn_is_told_beforehand(db):
    asked = {
        "SELECT city, COUNT(*) AS n FROM people GROUP BY city": True,
        "SELECT COUNT(*) AS n FROM people": False,
        "SELECT city, MEDIAN(age) AS m FROM people GROUP BY city": False,
        f"SELECT n, m FROM (SELECT COUNT(*) AS m FROM people), GENERATE_SERIES(0, {MOST_BARS}) AS g(n)": False,
    }
    for text, drawable in asked.items():
        release = db.sql(text, epsilon=1)
        assert is_drawable(release) is drawable
        if drawable:
            assert answer(release)
        else:
            with pytest.raises(InvalidParameter):
                answer(release)


def test_a_null_key_has_a_bar_with_a_label_of_its_own():
    receipt = Receipt("people", PureDP(1), Unit("id"), "ab" * 32, 3)
    numbers = Measured("n", (1, 2, 3), Lattice(0), Geometric(Fraction(1)))
    keys = Keys.among(["city", "year"], [("NULL", 1), (None, 1), ("Lund", None)])
    rows = drawn(answer(released(Outcome((numbers,), keys), receipt)))
    assert [(row["key"], row["name"]) for row in rows] == [("'NULL'", "1"), ("NULL", "1"), ("Lund", "NULL")]
