import csv
import io
import json
import sys
import unicodedata

import pytest

from dalenius.escape import chart_text, csv_cell, csv_text, escaped, is_seen, json_in_html, json_text, terminal

EVERY_LETTER = "".join(map(chr, range(sys.maxunicode + 1)))
HARMFUL = [letter for letter in EVERY_LETTER if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")]


def test_no_control_mark_of_direction_or_line_break_passes_to_a_terminal():
    passed = {letter for letter in HARMFUL if letter in terminal(letter)}
    assert passed == {"\u200c", "\u200d"}  # joiners, which scripts and emoji need
    assert terminal("a\nb", lines=True) == "a\nb"
    assert terminal("a\nb") == r"a\nb"
    assert terminal(terminal("\x1b[2J")) == terminal("\x1b[2J") == r"\x1b[2J"


def test_what_can_be_read_stays_as_it_is():
    told = "Umeå, 東京, ε ≤ 1, <18, >50K, 👩\u200d🔬"
    assert terminal(told) == told
    assert chart_text(told) == told
    assert json.loads(json_text([told])) == [told]
    assert told in json_text([told])


def test_json_is_the_same_value_and_shows_nothing_unseen():
    value = {letter: [letter] for letter in HARMFUL}
    told = json_text(value, indent=2)
    assert json.loads(told) == value
    assert all(letter == "\n" or is_seen(letter) for letter in told)


@pytest.mark.parametrize("tag", ["</script>", "<script>", "<!--", "<?php", "<B onclick=x>"])
def test_no_text_of_a_chart_begins_a_tag(tag):
    assert "<" not in chart_text(tag)
    assert "<" not in json_in_html(json.dumps(tag))
    assert json.loads(json_in_html(json.dumps(tag))) == tag


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", " =", "\u00a0="])
@pytest.mark.parametrize("before", ["", "a;", "a|"])
def test_no_cell_begins_like_a_formula(begin, before):
    cells = csv_cell(f"{before}{begin}1+1").replace("|", ";").split(";")
    assert cells[-1].startswith("'")


def test_numbers_and_absent_cells_stay():
    assert [csv_cell(value) for value in (-1, -1.5, None, True)] == [-1, -1.5, None, True]


def test_what_a_class_shows_is_escaped_line_by_line():
    class Shown:
        @escaped
        def __repr__(self):
            return "a\x1b\nb"

    assert repr(Shown()) == "a\\x1b\nb"


def test_a_table_as_csv_holds_no_formula_and_is_read_back():
    text = csv_text(["=a", "b"], [["+1", 2], ['x"y', None]])
    assert list(csv.reader(io.StringIO(text))) == [["'=a", "b"], ["'+1", "2"], ['x"y', ""]]
