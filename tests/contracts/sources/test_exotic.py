"""A row more, odd in every column of every type, changes neither the schema nor a refusal nor anybody else."""

from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from dalenius.errors import DaleniusError, ExecutionFailed
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.engine.duckdb import arrow_columns, memory_files, opening
from dalenius.sql.planner.compile import compile_query
from tests.contracts.sources.exotic import ARROW, DUCKDB, ODD, PANDAS, PARQUET, POLARS, ROWS, SOURCES

QUESTIONS = ("COUNT(*) AS c FROM t WHERE {} IS NULL", "COUNT(*) AS c FROM t WHERE CAST({} AS VARCHAR) > 'b'")
TYPES = {"arrow": ARROW, "duckdb": DUCKDB, "pandas": PANDAS, "polars": POLARS}


@dataclass(frozen=True)
class Looked:
    """The schema, what is said to each question, and the rows of readable columns."""

    columns: list[tuple[str, str]]
    refusals: dict[str, str]
    answers: dict[str, tuple[np.ndarray, int]]
    rows: Counter


@cache
def compiled_or_refused(asked, columns):
    try:
        return compile_query(asked, Policy.declare("t", dict(columns), unit="u", contributions=1))
    except DaleniusError as refused:
        return f"{type(refused).__name__}: {refused}"


def looked(data):
    engine = DuckDB(data, table="t")
    engine.name_unit("u")
    refusals, answers, read = {}, {}, []
    for name in engine.columns:
        for question in QUESTIONS:
            asked = "SELECT " + question.format(f'"{name}"')
            compiled = compiled_or_refused(asked, tuple(engine.columns.items()))
            if isinstance(compiled, str):
                refusals[asked] = compiled
                continue
            read.append(name)
            answers[asked] = engine.scan(compiled.scan, compiled.cells, len(compiled.parts)), compiled.groups[0].steps
    # a value of an ENUM is hashed by its place among all values, and the cast of a far time fails
    texts = [
        f'CAST("{name}" AS VARCHAR)' if engine.columns[name] == "ENUM" else f'"{name}"' for name in dict.fromkeys(read)
    ]
    shown = ", ".join(f"HASH({text})" for text in texts)
    return Looked(list(engine.columns.items()), refusals, answers, Counter(engine.look(f"SELECT {shown} FROM source")))


def check(less, more):
    assert less.columns == more.columns
    assert less.refusals == more.refusals
    assert not less.rows - more.rows
    assert (more.rows - less.rows).total() <= 1
    assert less.answers.keys() == more.answers.keys()
    for asked, (answer, proved) in less.answers.items():
        assert np.abs(more.answers[asked][0] - answer).sum() <= proved, asked


@pytest.mark.parametrize("source", SOURCES)
def test_a_row_that_is_odd_in_every_column_changes_nothing_but_itself(source, tmp_path):
    less = check_all(source, tmp_path)
    assert less.rows.total() == ROWS
    assert less.answers
    assert less.refusals
    assert len(less.columns) == 2 + len(TYPES.get(source, PARQUET))


def check_all(source, folder):
    less = looked(SOURCES[source](folder / "less", None))
    for odd in range(ODD):
        check(less, looked(SOURCES[source](folder / str(odd), odd)))
    return less


@pytest.mark.parametrize("part", ["_undone_dictionary", "_days"])
def test_one_value_that_makes_all_others_null_is_caught(part, tmp_path, monkeypatch):
    read = getattr(arrow_columns, part)

    def all_or_none(chunk, pa):
        made = read(chunk, pa)
        return pa.nulls(len(made), made.type) if made.null_count > chunk.null_count else made

    monkeypatch.setattr(arrow_columns, part, all_or_none)
    with pytest.raises(AssertionError):
        check_all("arrow", tmp_path / "mutant")


def test_a_far_time_in_a_column_that_nobody_asks_for_is_caught_if_it_fails_every_answer(tmp_path, monkeypatch):
    """The engine fetches all columns beside the units of a Parquet file, and cannot turn such a time to its own.

    Two things keep it from that: a file with such times is read into memory, and a column that no question reads is not
    fetched. Either is enough; without both every answer fails.
    """
    far = SOURCES["parquet"](tmp_path / "far", 1)
    looked(far)
    monkeypatch.setattr(memory_files, "_is_coarse", lambda kind, pa: False)
    looked(far)
    monkeypatch.setattr(opening, "is_read", lambda kind: True)
    with pytest.raises(ExecutionFailed):
        looked(far)
