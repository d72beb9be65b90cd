"""Qualify names: every column gets its table."""

from dataclasses import replace

from dalenius.sql.planner.draft import Draft
from dalenius.sql.policy.policy import Policy
from dalenius.sql.text.qualify import qualify_names


def qualify(draft: Draft, policy: Policy) -> Draft:
    """Replace every column by the policy's own spelling, quoted, and the table by the engine's name for it."""
    return replace(draft, tree=qualify_names(draft.tree, policy))
