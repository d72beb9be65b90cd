"""Ordinary SQL over tables that are public already: an engine in memory that can reach nothing else."""

from typing import TYPE_CHECKING

import duckdb

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine.duckdb.language import quoted

if TYPE_CHECKING:
    import pyarrow as pa

_GIVEN = "the_given_rows"


class PublicRows:
    """Tables of one schema, held in memory."""

    def __init__(self, schema: str) -> None:
        self._schema = schema
        self._connection = duckdb.connect(":memory:")
        self._connection.execute(f"CREATE SCHEMA {quoted(schema)}")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def keep(self, name: str, rows: "pa.Table") -> None:
        """Hold the rows under a name, in place of what it named before."""
        self._connection.register(_GIVEN, rows)
        table = f"{quoted(self._schema)}.{quoted(name)}"
        self._connection.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT * FROM {_GIVEN}")
        self._connection.unregister(_GIVEN)

    def select(self, text: str) -> "pa.Table":
        """The answer of a SELECT; the rows are public, so an error may say what it was."""
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(f"SET search_path = '{self._schema}'")
                rows: pa.Table = cursor.sql(text).to_arrow_table()
                return rows
        except duckdb.Error as error:
            raise UnsupportedQuery(f"these tables cannot answer this: {error}") from None
