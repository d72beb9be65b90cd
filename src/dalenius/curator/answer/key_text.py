"""A key as people read it, in tables, pages and charts: what is NULL is told apart from the text of these letters."""

import re
from typing import Any

from dalenius.escape import terminal

NULL = "NULL"
_READS_AS_NULL = re.compile(f"('*){NULL}\\1")


def key_text(value: Any) -> str:
    """The key; a text that would read as NULL stands between quotes, and one that has such quotes between two of them.

    >>> key_text(None), key_text("NULL"), key_text("'NULL'"), key_text("null"), key_text(3)
    ('NULL', "'NULL'", "''NULL''", 'null', '3')
    """
    if value is None:
        return NULL
    text = terminal(str(value))
    return f"'{text}'" if _READS_AS_NULL.fullmatch(text) else text
