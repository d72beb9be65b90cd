import csv
import io
from fractions import Fraction

import pyarrow as pa
import pytest

from dalenius.curator import Measured, Outcome
from dalenius.curator.release import released
from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Unit
from dalenius.noise import Lattice
from dalenius.queries import Keys
from dalenius.server.answers import answer_arrow, answer_csv, answer_json
from dalenius.sql import connect

HOSTILE = "=cmd|' /C calc'!A0"


@pytest.fixture
def release(tmp_path):
    data = pa.table({"ward": ["a", HOSTILE] * 50})
    session = connect(
        data, table="t", unit="row", ledger=tmp_path / "x", budget={"epsilon": 10}, keys={"ward": ["a", HOSTILE]}
    )
    return session.sql("SELECT ward, COUNT(*) AS n FROM t GROUP BY ward", epsilon=1)


def test_json_holds_rows_with_ends_and_the_release_as_it_is_stored(release):
    told = answer_json(release)
    assert told["columns"] == ["ward", "n", "n_lower", "n_upper"]
    assert [row[0] for row in told["rows"]] == ["a", HOSTILE]
    assert all(low < n < high for _, n, low, high in told["rows"])
    assert type(release).from_dict(told["release"]).value == release.value


def test_no_cell_of_the_csv_is_a_formula(release):
    header, *cells = csv.reader(io.StringIO(answer_csv(release)))
    assert header == ["ward", "n", "n_lower", "n_upper"]
    assert cells[1][0] == "'" + HOSTILE


def test_arrow_has_the_same_columns(release):
    table = pa.ipc.open_stream(answer_arrow(release)).read_all()
    assert table.column_names == ["ward", "n", "n_lower", "n_upper"]
    assert table["n"].to_pylist() == list(release.value["n"])


def test_a_null_key_is_null_in_every_form():
    """A column of whole numbers stays one, and an empty text is no NULL."""
    keys = Keys.among(["year", "ward"], [(2020, ""), (None, None)])
    answer = released(
        Outcome((Measured("n", (1, 2), Lattice(0), Geometric(Fraction(1))),), keys),
        Receipt("t", PureDP(1), Unit.row(), "ab" * 32, 3),
    )
    assert [row[:2] for row in answer_json(answer)["rows"]] == [[2020, ""], [None, None]]
    assert [line.split(",")[:2] for line in answer_csv(answer).splitlines()[1:]] == [["2020", '""'], ["", ""]]
    table = pa.ipc.open_stream(answer_arrow(answer)).read_all()
    assert (table["year"].type, table["ward"].type) == (pa.int64(), pa.string())
    assert table.select(["year", "ward"]).to_pylist()[1] == {"year": None, "ward": None}
