"""Whether the quotes of a CSV file are where a writer puts them: asked once, by its owner.

A quote that is opened and not closed makes the rows after it one field, in every reader. So one person's row could hide
those of others, which no bound on that row covers. A file passes if each quoted field begins where a field begins, ends
where one ends, and no field with line breaks stands in a row of too few or too many fields. Other lines that are broken
are dropped alone, and are not looked for.
"""

import mmap
from pathlib import Path

from dalenius.errors import InvalidParameter
from dalenius.sql.engine.duckdb.csv_files import COMPRESSIONS, opened_bytes

REFUSED = (
    "the CSV has a quote that a writer of CSV would not have put there, so that one row could hide others: write it "
    "anew with a program that quotes properly, or convert it to Parquet"
)
_QUOTE, _ENDS = b'"', (b"\n", b"\r")
_MARK = b"\xef\xbb\xbf"


def check_csv(file: Path, mark: str) -> None:
    """Refuse the file as a whole, in one sentence for all that may be wrong with it."""
    if file.stat().st_size == 0:
        return
    if file.suffix.lower() in COMPRESSIONS:
        with opened_bytes(file) as stream:
            proper = _Lines(stream.read(), mark.encode()).proper()
    else:
        with file.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as text:
            proper = _Lines(text, mark.encode()).proper()
    if not proper:
        raise InvalidParameter(REFUSED)


class _Lines:
    """A walk over the quotes of a file; between two fields in quotes only separators are counted."""

    __slots__ = ("_broken", "_fields", "_mark", "_separators", "_text")

    def __init__(self, text: mmap.mmap | bytes, mark: bytes) -> None:
        self._text, self._mark = text, mark
        self._separators: int | None = None
        self._fields, self._broken = 0, False

    def proper(self) -> bool:
        """Whether every quote opens, closes or stands for a quote in a quoted field."""
        text, place = self._text, 3 if self._text[:3] == _MARK else 0
        begin = place
        if text.find(_QUOTE) < 0:
            return True
        while (opening := text.find(_QUOTE, place)) >= 0:
            before = text[opening - 1 : opening]
            if not self._outside(place, opening) or not (opening == begin or before in (self._mark, *_ENDS)):
                return False
            closing = self._closing(opening)
            if closing is None:
                return False
            self._broken |= any(text.find(end, opening, closing) >= 0 for end in _ENDS)
            place = closing + 1
            if text[place : place + 1] not in (b"", self._mark, *_ENDS):
                return False
        return self._outside(place, len(text)) and self._fits()

    def _closing(self, opening: int) -> int | None:
        place = self._text.find(_QUOTE, opening + 1)
        while place >= 0 and self._text[place + 1 : place + 2] == _QUOTE:
            place = self._text.find(_QUOTE, place + 2)
        return place if place >= 0 else None

    def _outside(self, start: int, stop: int) -> bool:
        """Count the separators outside of quotes; where a row ends that has line breaks in it, they must be right."""
        text = self._text
        ends = [place for end in _ENDS for place in (text.find(end, start, stop),) if place >= 0]
        self._fields += text[start : min(ends, default=stop)].count(self._mark)
        if not ends:
            return True
        if self._separators is None:
            self._separators = self._fields
        fits = self._fits()
        last = max(text.rfind(end, start, stop) for end in _ENDS)
        self._fields, self._broken = text[last:stop].count(self._mark), False
        return fits

    def _fits(self) -> bool:
        return not self._broken or self._fields == self._separators
