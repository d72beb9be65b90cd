import pytest

from dalenius.errors import UnsupportedQuery
from tests.sql.rows.reading import read, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("REGEXP_MATCHES(k, 'b$')", True), ("REGEXP_MATCHES(k, '^b')", False), ("REGEXP_MATCHES(k, '')", True)),
        *(("REGEXP_MATCHES(k, 'a', 'i')", True), ("REGEXP_MATCHES(k, 'a', 'c')", False)),
        *(("REGEXP_FULL_MATCH(k, 'A')", False), ("REGEXP_FULL_MATCH(k, '[A-Z][a-z]{1,3}')", True)),
        *(("REGEXP_FULL_MATCH(note, '\\d+')", True), ("REGEXP_LIKE(note, '(3|2)$')", True)),
        *(("REGEXP_EXTRACT(k, '[a-z]')", "b"), ("REGEXP_EXTRACT(note, '(1)(2)', 2)", "2")),
        *(("REGEXP_EXTRACT(k, 'z')", ""), ("NOT REGEXP_MATCHES(k, 'z')", True)),
    ],
)
def test_a_pattern_means_what_the_engine_makes_of_it(text, expected):
    assert value(text) == expected


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", "a)", "[z-a]", "a{3,2}", "[[:nothing:]]"),
        *("a**", "(a{3}){4}", "(a){3}", "a{51}", "a{0,99}", "\\1", "(?=a)", "(?i)a", "\\p{L}", "\\Qa", "{", "x" * 101),
    ],
)
@pytest.mark.parametrize("call", ["REGEXP_MATCHES", "REGEXP_FULL_MATCH", "REGEXP_EXTRACT"])
def test_a_pattern_that_is_none_or_beyond_the_language_is_refused_before_a_row_is_read(pattern, call):
    with pytest.raises(UnsupportedQuery, match=call):
        read(f"{call}(k, '{pattern}')")


@pytest.mark.parametrize(
    "text",
    [
        *("REGEXP_MATCHES(k, note)", "REGEXP_MATCHES(x, 'a')", "REGEXP_MATCHES(k, 'a', 'g')"),
        *("REGEXP_EXTRACT(k, 'a', 1)", "REGEXP_EXTRACT(k, '[(]', 1)", "REGEXP_EXTRACT(k, '(?:a)', 1)"),
    ],
)
def test_what_has_no_rule_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)


@pytest.mark.parametrize("text", ["k ~ 'A'", "k !~ 'A'", "(k ~ 'A')", "LOWER(k) ~ 'A'", "k SIMILAR TO 'A'"])
def test_a_sign_that_databases_read_in_two_ways_is_refused(text):
    with pytest.raises(UnsupportedQuery, match="REGEXP_FULL_MATCH"):
        read(text)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*)(.*)(.*)b$", ".{50}.{50}.{50}b", "[^b]{50}[^b]{50}$"])
def test_no_text_makes_a_pattern_fail_or_fill_the_log(pattern, capfd):
    """What takes time that grows with the power of the length elsewhere; half a million letters are read at once."""
    assert value(f"REGEXP_MATCHES(k, '{pattern}')", {"k": "a" * 500_000}) in (True, False)
    assert value(f"REGEXP_MATCHES(k, '{pattern}')", {"k": "\U0001f600é\n" * 20_000}) in (True, False)
    said = capfd.readouterr()
    assert said.out == said.err == ""
