import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import DaleniusError, UnsupportedQuery

VISITS = {
    "patient": [1, 1, 2, 3, 3, 3, None, 2],
    "bp": [1.0, 2.0, 3.0, 4.0, 5.0, float("nan"), 7.0, float("inf")],
    "smoker": [True, False, True, None, True, False, True, False],
    "day": [None] * 8,
}
PATIENTS = {"patient": [1, 2, 3, 4], "age": [30, 40, 50, 60], "city": ["a", "b", None, "d"]}


@pytest.fixture
def db(tmp_path):
    return dalenius.connect(
        pa.table(VISITS),
        table="visits",
        tables={"patients": pa.table(PATIENTS)},
        bounds={"bp": (0, 10)},
        unit="patient",
        dataset="clinic",
        budget={"epsilon": 1},
        ledger=tmp_path / "x.ledger",
    )


def test_each_row_comes_with_the_number_of_rows_of_its_person(db):
    found = db.rows("SELECT bp, smoker, bp * 2 AS twice FROM visits WHERE smoker IS NOT NULL")
    assert found.names == ("bp", "smoker", "twice")
    assert found.bounds == ((0, 10), None, (0, 20))
    assert repr(found) == "SelectedRows(private)"
    table = found._read().to_pydict()
    assert sorted(table["rows of unit"]) == [2, 2, 2, 2, 2, 2]  # counted after WHERE, nobody's row left out
    assert len(table["bp"]) == 6


def test_rows_are_counted_after_a_join(db):
    found = db.rows("SELECT age, bp FROM visits JOIN patients ON visits.patient = patients.patient")._read().to_pydict()
    expected = [(2, 30), (2, 30), (2, 40), (2, 40), (3, 50), (3, 50), (3, 50)]
    assert sorted(zip(found["rows of unit"], found["age"], strict=True)) == expected


def test_rows_that_are_units_count_one(tmp_path):
    one = dalenius.connect(
        pa.table(PATIENTS), table="t", unit="row", budget={"epsilon": 1}, ledger=tmp_path / "y.ledger"
    )
    assert one.rows("SELECT age, city FROM t")._read().to_pydict()["rows of unit"] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM visits",
        "SELECT * FROM visits",
        "SELECT bp FROM visits LIMIT 3",
        "SELECT bp FROM visits ORDER BY bp",
        "SELECT bp FROM visits GROUP BY bp",
        "SELECT DISTINCT bp FROM visits",
        "SELECT bp, bp FROM visits",
        "SELECT bp, SUM(bp) OVER () AS s FROM visits",
        "SELECT day FROM visits",
        "SELECT READ_CSV('x') FROM visits",
        "SELECT bp FROM elsewhere",
        "DROP TABLE visits",
    ],
)
def test_what_is_no_row_of_a_person_is_refused_for_nothing(db, text):
    with pytest.raises(DaleniusError):
        db.rows(text)
    assert db.budget.epsilon == 1


def test_refusals_name_the_language(db):
    with pytest.raises(UnsupportedQuery, match="without aggregates"):
        db.rows("SELECT AVG(bp) FROM visits")
