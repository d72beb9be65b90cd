import logging
import time

import pytest
from sqlglot import exp

from dalenius.errors import InvalidSyntax, UnsupportedQuery
from dalenius.sql.text.parse import LONGEST, parse, parse_once
from dalenius.sql.text.quoted import Words


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
        "SELECT ((((" * 1000,
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


@pytest.mark.parametrize("text", [" + ".join(["1"] * 10_000), " AND ".join(["x"] * 10_000), "+".join(["1"] * 500)])
def test_a_long_expression_is_refused_at_once(text):
    start = time.process_time()
    with pytest.raises(UnsupportedQuery):
        parse(f"SELECT COUNT(*) FROM t WHERE {text}")
    assert time.process_time() - start < 2


@pytest.mark.parametrize("word", ["NOT ", "- ", "(", "CASE WHEN ", "f("])
def test_what_is_nested_deep_is_refused(word):
    with pytest.raises(UnsupportedQuery):
        parse(f"SELECT {word * 3000} 1")


def test_comments_are_dropped():
    assert parse("SELECT /* a */ COUNT(*) -- b\n FROM t").sql() == "SELECT COUNT(*) FROM t"


def test_nothing_is_logged(caplog):
    with caplog.at_level(logging.DEBUG):
        parse("EXPLAIN SELECT secret FROM t")
    assert caplog.records == []


@pytest.mark.parametrize(
    ("text", "words", "reason"),
    [
        ("SELECT a b c FROM t", "c", "'c' is not expected there"),
        ("SELECT x,\n y z w FROM t", "w", "'w' is not expected there"),
        ("SELECT CORR(x) FROM t", ")", "something is missing"),
        ("SELECT ABS(1, 2, 3) FROM t", ")", "too many arguments"),
        ("SELECT x FROM t WHERE", "WHERE", "something is missing"),
    ],
)
def test_a_refusal_knows_where_a_text_stops_to_be_a_query(text, words, reason):
    with pytest.raises(InvalidSyntax, match=reason) as refusal:
        parse(text)
    assert refusal.value.about == Words(words, text.index(words))
    assert "sqlglot" not in str(refusal.value)


def test_a_tree_is_the_callers_own_unless_it_is_asked_for_once():
    text = "SELECT shop, COUNT(*) FROM sales GROUP BY shop"
    shared = parse_once(text)
    before = shared.sql()
    own = parse(text)
    own.expressions[0].replace(exp.column("other"))
    assert own.sql() != before
    assert parse_once(text) is shared
    assert shared.sql() == parse(text).sql() == before
    assert repr(parse(text).expressions[1].meta) == repr(shared.expressions[1].meta)


def test_a_refusal_is_made_anew_each_time():
    for _ in range(2):
        with pytest.raises(InvalidSyntax) as refused:
            parse("SELECT FROM WHERE")
        assert refused.value.about is None or isinstance(refused.value.about, Words)
        refused.value.about = None
