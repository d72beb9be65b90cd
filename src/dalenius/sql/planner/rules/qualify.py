"""Qualify names: every column gets its table."""

from dataclasses import replace

from dalenius.sql.planner.stages import Question
from dalenius.sql.policy.policy import Policy
from dalenius.sql.text.qualify import qualify_names


def qualify(question: Question, policy: Policy) -> Question:
    """Replace every column by the policy's own spelling, quoted, and the table by the engine's name for it."""
    return replace(question, tree=qualify_names(question.tree, policy))
