from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, InvalidSyntax, MixedRelations
from dalenius.neighbors import Unit
from dalenius.sql.text.statement import Statement, read_statement

PREFIX = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS"


@given(st.text())
def test_a_text_without_prefix_is_left_as_it_is(text):
    assert read_statement(text) == Statement(text)


@pytest.mark.parametrize(
    "text", [None, 3, "SELECT 'open", "\ud800", "SELECT " + "1," * 100_000, "CREATE VIEW v AS SELECT 1"]
)
def test_what_the_parser_must_refuse_is_left_to_it(text):
    assert read_statement(text) == Statement(text)


def test_the_options_of_bigquery_are_read_and_taken_out():
    asked = read_statement(
        f"{PREFIX}(epsilon = 1e-1, delta=1e-9, privacy_unit_column = p.User_id) x, COUNT(*) FROM p GROUP BY x"
    )
    assert (asked.epsilon, asked.delta, asked.unit) == ("1e-1", "1e-9", "User_id")
    assert asked.select.split() == ["SELECT", "x,", "COUNT(*)", "FROM", "p", "GROUP", "BY", "x"]
    assert asked.price(None) == asked.price(0.1) == Fraction(1, 10)
    lower = read_statement("select with differential_privacy options(EPSILON=2) count(*) from p")
    assert (lower.epsilon, lower.unit) == ("2", None)


def test_a_view_has_a_name_and_may_replace_another():
    assert read_statement("CREATE PRIVATE VIEW v AS SELECT 1") == Statement("SELECT 1", "v")
    assert read_statement('create or replace private view "Odd é" as\nSELECT 1') == Statement("SELECT 1", "Odd é", True)
    both = read_statement(f"CREATE PRIVATE VIEW v AS {PREFIX}(epsilon = 1) COUNT(*) FROM p")
    assert (both.view, both.epsilon, both.select.split()) == ("v", "1", ["SELECT", "COUNT(*)", "FROM", "p"])


@pytest.mark.parametrize(
    "text",
    [
        *("CREATE PRIVATE VIEW", "CREATE PRIVATE VIEW v SELECT 1", "CREATE PRIVATE VIEW a.b AS SELECT 1"),
        *("CREATE PRIVATE VIEW 3 AS SELECT 1", "CREATE OR REPLACE PRIVATE VIEW AS SELECT 1"),
        *(PREFIX, f"{PREFIX}()", f"{PREFIX}(epsilon)", f"{PREFIX}(epsilon = 1", f"{PREFIX}(epsilon = 1,) 1"),
        *(f"{PREFIX}(epsilon = x) 1", f"{PREFIX}(epsilon = -1) 1", f"{PREFIX}(epsilon = 1 + 1) 1"),
        *(f"{PREFIX}(privacy_unit_column = 3) 1", f"{PREFIX}(privacy_unit_column = a.b.c) 1"),
        "SELECT WITH DIFFERENTIAL_PRIVACY COUNT(*) FROM p",
    ],
)
def test_a_prefix_that_is_not_of_the_grammar_is_refused(text):
    with pytest.raises(InvalidSyntax, match=r"PRIVATE VIEW name|OPTIONS\(epsilon"):
        read_statement(text)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("epsilon = 1, epsilon = 2", "twice"),
        ("epsilon = 1, max_groups_contributed = 3", "the owner declares"),
        ("epsilon = 1, min_privacy_units_per_group = 3", "the owner declares"),
    ],
)
def test_an_option_that_is_the_owner_s_or_given_twice_is_refused_by_name(options, said):
    with pytest.raises(InvalidParameter, match=said):
        read_statement(f"{PREFIX}({options}) COUNT(*) FROM p")


def test_two_prices_must_be_one_number():
    with pytest.raises(InvalidParameter, match=r"0\.2 in the call and 0\.1 in OPTIONS"):
        Statement("SELECT 1", epsilon="0.1").price(0.2)
    with pytest.raises(InvalidParameter, match="a price"):
        Statement("SELECT 1").price(None)
    with pytest.raises(InvalidParameter, match="epsilon must be > 0"):
        Statement("SELECT 1", epsilon="0").price(None)
    assert Statement("SELECT 1").price(0.2) == 0.2


def test_an_analyst_cannot_choose_who_is_protected():
    asked = Statement("SELECT 1", unit="User_ID")
    asked.check_unit(Unit("user_id"))
    Statement("SELECT 1").check_unit(Unit.of("row"))
    for unit in (Unit("household"), Unit.of("row")):
        with pytest.raises(MixedRelations, match="this data protects"):
            asked.check_unit(unit)


def test_delta_must_be_a_probability():
    Statement("SELECT 1", delta="1e-9").check_delta()
    with pytest.raises(InvalidParameter, match="delta"):
        Statement("SELECT 1", delta="2").check_delta()


def test_options_stand_after_the_subqueries_that_with_names():
    text = "WITH t AS (SELECT who, COUNT(*) AS n FROM d GROUP BY who) SELECT {}COUNT(*) FROM t"
    found = read_statement(text.format("WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 2, privacy_unit_column = who) "))
    assert (found.epsilon, found.unit) == ("2", "who")
    assert " ".join(found.select.split()) == text.format("")
    inside = text.replace("(SELECT who", "(SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 2) who").format("")
    assert read_statement(inside).epsilon is None  # which does not parse: the price is that of the whole
