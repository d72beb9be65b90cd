"""Expressions over one row: typed, bounded by declarations, total."""

from dalenius.sql.rows.held_columns import held_columns
from dalenius.sql.rows.null_values import can_be_null
from dalenius.sql.rows.public_terms import narrowed
from dalenius.sql.rows.public_values import allowed_values, has_dates, joint_values, public_values
from dalenius.sql.rows.read import row_expression
from dalenius.sql.rows.typed import Typed
from dalenius.sql.types.kinds import Kind

__all__ = [
    "Kind",
    "Typed",
    "allowed_values",
    "can_be_null",
    "has_dates",
    "held_columns",
    "joint_values",
    "narrowed",
    "public_values",
    "row_expression",
]
