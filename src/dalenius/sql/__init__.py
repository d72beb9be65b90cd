"""Private SQL: parse, rules, compile, engine; over a closed grammar."""

from dalenius.sql.policy import Policy
from dalenius.sql.session import Session, connect

__all__ = ["Policy", "Session", "connect"]
