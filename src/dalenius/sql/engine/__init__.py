"""Engines: what one is, the statements that all of them run, and the one that is used if no other is named.

This front is the one place that says which engine that is.
"""

from dalenius.sql.engine.dialect import Dialect
from dalenius.sql.engine.duckdb import DIALECT, DuckDB, PublicRows, guess_types, language, read_public_table, source_of
from dalenius.sql.engine.duckdb import DuckDB as Default
from dalenius.sql.engine.engine import Engine

__all__ = [
    "DIALECT",
    "Default",
    "Dialect",
    "DuckDB",
    "Engine",
    "PublicRows",
    "guess_types",
    "language",
    "read_public_table",
    "source_of",
]
