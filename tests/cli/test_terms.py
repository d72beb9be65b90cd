from pathlib import Path

import pytest

from dalenius.cli.terms import columns_of, terms_of
from dalenius.errors import InvalidParameter

NOTHING = (None,) * 8


def test_one_text_is_the_question_and_two_a_file_first():
    assert (terms_of(["SELECT"], *NOTHING).file, terms_of(["SELECT"], *NOTHING).question) == (None, "SELECT")
    assert (terms_of(["f", "SELECT"], *NOTHING).file, terms_of(["f", "SELECT"], *NOTHING).question) == ("f", "SELECT")


def test_terms_are_read_as_written():
    said = terms_of(
        ["q"], None, "who", 3, ["x=-1:1e3", "day=2024-01-01:2024-12-31"], ["k=a"], ["x=double"], ["x=0"], None
    )
    assert said.given["bounds"] == {"x": ("-1", "1e3"), "day": ("2024-01-01", "2024-12-31")}
    assert said.given["keys"] == {"k": ["a"]}
    assert said.given["columns"] == columns_of(["x=double"]) == {"x": "DOUBLE"}
    assert said.given["fill"] == {"x": "0"}


def test_a_policy_and_terms_exclude_each_other_before_the_policy_is_read():
    said = terms_of(["q"], Path("nowhere.toml"), "who", *(None,) * 6)
    for use in (said.declared, lambda: said.session(None, None, None)):
        with pytest.raises(InvalidParameter, match="the policy says what unit is"):
            use()
