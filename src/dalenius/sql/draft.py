"""A query on its way from the analyst's words to what the engine runs."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.queries import Keys
from dalenius.sql.policy import Policy

SOURCE = "source"
"""What the engine calls the owner's table; the names of files and tables never reach it."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The tree so far, and what the rules have found out about it.

    `steps` is how far one unit can move the answer in ℓ1 (0 until a rule proves it), `lattice` where it lives.
    """

    tree: exp.Expr
    keys: Keys | None = None
    name: str = ""
    steps: int = 0
    lattice: Lattice = INTEGERS


Rule = Callable[[Draft, Policy], Draft]
"""A rule reads the draft and the policy, never the data; it rewrites, or refuses by name."""
