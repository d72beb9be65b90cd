"""Expressions over one row: typed, bounded by declarations, total."""

from dalenius.sql.rows.read import row_expression
from dalenius.sql.rows.typed import Typed
from dalenius.sql.types.kinds import Kind

__all__ = ["Kind", "Typed", "row_expression"]
