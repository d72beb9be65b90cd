import pytest

from dalenius.sql.after.regions.values import NoRule
from tests.sql.after.regions.released import LEVEL, carried, source

COUNTS = {"a": 10, "b": 40}


def test_written_rows_are_public_and_carry_the_error_of_what_is_joined_to_them():
    text = "SELECT v.k, v.f * n AS x, v.f FROM t JOIN (VALUES ('b', 3), ('c', 1)) AS v(k, f) ON v.k = t.k"
    statement, names, rows = carried(text, {"t": source(COUNTS, [0, 0])})
    assert rows == [("b", 120, 3)]
    alone, _, _ = carried("SELECT n AS x FROM t WHERE k = 'b'", {"t": source(COUNTS, [0, 0])})
    ((low, high),) = alone.ends(0, LEVEL, False)
    assert statement.ends(names.index("x"), LEVEL, False)[0] == pytest.approx((3 * low, 3 * high))
    assert statement.columns[names.index("f")].exact


def test_columns_without_names_are_called_as_the_engine_calls_them():
    _, names, rows = carried("SELECT * FROM (VALUES (1, 'x'), (2, NULL)) AS v(a)", {"t": source(COUNTS, [0, 0])})
    assert names == ["a", "col1"]
    assert rows == [(1, "x"), (2, None)]


@pytest.mark.parametrize("values", ["(1), ('a')", "(1, 2), (3)", "(RANDOM())"])
def test_written_rows_of_which_the_engine_makes_something_else_have_no_rule(values):
    with pytest.raises(NoRule):
        carried(f"SELECT * FROM (VALUES {values}) AS v(a)", {"t": source(COUNTS, [0, 0])})
