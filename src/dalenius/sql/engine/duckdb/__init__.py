"""DuckDB, embedded: the engine, its SQL, and what it reads tables from."""

from dalenius.sql.engine.duckdb.column_names import column_names
from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.engine.duckdb.engine import DuckDB
from dalenius.sql.engine.duckdb.guessed_files import GuessedFile, guess_file
from dalenius.sql.engine.duckdb.owner_look import ColumnFacts, OwnerLook
from dalenius.sql.engine.duckdb.public_rows import IdlePublicRows, PublicRows
from dalenius.sql.engine.duckdb.public_tables import read_public_table
from dalenius.sql.engine.duckdb.public_values import PublicColumn, evaluated, is_understood
from dalenius.sql.engine.duckdb.sources import FILES as FILE_KINDS
from dalenius.sql.engine.duckdb.sources import kind_of_file, name_of_place, source_of

__all__ = [
    "DIALECT",
    "FILE_KINDS",
    "ColumnFacts",
    "DuckDB",
    "GuessedFile",
    "IdlePublicRows",
    "OwnerLook",
    "PublicColumn",
    "PublicRows",
    "column_names",
    "evaluated",
    "guess_file",
    "is_understood",
    "kind_of_file",
    "name_of_place",
    "read_public_table",
    "source_of",
]
