"""Composition of guarantees of different notions."""

from collections.abc import Sequence

from dalenius.guarantees.guarantee import Guarantee


def compose_unlike(guarantees: Sequence[Guarantee]) -> Guarantee:
    """All parts as Rényi divergences, which add  [A Thm 12.3]."""
    from dalenius.guarantees.renyi import RenyiDP

    return RenyiDP.adding(guarantees)
