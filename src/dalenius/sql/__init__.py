"""Private SQL: parse, rules, compile, engine; over a closed grammar."""

from dalenius.sql.connection import check_source, connect, explain, open_table
from dalenius.sql.engine import guess_types
from dalenius.sql.plans.sums import QueryExplanation
from dalenius.sql.policy.policy import Policy
from dalenius.sql.policy.survey import survey
from dalenius.sql.session import Session
from dalenius.sql.text.parse import LONGEST, placeholders, text_literal
from dalenius.sql.text.statement import Statement, read_statement
from dalenius.sql.types.column_types import written as key_from_text

__all__ = [
    "LONGEST",
    "Policy",
    "QueryExplanation",
    "Session",
    "Statement",
    "check_source",
    "connect",
    "explain",
    "guess_types",
    "key_from_text",
    "open_table",
    "placeholders",
    "read_statement",
    "survey",
    "text_literal",
]
