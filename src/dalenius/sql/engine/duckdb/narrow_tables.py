"""A wide table taken apart: a statement about one of ten thousand columns is planned for all of them."""

from collections.abc import Iterator, Sequence

import duckdb

from dalenius.sql.engine.duckdb.dialect import DIALECT

WIDE = 100
"""A table of more columns than this is read through narrow copies."""
_BATCH = 40


def narrow_tables(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """The columns some at a time, each time with a table that holds them: a copy where the table is wide.

    `table` is quoted already. Planning grows with the columns of the table, so asking for each of n columns of one
    table takes a time that grows with n²; through copies it grows with n.
    """
    for start in range(0, len(columns), _BATCH):
        names = columns[start : start + _BATCH]
        if len(columns) <= WIDE:
            yield table, names
            continue
        listed = ", ".join(map(DIALECT.quoted, names))
        connection.execute(f"CREATE OR REPLACE TEMP TABLE narrow AS SELECT {listed} FROM {table}")
        yield "narrow", names
    if len(columns) > WIDE:
        connection.execute("DROP TABLE narrow")
