"""What comes from data or from a caller's own words, as it may leave: one function for each kind of exit."""

import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")

_JOINERS = frozenset("\u200c\u200d")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_FORMULA = re.compile("(^|[;|])([ \u00a0]*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20])")
_TAG = re.compile("<(?=[A-Za-z/!?])")
_QUOTED = re.compile('[",\r\n]')
_IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def terminal(text: str, lines: bool = False) -> str:
    r"""A text without control characters, escape codes and marks that turn the direction: each is shown as its code.

    `lines` keeps line breaks, for a text that has lines of its own.

    >>> terminal("a\x1b[2J\u202eb")
    'a\\x1b[2J\\u202eb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if is_seen(letter) or (lines and letter == "\n") else _code(letter) for letter in text)


def escaped(show: Callable[[T], str]) -> Callable[[T], str]:
    """A `__str__` or `__repr__` that may quote names or keys: whatever it says can be printed on a terminal."""

    @wraps(show)
    def shown(self: T) -> str:
        return terminal(show(self), lines=True)

    return shown


def chart_text(text: str) -> str:
    r"""A text that may stand in a chart, however the chart is shown later: nothing in it begins a tag of a page.

    A `<` before anything else, as in "<18" and "<=50K", stays.

    >>> chart_text("</script>"), chart_text("<18")
    ('\\x3c/script>', '<18')
    """
    return _TAG.sub(r"\\x3c", terminal(text))


def json_text(value: Any, indent: int | None = None) -> str:
    r"""JSON that may be printed on a terminal: what is not seen stands in it as JSON's own escapes.

    >>> print(json_text({"a\x9b": "é\u202e"}))
    {"a\u009b": "é\u202e"}
    """
    plain = json.dumps(value, ensure_ascii=False, indent=indent)
    return "".join(letter if letter == "\n" or is_seen(letter) else json.dumps(letter)[1:-1] for letter in plain)


def json_in_html(text: str) -> str:
    """JSON that may stand in a script of a page: it cannot end the script, nor begin another."""
    return "".join(_IN_SCRIPT.get(letter, letter) for letter in text)


def html_text(text: str) -> str:
    """A text that may stand in a page: no tag, no attribute, no code.

    >>> html_text("<b>&")
    '&lt;b&gt;&amp;'
    """
    return html.escape(terminal(text, lines=True))


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]], below: Sequence[str] = ()) -> str:
    """A table of a page, with lines of text below it; every cell is escaped here."""
    head = "".join(f"<th>{html_text(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{html_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    lines = "".join(f"<div>{html_text(line)}</div>" for line in below)
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{lines}</div>"


def csv_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: a text that begins like one is quoted; numbers stay numbers.

    The same behind a semicolon, at which spreadsheets of some countries cut cells.

    >>> csv_cell("=1+1"), csv_cell("a;=1+1"), csv_cell(-1)
    ("'=1+1", "a;'=1+1", -1)
    """
    if not isinstance(value, str):
        return value
    return terminal(_FORMULA.sub(r"\1'\2", value))


def csv_text(header: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """A table as CSV in which no cell is a formula; what is NULL is an empty field, and an empty text stands in quotes.

    >>> print(csv_text(["key", "n"], [(None, 1), ("", 2), ("a, b", 3)]), end="")
    key,n
    ,1
    "",2
    "a, b",3
    """
    return "".join(",".join(map(_csv_field, row)) + "\n" for row in (header, *rows))


def _csv_field(value: Any) -> str:
    """A cell as RFC 4180 writes it."""
    if value is None:
        return ""
    text = str(csv_cell(value))
    return '"' + text.replace('"', '""') + '"' if not text or _QUOTED.search(text) else text


def is_seen(letter: str) -> bool:
    """Whether a letter shows itself and does nothing else: no control, no mark of direction, no line break."""
    return letter in _JOINERS or unicodedata.category(letter) not in _UNSEEN


def _code(letter: str) -> str:
    return letter.encode("unicode_escape", "backslashreplace").decode("ascii")
