"""Expressions over one row: typed, bounded by declarations, total."""

from dalenius.sql.kinds import Kind
from dalenius.sql.rows.read import row_expression
from dalenius.sql.rows.typed import Typed

__all__ = ["Kind", "Typed", "row_expression"]
