"""CSV files larger than the pieces that an engine may cut them into: 8,000,000 bytes, and its buffer of 32,000,000."""

import pytest

from dalenius.sql.engine import DuckDB

EDGE, BUFFER = 8_000_000, 32_000_000
HEADER = b"u,x,s\n"
COLUMNS = {"u": "VARCHAR", "x": "DOUBLE", "s": "VARCHAR"}
LOOK = "SELECT COUNT(*), COUNT(*) FILTER (u LIKE 'q%'), BIT_XOR(HASH(u, x, s)) FROM source"
FILLER = b"p%07d,0.5,hello world this is a filler text row\n"
LENGTH = len(FILLER % 0)
NOTES = {
    "rows in a note": b"\n".join(b"q%07d,0.5,hello" % place for place in range(40)),
    "quotes in a note": b'q,0.5,""a""\n"",0.5,""\n' * 30,
    "other ends of lines": b"q,0.5,a\r\nq,0.5,b\rq,0.5,c\n" * 20,
}


def lines_around(edge, note, shift):
    """Plain rows, with one whose quoted note lies across the edge, `shift` bytes into it."""
    before = (edge - shift - len(HEADER)) // LENGTH - 1
    rows = [FILLER % place for place in range(before)]
    pad = edge - shift - len(HEADER) - before * LENGTH - len(b'anna,0.5,"')
    rows.append(b"a" * (pad - len(b",0.5,x\n")) + b",0.5,x\n")
    rows.append(b'anna,0.5,"' + note + b'"\n')
    rows += [FILLER % (9_000_000 + place) for place in range(3000)]
    assert sum(map(len, rows[: before + 1])) + len(HEADER) + len(b'anna,0.5,"') == edge - shift
    return rows


def read(folder, lines):
    (folder / "t.csv").write_bytes(HEADER + b"".join(lines))
    engine = DuckDB(folder / "t.csv", columns=COLUMNS)
    engine.check_lines()
    return engine.look(LOOK)[0]


def check_shift(folder, edge, note, shift):
    """Every row is read as it was written, and one plain row less is one row less: compared to the last bit."""
    lines = lines_around(edge, note, shift)
    whole, less = read(folder, lines), read(folder, lines[:5] + lines[6:])
    gone = read(folder, lines[5:6])
    assert whole[:2] == (len(lines), 0)
    assert less[:2] == (len(lines) - 1, 0)
    assert whole[2] ^ less[2] == gone[2]


@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
@pytest.mark.parametrize("shift", [1, 200])
def test_a_note_across_the_edge_of_a_piece_is_no_row_of_anyone(tmp_path, note, shift):
    check_shift(tmp_path, EDGE, note, shift)


def test_a_note_across_the_edge_of_the_buffer_is_no_row_of_anyone(tmp_path):
    check_shift(tmp_path, BUFFER, NOTES["rows in a note"], 100)


@pytest.mark.long
@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
@pytest.mark.parametrize("edge", [EDGE, BUFFER])
def test_a_note_is_no_row_of_anyone_at_each_byte_of_an_edge(tmp_path, note, edge):
    for shift in range(-LENGTH, len(note) + LENGTH, 1 if edge == EDGE else 7):
        check_shift(tmp_path, edge, note, shift)
