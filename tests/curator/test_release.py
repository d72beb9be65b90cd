import json
from fractions import Fraction

import pytest

from dalenius.curator import Arrangement, Measured, NumberRelease, Outcome, Release, TableRelease
from dalenius.curator.release import released
from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Lattice
from dalenius.queries import Keys

RECEIPT = Receipt("people", PureDP(0.1), Unit("id"), "ab" * 32, 3)
NUMBER = released(Outcome((Measured("count", (42,), Lattice(0), Geometric(Fraction(10))),)), RECEIPT)
TABLE = released(
    Outcome((Measured("n", (42, 7), Lattice(0), Geometric(Fraction(10))),), Keys("sex", ["Female", "Male"])), RECEIPT
)


def test_a_number_has_value_error_interval_and_price():
    assert isinstance(NUMBER, NumberRelease)
    assert (NUMBER.value, NUMBER.accuracy(0.05), NUMBER.interval(0.95)) == (42, 30, (12, 72))
    assert (NUMBER.guarantee, NUMBER.unit, NUMBER.receipt) == (PureDP(0.1), Unit("id"), RECEIPT)


def test_a_table_has_columns_rows_and_intervals():
    assert isinstance(TABLE, TableRelease)
    assert TABLE.columns == ("sex", "n")
    assert TABLE.value == {"sex": ("Female", "Male"), "n": (42, 7)}
    assert TABLE.rows == [("Female", 42), ("Male", 7)]
    assert TABLE.accuracy(0.05) == {"n": 30}
    assert TABLE.interval(0.95) == {"n": ((12, 72), (-23, 37))}
    assert TABLE.intervals(0.95) == TABLE.value | {"n_lower": (12, -23), "n_upper": (72, 37)}
    assert TABLE.intervals(0.95, joint=True)["n_upper"] > (72, 37)


def test_a_table_becomes_any_frame():
    assert TABLE.to_arrow().to_pydict() == {"sex": ["Female", "Male"], "n": [42, 7]}
    assert TABLE.to_pandas()["n"].tolist() == [42, 7]
    assert TABLE.to_polars()["sex"].to_list() == ["Female", "Male"]


@pytest.mark.parametrize("release", [NUMBER, TABLE])
def test_a_release_comes_back_from_json(release):
    assert Release.from_dict(json.loads(json.dumps(release.to_dict()))) == release


def test_the_relation_is_kept():
    receipt = Receipt("p", PureDP(1, Relation.CHANGE_ONE), Unit.row(Relation.CHANGE_ONE), "00", 1)
    assert Release.from_dict(released(NUMBER.outcome, receipt).to_dict()).unit.relation is Relation.CHANGE_ONE


def test_repr_is_what_was_released():
    assert repr(NUMBER) == str(NUMBER) == "42 ± 30 (95 %)\ncost ε = 0.1"
    lines = repr(TABLE).splitlines()
    assert lines[:4] == ["sex      n  ± 95 %", "─" * 18, "Female  42      30", "Male     7      30"]
    assert lines[4] == "cost ε = 0.1"


@pytest.mark.parametrize("columns", [1, 2])
def test_a_number_that_is_sifted_out_is_absent_and_anywhere(columns):
    measured = tuple(Measured(f"n{i}", (5,), Lattice(0), Geometric(Fraction(10))) for i in range(columns))
    receipt = Receipt("people", PureDP(1), Unit.row(), "head", 1)
    release = released(Outcome(measured, arrangement=Arrangement(limit=0)), receipt)
    value, ends = release.value, release.interval(0.95)
    if columns == 2:
        value, ends = value["n1"], ends["n1"]
    assert (value, ends) == (None, (-float("inf"), float("inf")))
    assert repr(release).count("–") == columns
