import csv
import io
import json
from fractions import Fraction

import duckdb
import openpyxl
import pytest

from dalenius.curator import Arrangement, Measured, Outcome, ShownKey
from dalenius.curator.answer.key_types import DATE, noted
from dalenius.curator.release import released
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Unit
from dalenius.noise import Lattice
from dalenius.queries import Keys

RECEIPT = Receipt("people", PureDP(0.1), Unit("id"), "ab" * 32, 3)


def measured(name, *values):
    return Measured(name, values, Lattice(0), Geometric(Fraction(10)))


NUMBER = released(Outcome((measured("n", 42),)), RECEIPT)
NUMBERS = released(Outcome((measured("n", 42), measured("m", 7))), RECEIPT)
TABLE = released(Outcome((measured("n", 42, 7),), Keys("k", ["=a", "b"])), RECEIPT)


def test_answers_of_every_shape_iterate_index_and_convert():
    assert (list(NUMBER), list(NUMBERS), list(TABLE)) == ([(42,)], [(42, 7)], [("=a", 42), ("b", 7)])
    assert (len(NUMBER), len(TABLE)) == (1, 2)
    assert (NUMBER["n"], NUMBERS["m"], TABLE["n"], TABLE[1]) == (42, 7, (42, 7), ("b", 7))
    assert float(NUMBER) == 42.0
    assert bool(released(Outcome((measured("n", 1),), Keys("k", ["a"]), arrangement=Arrangement(limit=0)), RECEIPT))
    for answer in (NUMBER, NUMBERS, TABLE):
        rows = len(answer)
        assert answer.to_pandas().shape[0] == answer.to_polars().shape[0] == answer.to_arrow().num_rows == rows
    with pytest.raises(UnknownName, match="'x'"):
        TABLE["x"]
    for answer in (NUMBERS, TABLE):
        with pytest.raises(InvalidParameter, match="not one number"):
            float(answer)


def test_intervals_come_along_where_they_are_asked_for():
    low, high = NUMBER.interval(0.95)
    frame = NUMBER.to_pandas(intervals=True)
    assert (frame.n_lower[0], frame.n_upper[0]) == (low, high)
    assert list(TABLE.to_polars(intervals=True).columns) == ["k", "n", "n_lower", "n_upper"]
    assert list(TABLE.to_arrow().column_names) == ["k", "n"]


def test_files_hold_the_same_and_no_formula(tmp_path):
    rows = list(csv.DictReader(io.StringIO(TABLE.to_csv(tmp_path / "a.csv"))))
    assert rows[0]["k"] == "'=a"
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == TABLE.to_csv()
    assert json.loads(TABLE.to_json(tmp_path / "a.json"))[1]["n"] == 7
    TABLE.to_excel(tmp_path / "a.xlsx")
    cells = list(openpyxl.load_workbook(tmp_path / "a.xlsx").worksheets[0].iter_rows(values_only=True))
    assert cells[1][0] == "'=a"
    assert cells[2][1] == 7
    with pytest.raises(InvalidParameter, match="xlsx"):
        TABLE.to_excel(tmp_path / "a.csv")


def test_a_table_plots_and_a_number_says_why_not():
    assert TABLE.plot().to_dict()["data"]
    with pytest.raises(InvalidParameter, match="GROUP BY"):
        NUMBER.plot()


GAPS = {
    **{"whole": [2020, 2021, None], "text": ["NULL", "", None], "yes": [True, False, None], "real": [0.5, 1.5, None]},
    "day": ["2024-01-31", "2024-02-29", None],
}
GAPPED = released(
    Outcome(
        (measured("n", 42, 7, 3),),
        Keys.among(list(GAPS), zip(*GAPS.values(), strict=True)),
        notes=noted({4: DATE}),
    ),
    RECEIPT,
)


def test_a_null_among_keys_leaves_columns_their_type():
    table = GAPPED.to_arrow()
    assert {name: str(table[name].type) for name in GAPS} == {
        **{"whole": "int64", "text": "string", "yes": "bool", "real": "double", "day": "date32[day]"}
    }
    assert table.to_pylist()[2] == dict.fromkeys(GAPS, None) | {"n": 3}
    frame = GAPPED.to_pandas()
    assert (str(frame["whole"].dtype), str(frame["yes"].dtype), str(frame["real"].dtype)) == (
        "Int64",
        "boolean",
        "float64",
    )
    assert list(frame["whole"][:2]) == [2020, 2021]
    assert all(frame[name].isna().tolist() == [False, False, True] for name in GAPS)
    polars = GAPPED.to_polars()
    assert [str(polars[name].dtype) for name in GAPS] == ["Int64", "String", "Boolean", "Float64", "Date"]
    assert polars.null_count().row(0) == (1, 1, 1, 1, 1, 0)
    assert str(TABLE.to_pandas()["n"].dtype) == "int64"


def test_a_null_key_is_an_empty_field_and_an_empty_text_is_not(tmp_path):
    """As DuckDB's COPY writes both, and reads both."""
    file = tmp_path / "a.csv"
    lines = GAPPED.to_csv(file, intervals=False).splitlines()
    assert lines[1:] == ["2020,NULL,True,0.5,2024-01-31,42", '2021,"",False,1.5,2024-02-29,7', ",,,,,3"]
    read = duckdb.sql(f"SELECT whole, text, n FROM read_csv('{file}', allow_quoted_nulls = false)").fetchall()
    assert read == [(2020, "NULL", 42), (2021, "", 7), (None, None, 3)]
    chosen = released(Outcome((measured("n", 1, 2),), Keys("k", ["", None]), (ShownKey("k", 0),)), RECEIPT)
    duckdb.sql(f"COPY (SELECT * FROM (VALUES (''), (NULL)) AS t (k)) TO '{file}'")
    assert chosen.to_csv() == file.read_text(encoding="utf-8")


def test_a_null_key_is_null_in_json_empty_in_excel_and_none_in_python(tmp_path):
    assert json.loads(GAPPED.to_json(intervals=False))[2] == dict.fromkeys(GAPS, None) | {"n": 3}
    GAPPED.to_excel(tmp_path / "a.xlsx", intervals=False)
    sheet = list(openpyxl.load_workbook(tmp_path / "a.xlsx").active.iter_rows(values_only=True))
    assert sheet[3] == (None,) * 5 + (3,)
    assert GAPPED["whole"] == (2020, 2021, None)
    assert GAPPED[2] == (None,) * 5 + (3,)
    assert GAPPED.rows[2] == GAPPED[2]


def test_a_null_key_is_stored_and_read_back_as_it_is():
    for form in (lambda one: one, lambda one: json.loads(json.dumps(one))):
        again = released(Outcome.from_dict(form(GAPPED.outcome.to_dict())), RECEIPT)
        assert again.outcome == GAPPED.outcome
        assert again.rows == GAPPED.rows
