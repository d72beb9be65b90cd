import warnings

import pyarrow as pa
import pytest

import dalenius
from dalenius.sql import Policy, PolicyWarning
from dalenius.sql.policy.doubts import doubts_at_connect, listed, unit_doubt

COLUMNS = {"visit_id": "BIGINT", "patient_id": "BIGINT", "cost": "DOUBLE"}


def doubts(unit, **terms):
    return list(doubts_at_connect(Policy.declare("visits", COLUMNS, unit=unit, **terms)))


def test_a_number_of_rows_beside_a_person_is_warned_of_from_names_alone():
    assert "'patient_id' stands beside it" in doubts("visit_id")[0]
    assert "each row" in doubts("row", rows_per_unit="one")[0]
    assert "each row" in unit_doubt(Policy.declare("visits", COLUMNS, unit="row"))
    assert not doubts("row")
    assert doubts("visit_id", rows_per_unit="one")
    assert not doubts("patient_id")
    assert not doubts("patient_id", rows_per_unit="one")
    assert not doubts("visit_id", rows_per_unit="many")


def test_terms_that_nobody_has_confirmed_are_one_line():
    (line,) = doubts("patient_id", proposed=["bounds.cost", *(f"keys.k{n}" for n in range(9))])
    assert "\n" not in line
    assert "5 more terms" in line
    assert listed(("a", "b")) == "a, b"


def test_the_warning_is_the_same_whatever_the_rows(tmp_path):
    """Whether a unit is unique in every row is a fact about rows: nobody counts."""
    for place, people in enumerate(([1, 2, 3], [1, 1, 1])):
        table = pa.table({"visit_id": [1, 2, 3], "patient_id": people})
        with pytest.warns(PolicyWarning, match="patient_id"):
            dalenius.connect(
                table, table="visits", unit="visit_id", budget={"epsilon": 1}, ledger=tmp_path / str(place)
            )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            dalenius.connect(
                table, table="visits", unit="patient_id", budget={"epsilon": 1}, ledger=tmp_path / f"p{place}"
            )
