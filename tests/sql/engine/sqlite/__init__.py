"""SQLite as a second engine, for the contract of engines: COUNT and SUM, over declared keys."""

from tests.sql.engine.sqlite.engine import SQLite

__all__ = ["SQLite"]
