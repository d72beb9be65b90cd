import pyarrow as pa

from dalenius.sql.engine import OwnerLook, source_of
from dalenius.sql.surveys.person import Decision, find_person
from dalenius.sql.surveys.relations import relate
from dalenius.sql.surveys.table import SurveyedTable


def related(decision=None, **frames):
    sources = {name: source_of(pa.table(columns), None, name) for name, columns in frames.items()}
    with OwnerLook(sources) as look:
        tables = []
        for name in frames:
            columns = look.columns(name)
            facts = look.facts(name, list(columns))
            tables.append(SurveyedTable(name, name, next(iter(facts.values())).rows, columns, facts))
        return relate(tables, decision or find_person(tables, look.contained), look)


def test_tables_reach_the_people_by_name_by_key_and_step_by_step():
    found = related(
        customers={"id": [1, 2, 3], "sex": ["f", "m", "m"]},
        orders={"order_no": [1, 2, 3, 4], "customer_id": [1, 1, 2, 2]},
        items={"item_id": [1, 2, 3, 4, 5], "order_no": [1, 1, 2, 3, 4]},
        shops={"shop": ["a"]},
    )
    assert (found.first, found.unit, found.rows_per_unit) == ("orders", "customer_id", "many")
    assert found.units == {"customers": "id"}
    assert found.one_row == ("customers",)
    assert found.references == {"items.order_no": "orders.order_no"}
    assert found.attributes == (("customers", "sex"),)
    assert list(found.left_out) == ["shops"]


def test_people_named_in_two_types_are_not_joined():
    found = related(visits={"patient_id": [1, 1, 2]}, patients={"patient_id": ["1", "2", "x"], "age": [1, 2, 3]})
    assert found.units == {}
    assert "make them one type" in found.left_out["patients"]


def test_where_rows_are_units_the_largest_table_is_alone():
    found = related(Decision(rows=True), a={"x": [1, 2]}, b={"x": [1]})
    assert (found.first, found.unit, list(found.left_out)) == ("a", "row", ["b"])
