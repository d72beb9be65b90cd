"""Databases that run compiled aggregations."""

from dalenius.sql.engine.duckdb import DuckDB

__all__ = ["DuckDB"]
