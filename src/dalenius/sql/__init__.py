"""Private SQL: parse, rules, compile, engine; over a closed grammar."""

from dalenius.sql.connection import check_source, connect, explain, open_table
from dalenius.sql.engine import FileFormat
from dalenius.sql.plans.sums import QueryExplanation
from dalenius.sql.policy.confirm import confirm
from dalenius.sql.policy.doubts import PolicyWarning
from dalenius.sql.policy.policy import Policy
from dalenius.sql.session import Session
from dalenius.sql.survey.places import table_places
from dalenius.sql.survey.survey import Survey, survey
from dalenius.sql.survey.written import policy_text, survey_text
from dalenius.sql.text.parse import LONGEST, placeholders, text_literal
from dalenius.sql.text.statement import Statement, read_statement
from dalenius.sql.types.column_types import written as key_from_text

__all__ = [
    "LONGEST",
    "FileFormat",
    "Policy",
    "PolicyWarning",
    "QueryExplanation",
    "Session",
    "Statement",
    "Survey",
    "check_source",
    "confirm",
    "connect",
    "explain",
    "key_from_text",
    "open_table",
    "placeholders",
    "policy_text",
    "read_statement",
    "survey",
    "survey_text",
    "table_places",
    "text_literal",
]
