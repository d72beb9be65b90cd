"""The contract of sources: a source is a function of its rows, one by one.

Of two tables that differ in some rows, one must have all rows of the other and at most as many more as it was given;
both have one schema, and open or are refused in the same words; and no question's integers differ by more than is
proved.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dalenius.errors import DaleniusError
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.compile import compile_query

CONDITIONS = [
    *("TRUE", "NOT x < 0", "x IS NULL", "s <> 'x'", "s >= 'hello'", "u > 'p'", "CAST(w AS VARCHAR) > '2'"),
    *("CAST(w AS DATE) > '2001-01-01'", "d > '2020-01-15'", "n > 100", "CAST(s AS DOUBLE) IS NULL"),
]
QUESTIONS = [
    "SELECT " + ", ".join(f"COUNT(CASE WHEN {one} THEN 1 END) AS c{place}" for place, one in enumerate(CONDITIONS)),
    *(f"SELECT COUNT(*) AS n FROM t WHERE {one}" for one in CONDITIONS[1:7]),
    "SELECT s, COUNT(*) AS n, SUM(x) AS y FROM t GROUP BY s",
    "SELECT COUNT(*) AS n FROM (SELECT u, MAX(x) AS a FROM t GROUP BY u) AS q WHERE a > 0",
]
QUESTIONS[0] += " FROM t"
LOOK = "SELECT u, n, x, s, HASH(d), HASH(w) FROM source"
KEYS = {"s": [f"hello {place}" for place in range(7)]}


@dataclass(frozen=True)
class Seen:
    """All that can be seen of a source: a refusal, or its schema, its rows and exact answers with what is proved."""

    refusal: str | None
    columns: dict[str, str]
    rows: Counter[str]
    answers: dict[str, tuple[np.ndarray, int]]


def seen(opening: dict[str, Any], questions: tuple[str, ...] = tuple(QUESTIONS), contributions: int = 1) -> Seen:
    """Open a source and look at everything; a row is written letter by letter, since NaN is not NaN."""
    try:
        engine = DuckDB(**opening)
    except DaleniusError as refused:
        return Seen(f"{type(refused).__name__}: {refused}", {}, Counter(), {})
    engine.name_unit("u")
    answers: dict[str, tuple[np.ndarray, int]] = {}
    for question in questions:
        compiled = _compiled(question, tuple(engine.columns.items()), contributions)
        shared = engine.scan(compiled.scan, compiled.cells, len(compiled.parts)) if compiled.scan else None
        for place, group in enumerate(compiled.groups):
            found = (
                engine.scan(group.scan, compiled.cells, len(group.parts))
                if group.scan
                else shared[[compiled.parts.index(part) for part in group.parts]]
            )
            answers[f"{question} / {place}"] = found, group.steps
    return Seen(None, engine.columns, Counter(map(repr, engine.look(LOOK))), answers)


@cache
def _compiled(question: str, columns: tuple[tuple[str, str], ...], contributions: int) -> Any:
    terms = {"unit": "u", "contributions": contributions, "keys": KEYS, "bounds": {"x": (0, 64)}}
    return compile_query(question, Policy.declare("t", dict(columns), **terms))


def check_neighbours(less: Seen, more: Seen, rows_more: int, units_more: int = 1) -> None:
    """Fail if rows that `more` has beyond `less` did anything but be there."""
    assert less.refusal == more.refusal, "whether it opens"
    assert list(less.columns.items()) == list(more.columns.items()), "the schema"
    assert not less.rows - more.rows, "a row of another changed or went"
    assert (more.rows - less.rows).total() <= rows_more, "rows came that nobody wrote"
    assert less.answers.keys() == more.answers.keys()
    for question, (answer, proved) in less.answers.items():
        moved = int(np.abs(more.answers[question][0] - answer).sum())
        assert moved <= proved * units_more, f"{question} moved by {moved} at a proved change of {proved}"


def read_units(opening: dict[str, Any]) -> list[Any]:
    """The unit of each row, in the order of `n`."""
    engine = DuckDB(**opening)
    engine.name_unit("u")
    return [unit for unit, _ in engine.look("SELECT u, n FROM source ORDER BY n")]


def check_units(units: list[Any]) -> None:
    """Fail if two people are one: units that differ as they were written are NULL, or differ as they are read."""
    named = [unit for unit in units if unit is not None]
    assert len(set(named)) == len(named), "two people are one"


def opened(kind: Any, folder: Path, rows: Any) -> Seen:
    """What can be seen of the rows in that kind of source."""
    return seen(kind.opening(folder, rows))
