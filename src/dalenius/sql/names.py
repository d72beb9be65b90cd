"""What the engine calls things: the names of files, tables and aliases never reach it."""

SOURCE = "source"
"""The owner's table."""
CELL = "cell"
"""The number of a combination of public keys."""
UNIT = "unit"
"""Whose row it is."""
