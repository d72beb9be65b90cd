"""Every kind of source is a function of its rows, one by one."""

import random

import pytest

from dalenius.sql.engine.duckdb.sources import FILES
from tests.contracts.sources import contract
from tests.contracts.sources.kinds import BROKEN_TEXTS, KINDS, ODD_TEXTS, Row, plain

PLAIN = [plain(place) for place in range(200)]
EACH = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
ALONE = 2


def among(odd, place):
    return [*PLAIN[:place], *odd, *PLAIN[place:]]


def test_every_file_that_is_read_has_a_kind():
    assert {suffix for kind in KINDS for suffix in kind.suffixes} == set(FILES)


def check_alone(kind, folder, odd):
    base = contract.opened(kind, folder / "base", PLAIN)
    assert base.refusal is None
    assert base.rows.total() == len(PLAIN)
    for number, row in enumerate(odd):
        more = contract.opened(kind, folder / str(number), among([row], 100))
        contract.check_neighbours(base, more, 1)


@EACH
def test_odd_rows_change_no_other_row_nor_the_schema(kind, tmp_path):
    """All odd rows at once, and some of them alone; which ones is drawn anew each time."""
    drawn = random.sample(range(len(kind.odd)), min(ALONE, len(kind.odd)))
    check_alone(kind, tmp_path, [kind.odd[number] for number in drawn])
    base, more = (
        contract.opened(kind, tmp_path / name, among(rows, 63)) for name, rows in (("none", []), ("all", kind.odd))
    )
    units = len({row.u for row in kind.odd} | {b"of objects", b"of lines"})
    contract.check_neighbours(base, more, len(kind.odd), units)


@EACH
def test_a_plain_row_that_leaves_takes_no_other_along(kind, tmp_path):
    """The first, one that begins a piece, and all: a table without rows opens as one with some does."""
    whole = contract.opened(kind, tmp_path / "whole", PLAIN)
    for place in (0, 64):
        less = contract.opened(kind, tmp_path / str(place), [*PLAIN[:place], *PLAIN[place + 1 :]])
        contract.check_neighbours(less, whole, 1)
    if kind.name == "arrow batch":  # Arrow makes no batch of no rows
        return
    contract.check_neighbours(contract.opened(kind, tmp_path / "empty", []), whole, 200, 200)


@EACH
def test_no_two_people_are_one(kind, tmp_path):
    texts = [*ODD_TEXTS, *(BROKEN_TEXTS if any(row.u in BROKEN_TEXTS for row in kind.odd) else [])]
    rows = [Row(text, place) for place, text in enumerate(texts)]
    contract.check_units(contract.read_units(kind.opening(tmp_path, rows)))


@pytest.mark.long
@EACH
def test_each_odd_row_changes_no_other_row_nor_the_schema(kind, tmp_path):
    check_alone(kind, tmp_path, kind.odd)


MANY = {"parquet": 10_000, "duckdb": 125_000, "arrow chunks": 20_000, "pandas objects": 5_000, "polars": 20_000}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.name in MANY], ids=[*MANY])
def test_more_rows_than_a_piece_of_the_engine_holds(kind, tmp_path):
    """Beyond the 2048 rows of a vector, and the 122,880 of a row group where that is the source's own."""
    many = [plain(place) for place in range(MANY[kind.name])]
    questions = (contract.QUESTIONS[0], contract.QUESTIONS[3])
    odd = [row for row in kind.odd if row.u == b"me"]
    whole = contract.seen(kind.opening(tmp_path / "whole", [*many[:2047], *odd, *many[2047:]]), questions)
    less = contract.seen(kind.opening(tmp_path / "less", many), questions)
    units = 4 if kind.name == "pandas objects" else 1  # some objects name others
    contract.check_neighbours(less, whole, len(odd), units)
