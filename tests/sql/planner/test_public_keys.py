from dataclasses import replace

import pytest

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.public_keys import refuse_unit
from dalenius.sql.text.parse import parse
from tests.sql.sensitivity.grammar import policy


def keys(by, where="", **terms):
    compiled = compile_query(f"SELECT {by}, COUNT(*) AS n FROM t {where} GROUP BY {by}", policy(**terms))
    return [compiled.labels(cell) for cell in range(compiled.cells)]


def test_two_parts_of_a_date_show_no_empty_future():
    assert keys("YEAR(d), MONTH(d)", as_of="2023-03-15") == [(2023, 1), (2023, 2), (2023, 3)]
    assert keys("MONTH(d)", as_of="2023-03-15") == [(1,), (2,), (3,)]


def test_keys_that_read_no_column_in_common_make_every_combination():
    assert keys("flag, DATE_TRUNC('year', d)") == [
        *((False, "2023-01-01"), (False, "2024-01-01"), (True, "2023-01-01"), (True, "2024-01-01"))
    ]


def test_keys_that_hang_together_stand_beside_others_in_their_order():
    found = keys("YEAR(d), flag, QUARTER(d)", as_of="2023-05-01")
    assert found == [(2023, False, 1), (2023, True, 1), (2023, False, 2), (2023, True, 2)]


@pytest.mark.parametrize(
    "where",
    ["d > '2100-01-01'", "YEAR(d) = 1999", "DATE_TRUNC('year', d) = '1999-01-01'", "DATE_SUB('year', d, d) < 0"],
)
def test_a_condition_that_allows_no_period_shows_all_of_them(where):
    assert keys("DATE_TRUNC('year', d)", f"WHERE {where}") == [("2023-01-01",), ("2024-01-01",)]


def test_a_series_of_days_over_two_years_is_one_question():
    assert len(keys("d")) == 731


def test_a_count_of_rows_says_how_to_bound_it():
    query = "SELECT n, COUNT(*) AS c FROM (SELECT who, COUNT(*) AS n FROM t GROUP BY who) AS q GROUP BY {}"
    with pytest.raises(UnboundedQuery, match=r"group by LEAST\(n, 20\)"):
        compile_query(query.format("n"), replace(policy(), contributions=None))
    declared = compile_query(query.format("n"), replace(policy(), contributions=4))
    assert [declared.labels(cell)[0] for cell in range(declared.cells)] == [1, 2, 3, 4]
    compiled = compile_query(query.replace("SELECT n,", "SELECT LEAST(n, 20),").format("LEAST(n, 20)"), policy())
    assert [compiled.labels(cell)[0] for cell in range(compiled.cells)] == list(range(21))


def test_groups_of_one_person_each_are_refused_with_what_may_be_asked():
    terms = parse("SELECT 1 FROM t GROUP BY k, who").args["group"].expressions
    with pytest.raises(UnsupportedQuery, match="no row of one person can be shown"):
        refuse_unit(terms, policy())
    refuse_unit(terms, policy("row"))


def test_a_period_of_a_subquery_has_its_own_values():
    inner = "SELECT DATE_TRUNC('quarter', d) AS q FROM t WHERE YEAR(d) = 2024"
    compiled = compile_query(f"SELECT q, COUNT(*) AS n FROM ({inner}) AS s GROUP BY q", policy())
    assert [compiled.labels(cell)[0][5:] for cell in range(compiled.cells)] == ["01-01", "04-01", "07-01", "10-01"]
