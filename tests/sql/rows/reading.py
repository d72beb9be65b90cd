"""One expression over one row: what is known of it, and what the engine makes of it."""

import duckdb

from dalenius.sql.rows import row_expression
from dalenius.sql.text.parse import parse
from tests.sql.sensitivity.grammar import policy

ROW = {
    "x": 2.5,
    "y": 0.0,
    "j": 7,
    "flag": True,
    "k": "Ab",
    "note": "12",
    "d": "2024-02-29",
    "ts": "2024-02-29 13:05:00",
}


def read(text, **terms):
    return row_expression(parse(f"SELECT {text}").expressions[0], policy(**terms))


def value(text, row=ROW, **terms):
    with duckdb.connect() as connection:
        columns = ", ".join(f"CAST(? AS {kind}) AS {name}" for name, kind in policy().columns.items())
        connection.execute(f'CREATE TABLE "source" AS SELECT {columns}', [row.get(name) for name in policy().columns])
        return connection.execute(f'SELECT {read(text, **terms).text} FROM "source"').fetchone()[0]
