"""DuckDB, embedded: the engine, its SQL, and what it reads tables from."""

from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.engine.duckdb.engine import DuckDB, guess_types
from dalenius.sql.engine.duckdb.public_rows import PublicRows
from dalenius.sql.engine.duckdb.public_tables import read_public_table
from dalenius.sql.engine.duckdb.sources import source_of

__all__ = ["DIALECT", "DuckDB", "PublicRows", "guess_types", "read_public_table", "source_of"]
