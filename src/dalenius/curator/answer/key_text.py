"""A key as people read it, in tables, pages and charts: what is NULL is told apart from the text of these letters.

An empty text, which nobody would see, stands between quotes too.
"""

import re
from typing import Any

from dalenius.escape import terminal

NULL = "NULL"
_IS_QUOTED = re.compile(f"('*)({NULL})?\\1")


def key_text(value: Any) -> str:
    """The key; an empty text and one that would read as NULL stand between quotes, as do those that look so quoted.

    >>> key_text(None), key_text("NULL"), key_text("'NULL'"), key_text("null"), key_text(""), key_text(3)
    ('NULL', "'NULL'", "''NULL''", 'null', "''", '3')
    """
    if value is None:
        return NULL
    text = terminal(str(value))
    return f"'{text}'" if _IS_QUOTED.fullmatch(text) else text
