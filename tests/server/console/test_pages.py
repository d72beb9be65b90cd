import pytest
from jinja2 import UndefinedError

from dalenius.server.console.pages import moment, page, path_to, refusal, seen


def test_what_a_page_says_is_escaped():
    assert b"<b>" not in refusal(400, "<b>bold</b>").body
    assert b"&lt;b&gt;" in refusal(400, "<b>bold</b>").body


def test_a_value_that_is_missing_is_a_fault_and_not_an_empty_place():
    with pytest.raises(UndefinedError):
        page("login")


def test_a_table_name_stays_one_part_of_an_address():
    assert path_to("a/../b?c", "x y") == "/tables/a%2F..%2Fb%3Fc/x%20y"


def test_times_are_written_for_people():
    assert moment("2026-11-18T07:36:12+00:00") == "2026-11-18 07:36 UTC"
    assert (moment(None), moment("soon")) == ("", "soon")


def test_marks_that_turn_the_direction_or_are_not_seen_stand_there_as_their_codes():
    """A purpose is read by the owner before they approve: it must not look like another one."""
    assert seen("for \u202esdeb\x00\x1b[2J") == "for \\u202esdeb\\x00\\x1b[2J"
    assert seen("SELECT\r\n\tx") == "SELECT\n    x"
