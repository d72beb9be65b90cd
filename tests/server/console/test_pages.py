import pytest
from jinja2 import UndefinedError

from dalenius.server.console.pages import page, refusal


def test_what_a_page_says_is_escaped():
    assert b"<b>" not in refusal(400, "<b>bold</b>").body
    assert b"&lt;b&gt;" in refusal(400, "<b>bold</b>").body


def test_a_value_that_is_missing_is_a_fault_and_not_an_empty_place():
    with pytest.raises(UndefinedError):
        page("login")
