import contextlib
import logging

import pytest
from sqlglot import exp

from dalenius.errors import InvalidSyntax, UnsupportedQuery
from dalenius.sql.parse import LONGEST, parse


def test_one_statement_becomes_a_tree():
    assert isinstance(parse("SELECT COUNT(*) FROM t;"), exp.Select)


@pytest.mark.parametrize("text", ["SELECT 1; SELECT 2", "SELECT 1; DROP TABLE t", ";", "-- nothing"])
def test_not_one_statement_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        None,
        3,
        b"SELECT 1",
        "SELECT FROM WHERE",
        "SELECT (",
        "SELECT 'a",
        "SELECT ((((" * 3000,
        "SELECT '\ud800'",
    ],
)
def test_what_does_not_parse_is_refused_without_the_parsers_words(text):
    with pytest.raises(InvalidSyntax) as refusal:
        parse(text)
    assert refusal.value.__context__ is None


def test_a_huge_text_is_refused_before_it_is_parsed():
    with pytest.raises(UnsupportedQuery, match="characters"):
        parse("SELECT " + "1 + " * LONGEST + "1")


def test_ten_thousand_terms_end_in_a_refusal_or_a_tree():
    with contextlib.suppress(InvalidSyntax):
        parse("SELECT " + " + ".join(["1"] * 10_000))


def test_nothing_is_logged(caplog):
    with caplog.at_level(logging.DEBUG):
        parse("EXPLAIN SELECT secret FROM t")
    assert caplog.records == []
