"""Engines: what one is, the statements that all of them run, and the one that is used if no other is named.

This front is the one place that says which engine that is.
"""

from dalenius.sql.engine.dialect import Dialect
from dalenius.sql.engine.duckdb import (
    DIALECT,
    FILE_KINDS,
    ColumnFacts,
    DuckDB,
    GuessedFile,
    IdlePublicRows,
    OwnerLook,
    PublicColumn,
    PublicRows,
    column_names,
    evaluated,
    guess_file,
    is_understood,
    kind_of_file,
    language,
    name_of_place,
    read_public_table,
    source_of,
)
from dalenius.sql.engine.duckdb import DuckDB as Default
from dalenius.sql.engine.engine import Engine
from dalenius.sql.engine.file_format import FileFormat

__all__ = [
    "DIALECT",
    "FILE_KINDS",
    "ColumnFacts",
    "Default",
    "Dialect",
    "DuckDB",
    "Engine",
    "FileFormat",
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
    "language",
    "name_of_place",
    "read_public_table",
    "source_of",
]
