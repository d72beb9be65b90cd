"""In which form an answer enters a branch that its own notion has none for: by a point of its own privacy curve.

A Gaussian answer has a ρ, and at every δ an ε. It is charged in both forms: ρ to the branch of concentrated privacy,
and one (ε′, δ′) of its curve to plain sums. The proof of "auto" (`filters`) stands word for word, since each branch
uses only its own notion: the answer *is* (ε′, δ′)-DP, and it *is* ρ-zCDP. Any point of the curve would be sound. The
rule, which looks at the caps of the branch and at nothing else, is that of least damage: of the points δ′ = cap/2^k
take the one that uses the smallest part of its fuller meter, so that the most answers like it would fit. (A rule that
looked at what is left would be as public and as sound, but two equal answers would then cost different amounts.)

*Interactive runs* may be interleaved with other questions. A run that is pure, (ε, δ) or f-DP is interactive
post-processing of a one-shot mechanism with the same curve  [Lyu22; VZ23]: it enters both branches with that
mechanism's forms, and the proof of "auto" covers it. What is known by zCDP or Rényi divergence alone has no such
theorem; it is first weakened to an (ε, δ) that it implies, and enters *both* branches through that one. It is never
charged to one branch while the other stays as open as before.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from dalenius.errors import UnprovenClaim
from dalenius.guarantees import (
    GDP,
    ZCDP,
    ApproxDP,
    Composition,
    Guarantee,
    LossDistribution,
    PureDP,
    RenyiDP,
    TradeOff,
)
from dalenius.ledger.cost import CONCENTRATED, SUM, CostKind

if TYPE_CHECKING:
    from dalenius.ledger.filters import Branch

HALVINGS = 64
"""The least δ′ is the cap over 2^64."""
_CURVES = (PureDP, ApproxDP, Composition, GDP, TradeOff, LossDistribution)
"""Notions that are a trade-off curve, or a family of them: what [VZ23] carries from runs to one-shot mechanisms."""


def price(
    guarantee: Guarantee, kind: CostKind, caps: tuple[int, ...], order: Fraction | None
) -> tuple[Fraction, ...] | None:
    """What a guarantee moves the meters of a branch by: its own form, or that of the point of least damage."""
    own = kind.price(guarantee, order)
    if own is not None or kind not in (SUM, CONCENTRATED):
        return own
    point = least_damage(guarantee, kind, caps)
    return None if point is None else kind.price(ApproxDP(*point, guarantee.relation), None)


def one_shot(guarantee: Guarantee, branches: Sequence["Branch"]) -> Guarantee:
    """What an interactive run is charged as: a mechanism whose post-processing it is  [VZ23].

    The filter "renyi" adds the divergences of runs as they are: concurrent composition is known for it  [HST23].
    """
    kinds = {branch.kind.name for branch in branches}
    if isinstance(guarantee, _CURVES) or not kinds & {SUM.name, CONCENTRATED.name}:
        return guarantee
    if guarantee.sum_form is not None:
        return ApproxDP(*guarantee.sum_form, guarantee.relation)
    sums = next((branch for branch in branches if branch.kind is SUM), None)
    point = (
        None if sums is None or not isinstance(guarantee, ZCDP | RenyiDP) else least_damage(guarantee, SUM, sums.caps)
    )
    if point is None:
        raise UnprovenClaim(
            f"an interactive run known by {type(guarantee).__name__} implies no (ε, δ) that this data set could pay, "
            "and nothing is proved for it among other questions; open a run that is pure or (ε, δ)"
        )
    return ApproxDP(*point, guarantee.relation)


def least_damage(guarantee: Guarantee, kind: CostKind, caps: tuple[int, ...]) -> tuple[Fraction, Fraction] | None:
    """The (ε′, δ′) of its curve, δ′ the cap over a power of two, that uses the least of the fuller meter of a branch.

    ε′ grows and δ′ falls with every halving, so the best is where the two parts cross, or one step before.
    """
    if min(caps) <= 0:
        return None
    low, high = 0, HALVINGS
    while low < high:
        middle = (low + high) // 2
        point = _point(guarantee, caps[1], middle)
        if point is None or _part(point, guarantee, kind, caps) > Fraction(1, 2**middle):
            high = middle
        else:
            low = middle + 1
    points = [point for k in (low - 1, low) if k >= 0 and (point := _point(guarantee, caps[1], k)) is not None]
    return min(points, key=lambda point: _part(point, guarantee, kind, caps), default=None)


def _part(point: tuple[Fraction, Fraction], guarantee: Guarantee, kind: CostKind, caps: tuple[int, ...]) -> Fraction:
    """The part of its fuller meter that a point uses."""
    form = kind.price(ApproxDP(*point, guarantee.relation), None)
    assert form is not None
    return max(value / meter.value(cap) for value, meter, cap in zip(form, kind.meters, caps, strict=True))


def _point(guarantee: Guarantee, cap: int, halvings: int) -> tuple[Fraction, Fraction] | None:
    """ε at δ = cap/2^halvings, a proven upper bound; None where it is infinite or there is no such δ."""
    delta = SUM.meters[1].value(cap >> halvings)
    if delta == 0:
        return None
    try:
        return _computed(guarantee, delta)
    except TypeError:  # a curve given as a function may have no hash
        return _computed.__wrapped__(guarantee, delta)


@lru_cache(maxsize=4096)
def _computed(guarantee: Guarantee, delta: Fraction) -> tuple[Fraction, Fraction] | None:
    epsilon = guarantee.epsilon(cast(float, delta))  # a fraction is taken as it is; a float would have to be rounded
    return None if epsilon == float("inf") else (Fraction(epsilon), delta)
