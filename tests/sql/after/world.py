"""A small table of made-up people, asked through a session and, exactly, through DuckDB."""

from decimal import Decimal

import duckdb
import numpy as np
import pyarrow as pa

import dalenius

SHOPS = ("north", "south", "east", "west")
YEARS = (2022, 2023, 2024)


def people(rows=4000, seed=1):
    """One row a person; one shop is NULL now and then, and one is not declared."""
    rng = np.random.default_rng(seed)
    shop = rng.choice([*SHOPS, "closed", None], rows, p=[0.4, 0.3, 0.15, 0.1, 0.03, 0.02])
    return pa.table(
        {
            "person": np.arange(rows),
            "shop": pa.array(shop.tolist()),
            "year": rng.choice(YEARS, rows),
            "spent": rng.integers(0, 100, rows).astype(float),
        }
    )


def session(tmp_path, table=None, epsilon=10**9, **terms):
    """The table behind a session."""
    return dalenius.connect(
        people() if table is None else table,
        table="sales",
        unit="person",
        contributions=1,
        budget={"epsilon": epsilon, "delta": "1e-6"},
        ledger=tmp_path / "after.ledger",
        bounds={"spent": (0, 100)},
        keys={"shop": list(SHOPS), "year": list(YEARS)},
        **terms,
    )


def truth(text, table=None, declared=True):
    """What DuckDB gives over the rows whose keys are declared, or over all."""
    with duckdb.connect() as connection:
        connection.register("given", people() if table is None else table)
        where = "WHERE shop IN ('north', 'south', 'east', 'west')" if declared else ""
        connection.execute(f"CREATE TABLE sales AS SELECT * FROM given {where}")
        return [tuple(map(_plain, row)) for row in connection.execute(text).fetchall()]


def _plain(value):
    return float(value) if isinstance(value, Decimal) else value


def close(answered, exact, tolerance=0.05):
    """Whether two tables are the same but for small noise; order counts."""
    if len(answered) != len(exact):
        return False
    return all(
        (a == b)
        if not isinstance(b, int | float) or isinstance(b, bool)
        else a is not None and abs(a - b) <= tolerance * max(1, abs(b)) ** 0.5
        for one, other in zip(answered, exact, strict=True)
        for a, b in zip(one, other, strict=True)
    )
