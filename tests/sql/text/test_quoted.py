import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from dalenius.errors import DaleniusError, InvalidParameter, UnboundedQuery, UnsupportedQuery
from dalenius.escape import terminal
from dalenius.sql.text.parse import parse
from dalenius.sql.text.quoted import Words, excerpt, keep_words, name_of, pointing, quoting, words_of


def lines(query, words):
    return excerpt(query, words).splitlines()


def node(query, kind):
    return parse(query).find(kind)


@pytest.mark.parametrize(
    ("query", "kind", "words"),
    [
        ("SELECT k, bool_or( x > 1 ) FROM t", exp.LogicalOr, "bool_or( x > 1 )"),
        ("SELECT QUANTILE_CONT(x, 0.5), y FROM t", exp.PercentileCont, "QUANTILE_CONT(x, 0.5)"),
        ("SELECT date_trunc('month', d) FROM t", exp.TimestampTrunc, "date_trunc('month', d)"),
        ("SELECT a + ABS(b) FROM t", exp.Abs, "ABS(b)"),
        ("SELECT a +\n b FROM t", exp.Add, "a +\n b"),
        ('SELECT "odd name" FROM t', exp.Column, '"odd name"'),
        ("SELECT k FROM t WHERE x > (SELECT 1 FROM u)", exp.Subquery, "SELECT 1 FROM u"),
    ],
)
def test_a_part_of_the_tree_knows_the_words_that_it_was_read_from(query, kind, words):
    part = words_of(node(query, kind))
    assert part == Words(words, query.index(words))
    assert words_of(copy.deepcopy(node(query, kind))) == part


def test_a_function_is_called_as_the_analyst_calls_it():
    assert name_of(node("SELECT bool_or(x) FROM t", exp.LogicalOr)) == "BOOL_OR"
    assert name_of(node("SELECT string_agg(x) FROM t", exp.GroupConcat)) == "STRING_AGG"
    assert name_of(exp.LogicalOr(this=exp.column("x"))) is None


def test_the_words_stand_underlined_in_their_line():
    query = "SELECT k,\n  AVG(wrong) AS a\nFROM t"
    assert lines(query, Words("wrong", query.index("wrong"))) == [
        "line 2, column 7:",
        "    AVG(wrong) AS a",
        "        ^^^^^",
    ]


def test_words_over_several_lines_are_underlined_to_the_end_of_the_first():
    assert lines("SELECT a +\n b FROM t", Words("a +\n b", 7))[-1] == "         ^^^"


def test_words_that_were_written_anew_are_found_however_they_are_spaced():
    assert lines("select  avg( x ) from t", Words("AVG(x)", 0))[0] == "line 1, column 9:"
    assert lines("select avg(y) from t", Words("AVG(x)", 0))[0] == "line 1, column 8:"  # by its first word
    assert lines("select avg(y) from t", Words("AVG(x)", 0))[2].count("^") == len("avg(y)")
    assert excerpt("SELECT 1", Words("AVG(x)", 0)) == ""
    assert excerpt("SELECT 'a", Words("'b", 0)) == ""


def test_a_long_line_is_cut_and_wide_letters_keep_the_underline_in_place():
    query = "SELECT " + "a, " * 200 + "wrong, " + "b, " * 200 + "c FROM t"
    _, shown, under = lines(query, Words("wrong", query.index("wrong")))
    assert len(shown) < 120
    assert shown[under.index("^") :].startswith("wrong")
    assert shown.strip()[0] == shown[-1] == "…"
    wide = lines("SELECT '値段' AS a, wrong FROM t", Words("wrong", 18))
    assert wide[2].index("^") == 2 + len("SELECT '値段' AS a, ") + 2


@given(st.text(max_size=30), st.text(min_size=1, max_size=12), st.text(max_size=30))
def test_an_excerpt_of_any_text_is_one_line_that_a_terminal_may_show(before, words, after):
    query = before + words + after
    told = excerpt(query, Words(words, len(before)))
    assert told.count("\n") in (0, 2)
    assert terminal(told, lines=True) == told


def test_a_refusal_is_about_the_innermost_part_and_is_quoted_once():
    query = "SELECT AVG(wrong) FROM t"
    tree = parse(query)

    @pointing
    def inner(node):
        raise UnsupportedQuery("no rule")

    @pointing
    def outer(node):
        inner(node.find(exp.Column))

    @quoting
    def asked(text):
        outer(tree)

    @quoting
    def session(text):
        asked(text)

    with pytest.raises(UnsupportedQuery) as refused:
        session(query)
    assert str(refused.value) == "no rule\nline 1, column 12:\n  SELECT AVG(wrong) FROM t\n             ^^^^^"


def test_a_refusal_that_is_about_no_part_is_about_the_construct_it_begins_with():
    @quoting
    def asked(text, error):
        raise error

    with pytest.raises(UnboundedQuery, match=r"line 1, column 25:\n"):
        asked("SELECT k, SUM(x) FROM t GROUP BY k", UnboundedQuery("GROUP BY k needs public keys"))
    with pytest.raises(InvalidParameter) as other:
        asked("SELECT OPTIONS", InvalidParameter("OPTIONS takes epsilon"))
    assert str(other.value) == "OPTIONS takes epsilon"
    with pytest.raises(DaleniusError):
        asked("SELECT 1", DaleniusError())


def test_what_takes_the_place_of_a_part_keeps_its_words():
    column = node("SELECT AVG(wrong) FROM t", exp.Column)
    assert words_of(keep_words(exp.column("other"), column)) == Words("wrong", 11)
    assert words_of(exp.column("other")) is None
