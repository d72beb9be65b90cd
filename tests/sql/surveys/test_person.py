import pytest

from dalenius.sql.engine import ColumnFacts
from dalenius.sql.surveys.person import find_person
from dalenius.sql.surveys.table import SurveyedTable


def table(name, rows, **columns):
    """A table by the number of values of each column."""
    facts = {column: ColumnFacts(column, "BIGINT", rows, 0, distinct) for column, distinct in columns.items()}
    return SurveyedTable(name, f"{name}.csv", rows, dict.fromkeys(columns, "BIGINT"), facts)


def found(*tables, contained=lambda *_: 1.0):
    decision = find_person(tables, contained)
    return None if decision.chosen is None else decision.chosen.name


@pytest.mark.parametrize(
    ("name", "columns", "right"),
    [
        ("visits", {"visit_id": 100, "patient_id": 30}, "patient_id"),
        ("visits", {"id": 100, "patient": 30}, "patient"),
        ("visits", {"visit_id": 100, "patient_id": 30, "doctor_id": 9}, "patient_id"),
        ("employees", {"employee_id": 100, "manager_id": 12, "department_id": 9}, "employee_id"),
        ("rides", {"ride_id": 100, "rider_id": 40, "driver_id": 12}, "rider_id"),
        ("log", {"id": 100, "session_id": 60, "ip": 30}, "ip"),
        ("log", {"id": 100, "code": 60}, None),
        ("data", {"id": 100, "station_id": 30}, None),
        ("t", {"person_id": 100, "household_id": 30}, "household_id"),
        ("t", {"person_id": 60, "household_id": 30}, None),
        ("t", {"doctor_id": 30, "visit_id": 100}, None),
        ("teachers", {"teacher_id": 100}, "teacher_id"),
        ("t", {"pid": 30, "cid": 40, "oid": 100}, None),
    ],
)
def test_the_person_of_one_table(name, columns, right):
    assert found(table(name, 100, **columns)) == right


def test_a_reference_to_a_table_of_people_names_them():
    buyers = table("orders", 100, id=100, buyer_ref=30), table("people", 40, id=40)
    assert found(*buyers) == "buyer_ref"
    labs = table("labs", 100, id=30), table("participants", 40, id=40)
    assert found(*labs) == "id"


def test_two_tables_that_number_their_own_rows_are_not_one_identity():
    decision = find_person([table("customers", 40, id=40), table("items", 100, id=100, product_id=9)], lambda *_: 1.0)
    assert decision.chosen is None or set(decision.chosen.columns) == {"customers"}


def test_a_number_of_rows_is_never_chosen_beside_one_that_repeats():
    """Whatever the names are: of a pair of a unique and a repeating column, the unique one may be a person's only."""
    names = ("id", "visit_id", "code", "key", "uuid", "row_no", "order_id")
    for unique in names:
        for repeating in ("patient_id", "user", "kunde_nr", "code", "key"):
            if unique != repeating:
                assert found(table("t", 100, **{unique: 100, repeating: 30})) != unique
