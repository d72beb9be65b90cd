"""The interface of a privacy notion: nothing that leaves a promise open can be made."""

import pytest

from dalenius.guarantees import Guarantee

CALLS = {"relation", "delta_interval", "repeat", "group"}
"""What a notion must say itself; the rest of the interface follows from these."""


def test_what_a_notion_must_say_itself_is_abstract():
    assert Guarantee.__abstractmethods__ == CALLS


@pytest.mark.parametrize("left_out", sorted(CALLS))
def test_a_notion_that_leaves_a_promise_open_cannot_be_made(left_out):
    body = {name: lambda self: None for name in CALLS - {left_out}}
    with pytest.raises(TypeError, match=left_out):
        type("Half", (Guarantee,), body)()
