import csv
import io
import json
from fractions import Fraction

import openpyxl
import pytest

from dalenius.curator import Arrangement, Measured, Outcome
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
