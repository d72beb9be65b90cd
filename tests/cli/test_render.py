import csv
import io
import json
from fractions import Fraction

import pytest

from dalenius.cli.render import as_csv, as_json, as_table
from dalenius.curator import Measured, Outcome, Release, radius_above
from dalenius.curator.release import released
from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Unit
from dalenius.noise import Lattice
from dalenius.queries import Keys

RECEIPT = Receipt("people", PureDP(0.1), Unit("id"), "ab" * 32, 3)
NUMBER = released(Outcome((Measured("count", (42,), Lattice(0), Geometric(Fraction(10))),)), RECEIPT)
TABLE = released(
    Outcome((Measured("n", (42, 7), Lattice(0), Geometric(Fraction(10))),), Keys("sex", ["Fe[b]male", "Male, other"])),
    RECEIPT,
)


def text(table):
    return table


def test_a_table_shows_the_error_beside_every_number():
    lines = text(as_table(TABLE)).splitlines()
    assert any("Fe[b]male" in line and "42" in line and "30" in line for line in lines)
    assert "count" in text(as_table(NUMBER))


def test_json_holds_rows_with_intervals_and_the_release_itself():
    told = json.loads(as_json(TABLE))
    assert told["rows"][0] == {"sex": "Fe[b]male", "n": 42, "n_lower": 12, "n_upper": 72}
    assert Release.from_dict(told["release"]) == TABLE
    assert json.loads(as_json(NUMBER))["rows"] == [{"count": 42, "count_lower": 12, "count_upper": 72}]


def test_csv_is_read_back_as_written():
    rows = list(csv.DictReader(io.StringIO(as_csv(TABLE))))
    assert rows[1] == {"sex": "Male, other", "n": "7", "n_lower": "-23", "n_upper": "37"}


def test_a_name_is_text_and_no_markup():
    """A closing tag in a name made the table fail after the answer was paid for."""
    measured = Measured("[/n]", (42,), Lattice(0), Geometric(Fraction(10)))
    assert "[/n]" in text(as_table(released(Outcome((measured,)), RECEIPT)))
    shown = text(as_table(released(Outcome((measured,), Keys("[/sex]", ["a"])), RECEIPT)))
    assert "[/sex]" in shown
    assert "[/n]" in shown


@pytest.mark.parametrize(
    ("radius", "told"),
    [
        *((30, "30"), (117, "120"), (4512.3, "4,600"), (0.0123, "0.013"), (0, "0"), (2.0, "2")),
        *((None, "–"), (float("inf"), "∞"), (1.01e300, "1.1e+300"), (1.01e-9, "1.1e-9")),
    ],
)
def test_a_radius_has_two_digits_and_is_rounded_up(radius, told):
    assert radius_above(radius) == told


def lines_of(cells, exponent, scale):
    column = Measured("total", cells, Lattice(exponent), Geometric(Fraction(scale)))
    table = as_table(released(Outcome((column,), Keys("k", [2024, 2025][: len(cells)])), RECEIPT))
    return [line.split() for line in text(table).splitlines()[2:]]


def test_a_number_has_the_digits_that_its_error_leaves_meaning_to():
    assert lines_of((1_234_567 * 1024 + 700, -1), -10, 1024 * 500)[0][:2] == ["2024", "1,234,568"]  # ± 1500
    assert lines_of((1_234_567 * 1024 + 700, -1), -10, 1024 * 500)[1][:2] == ["2025", "0"]
    assert lines_of((25 * 1024 + 307,), -10, 10)[0][:2] == ["2024", "25.300"]  # ± 0.030
    assert lines_of((1_234_567,), 0, 500)[0] == ["2024", "1,234,567", "1,500"]
