import pyarrow as pa

from dalenius.sql.engine import OwnerLook, source_of


def look(**tables):
    return OwnerLook({name: source_of(pa.table(columns), None, name) for name, columns in tables.items()})


def test_facts_of_a_column_are_exact():
    with look(t={"a": [1.0, 1.0, None, 7.0], "s": ["x", "y", "x", None]}) as seen:
        facts = seen.facts("t", ["a", "s"])
    assert (facts["a"].rows, facts["a"].nulls, facts["a"].distinct, facts["a"].whole) == (4, 1, 2, True)
    assert facts["a"].quantiles[0] == 1
    assert facts["a"].quantiles[-1] == 7
    assert facts["s"].values == ("x", "y")
    assert facts["s"].rare == 2
    assert not facts["s"].unique


def test_what_refers_to_what_and_what_a_person_has_one_of():
    with look(
        orders={"who": [1.0, 1.0, 2.0, 9.0], "sex": ["f", "f", "m", "m"], "x": [1, 2, 3, 4]}, people={"id": [1, 2, 3]}
    ) as seen:
        assert seen.contained("orders", "who", "people", "id") == 2 / 3
        assert seen.constant("orders", "who", ["sex", "x"]) == ["sex"]
        assert seen.rows_of_units("orders", "who")[-1] == 2
        assert seen.columns("people") == {"id": "BIGINT"}
        assert seen.guess("orders", ["sex"]).columns == {"sex": "VARCHAR"}
