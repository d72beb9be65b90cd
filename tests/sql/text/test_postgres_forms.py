"""Schemas and TO_CHAR, as PostgreSQL's tools write them."""

from datetime import datetime

import duckdb
import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine import language
from dalenius.sql.text.parse import parse


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ('SELECT "public"."t"."k" FROM "public"."t"', 'SELECT "t"."k" FROM "t"'),
        ("SELECT COUNT(*) FROM main.t AS a JOIN PUBLIC.u ON a.x = public.u.x", None),
        ("WITH t AS (SELECT k FROM u) SELECT k FROM public.t", "WITH t AS (SELECT k FROM u) SELECT k FROM public.t"),
        ("SELECT k FROM hidden.t", "SELECT k FROM hidden.t"),
        ("SELECT k FROM other.public.t", "SELECT k FROM other.public.t"),
    ],
)
def test_the_default_schema_goes_and_no_other(text, usual):
    expected = "SELECT COUNT(*) FROM t AS a JOIN u ON a.x = u.x" if usual is None else usual
    assert language.written(parse(text)) == expected


# PostgreSQL's documentation of data type formatting says what each part is; Python's strftime is the second opinion.
@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("YYYY-MM-DD HH24:MI:SS", "2024-02-09 07:05:03"),
        ("yyyy/mm", "2024/02"),
        ("YY.DDD", "24.040"),
        ("IYYY-IW ID", "2024-06 5"),
        ("Dy, DD Mon YYYY", "Fri, 09 Feb 2024"),
        ("FMDay FMMonth", "Friday February"),
    ],
)
def test_a_pattern_of_to_char_is_the_format_of_strftime(pattern, expected):
    tree = parse(f"SELECT TO_CHAR(d, '{pattern}') AS m FROM t")
    when = datetime(2024, 2, 9, 7, 5, 3)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT ?::TIMESTAMP AS d", [when])
    assert connection.execute(language.written(tree)).fetchall() == [(expected,)]
    assert when.strftime(tree.expressions[0].this.args["format"].name) == expected


@pytest.mark.parametrize("pattern", ["Month", "HH12", "MON", "YYYY%m", '"year" YYYY', "Q", "TZ", "9,999"])
def test_a_pattern_with_other_parts_is_refused(pattern):
    with pytest.raises(UnsupportedQuery, match="TO_CHAR has no rule for"):
        parse(f"SELECT TO_CHAR(d, '{pattern}') FROM t")


def test_a_pattern_must_be_written_out():
    with pytest.raises(UnsupportedQuery, match="written out"):
        parse("SELECT TO_CHAR(d, k) FROM t")
