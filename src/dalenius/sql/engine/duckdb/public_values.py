"""What expressions are over public values alone: computed by the engine itself, in a database that holds nothing else.

Which keys an expression can have is a function of what was declared, so it is found by trying every declared value. The
engine computes it, and not a second reading of the same functions, since a key that is spelt otherwise than the engine
spells it would lose its rows.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from dalenius.queries import Key
from dalenius.queries.view import EXACT
from dalenius.sql.engine.duckdb import language
from dalenius.sql.types.engine_names import SOURCE

if TYPE_CHECKING:
    import duckdb

PublicColumn = tuple[str, tuple[Key | None, ...]]
"""A type of the engine, and every value that there is."""


def evaluated(trees: Sequence[exp.Expr], columns: Mapping[str, PublicColumn]) -> tuple[tuple[Key | None, ...], ...]:
    """The results of the expressions over every combination of the columns' values, each combination of results once.

    Dates and times are texts in the form of ISO 8601; what can be no key (NaN, ±∞, a number of 2⁵³ and more) is None.
    """
    shown = ", ".join(f"{language.written(tree)} AS r{place}" for place, tree in enumerate(trees))
    rows: tuple[tuple[Key | None, ...], ...] = _evaluated(
        shown, tuple((name, kind, values) for name, (kind, values) in columns.items())
    )
    return rows


def is_understood(tree: exp.Expr) -> bool:
    """Whether the engine can evaluate an expression of constants."""
    import duckdb

    try:
        evaluated([tree], {})
    except duckdb.Error:
        return False
    return True


@lru_cache(maxsize=256)
def _evaluated(shown: str, columns: tuple[tuple[str, str, tuple[Key | None, ...]], ...]) -> Any:
    with _empty_database() as connection:
        sources = []
        for place, (name, kind, values) in enumerate(columns):
            connection.register(f"arrived{place}", _table(values))
            read = f"CAST(v AS {kind}) AS {language.quoted(name)}"
            sources.append(f"(SELECT {read} FROM arrived{place}) AS s{place}")
        joined = f' FROM (SELECT * FROM {" CROSS JOIN ".join(sources)}) AS "{SOURCE}"' if sources else ""
        rows = connection.execute(f"SELECT DISTINCT {shown}{joined}").fetchall()
    return tuple(tuple(map(_key, row)) for row in rows)


def _empty_database() -> "duckdb.DuckDBPyConnection":
    import duckdb

    settings: dict[str, Any] = {"threads": 1, "autoinstall_known_extensions": "false"}
    return duckdb.connect(":memory:", config=settings | {"autoload_known_extensions": "false"})


def _table(values: tuple[Key | None, ...]) -> Any:
    import pyarrow as pa

    return pa.table({"v": pa.array(list(values))})  # type: ignore[arg-type]


def _key(value: Any) -> Key | None:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        value = int(value) if value.is_integer() else value
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) >= EXACT:
        return None
    return value if isinstance(value, str | int | float) else None
