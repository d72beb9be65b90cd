"""What the engine calls things: the names of files, tables and aliases never reach it."""

SOURCE = "source"
"""The owner's table."""
CELL = "cell"
"""The number of a combination of public keys."""
UNIT = "unit"
"""Whose row it is."""
NAMED = "named"
"""The keys that a search has named, each with its place; there only while the answers for them are computed."""


def place_beside(name: str) -> str:
    """What the engine calls a private table beside the owner's first one."""
    return f"table {name}"
