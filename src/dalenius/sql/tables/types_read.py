"""Which types of columns a question reads: over a column of another type the same text is another question."""

from collections.abc import Mapping

from sqlglot import exp

from dalenius.sql.policy.policy import Policy
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.types.column_types import is_whole

WHOLE = "whole"
"""Whole numbers of any width: the same rows in a wider column are the same question."""


def types_read(tree: exp.Expr, policy: Policy, others: Mapping[str, QueryTable]) -> dict[str, str]:
    """The types of all columns of private tables that a question may read, each by table and column.

    A column counts if its name stands anywhere in the text of a question that names its table; all of them do beside a
    star. Public tables are told apart by what they hold.
    """
    tables = {policy.table.lower(): policy.columns} | {
        name: table.columns for name, table in others.items() if table.private
    }
    written = {node.name.lower() for node in tree.find_all(exp.Identifier)}
    every = any(not isinstance(node.parent, exp.Count) for node in tree.find_all(exp.Star))
    return {
        f"{table}.{name.lower()}": WHOLE if is_whole(kind) else kind
        for table, columns in tables.items()
        if table in written
        for name, kind in columns.items()
        if every or name.lower() in written
    }
