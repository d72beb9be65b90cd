"""Private SQL: parse, rules, compile, engine; over a closed grammar."""

from dalenius.sql.connection import check_source, connect, explain, open_table
from dalenius.sql.engine import FileFormat
from dalenius.sql.error_table import EPSILONS, ErrorLine, ErrorTable
from dalenius.sql.errors_of_policy import errors_by_epsilon
from dalenius.sql.plans.sums import PricedQuestion, QueryExplanation
from dalenius.sql.policy.confirm import confirm
from dalenius.sql.policy.doubts import PolicyWarning
from dalenius.sql.policy.policy import Policy
from dalenius.sql.policy.smartnoise import ImportedPolicy, import_smartnoise
from dalenius.sql.policy_check import PolicyCheck, check_policy
from dalenius.sql.session import Session
from dalenius.sql.surveys.places import table_places
from dalenius.sql.surveys.survey import Survey, survey
from dalenius.sql.surveys.written import policy_text, survey_text
from dalenius.sql.text.parse import LONGEST, placeholders, text_literal
from dalenius.sql.text.statement import Statement, read_statement
from dalenius.sql.types.column_types import written as key_from_text
from dalenius.sql.views.description import Description, describe

__all__ = [
    "EPSILONS",
    "LONGEST",
    "Description",
    "ErrorLine",
    "ErrorTable",
    "FileFormat",
    "ImportedPolicy",
    "Policy",
    "PolicyCheck",
    "PolicyWarning",
    "PricedQuestion",
    "QueryExplanation",
    "Session",
    "Statement",
    "Survey",
    "check_policy",
    "check_source",
    "confirm",
    "connect",
    "describe",
    "errors_by_epsilon",
    "explain",
    "import_smartnoise",
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
