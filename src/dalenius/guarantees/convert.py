"""Conversions between notions: the one file that knows them all.

A notion can be asked for its composition, trade-off function or loss distribution, which are notions too. So that files
do not import one another in a ring, a notion imports this one inside the method that needs it, and nothing else upward.
"""

from collections.abc import Sequence
from fractions import Fraction

from dalenius.guarantees.curves.polyline import Polyline
from dalenius.guarantees.guarantee import Guarantee, Part
from dalenius.guarantees.loss import LossDistribution, from_masses, gaussian, response
from dalenius.guarantees.notions.composition import Composition, compose_alike, compose_parts
from dalenius.guarantees.notions.renyi import RenyiDP
from dalenius.guarantees.notions.tradeoff import TradeOff
from dalenius.neighbors import Relation

__all__ = [
    "Composition",
    "LossDistribution",
    "TradeOff",
    "compose_alike",
    "compose_parts",
    "compose_unlike",
    "gaussian_loss",
    "polyline_loss",
    "response_loss",
]


def gaussian_loss(square: Fraction, relation: Relation) -> LossDistribution:
    """N(μ, 1) against N(0, 1)  [A Ex 13.3]."""
    return LossDistribution.of(gaussian(square) if square else response(0), relation=relation)


def response_loss(parts: Sequence[Part], relation: Relation) -> LossDistribution:
    """The pairs that dominate (ε, δ) mechanisms, composed  [KOV15, Thm 3.2; A Thm 14.2]."""
    first, *rest = [
        LossDistribution.of(response(part.epsilon, part.delta), relation=relation).repeat(part.times) for part in parts
    ]
    composed = first.compose(*rest)
    assert isinstance(composed, LossDistribution)
    return composed


def polyline_loss(f: Polyline, relation: Relation) -> LossDistribution:
    """A pair whose trade-off function is f, symmetric  [A Ex 14.1]."""
    masses = f.atoms()
    return LossDistribution.of(from_masses([p for p, _ in masses], [q for _, q in masses]), relation=relation)


def compose_unlike(guarantees: Sequence[Guarantee]) -> Guarantee:
    """Through dominating pairs, which multiply; where one has none, as Rényi divergences, which add.

    [A Thm 14.2, A Thm 12.3]
    """
    losses = [each if isinstance(each, LossDistribution) else each.loss() for each in guarantees]
    known = [loss for loss in losses if loss is not None]
    if len(known) < len(guarantees):
        return RenyiDP.adding(guarantees)
    return known[0].compose(*known[1:])
