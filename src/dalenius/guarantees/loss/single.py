"""Closed forms for one pair: δ(ε) itself, and the masses of its far tail.

Over a piece, P and Q have densities n and n·w, one each way round, and n and n·E are exponentials of quadratics: every
integral is one of erfc or of exp. The floats of a piece are within 4u of the true parameters, so they enter as balls.
"""

import math

from flint import arb

from dalenius.guarantees.loss.pair import Atom, Pair
from dalenius.guarantees.loss.piece import Piece
from dalenius.guarantees.loss.rounding import UNIT, Uncertified
from dalenius.numerics import ball, erfc, lower, precision, upper

_BITS = 192


def single_delta(pair: Pair, epsilon: float) -> tuple[float, float]:
    """Proven bounds on the finite part of δ(ε) = ∫ (P − e^ε·Q)₊ of one pair  [A Def 9.1]."""
    with precision(_BITS):
        grown = ball(epsilon).exp()
        total = sum((_atom(each, epsilon) for each in pair.atoms if each.first > 0), ball(0))
        for piece in pair.pieces:
            total += _piece(piece, grown)
        return max(0.0, lower(total)), upper(total)


def tail_masses(piece: Piece, start: float) -> tuple[arb, arb]:
    """Enclosures of the masses of P and Q above the outcome `start`, for a piece with the mixture first."""
    plain, shifted = _integrals(piece, ball(start), None)
    return _about(piece.rest) * plain + _about(piece.rate) * shifted, plain


def _atom(atom: Atom, epsilon: float) -> arb:
    """(1 − e^(ε − l))₊ times the mass, with both numbers within 8u."""
    gap = arb(atom.loss, 8 * UNIT * abs(atom.loss)) - ball(epsilon)
    if gap < 0:
        return ball(0)
    share = -(-gap).expm1()
    return arb(atom.first, 8 * UNIT * atom.first) * (share if gap > 0 else share.union(ball(0)))


def _piece(piece: Piece, grown: arb) -> arb:
    """∫ (P − e^ε·Q)₊ over a piece: on one side of the outcome where w passes e^ε, or e^−ε if the mixture is second."""
    rate, rest = _about(piece.rate), _about(piece.rest)
    threshold = (grown - rest) / rate if piece.mixed_first else (1 / grown - rest) / rate
    if threshold < 0 and not piece.mixed_first:
        return ball(0)
    if not threshold > 0:
        raise Uncertified("threshold")
    y = (threshold.log() + _about(piece.offset)) / _about(piece.slope)
    if piece.mixed_first:
        plain, shifted = _integrals(piece, y.max(ball(piece.lo)), None)
        value = rate * (shifted - threshold * plain)
        beyond = y > piece.hi, y < piece.hi
    else:
        plain, shifted = _integrals(piece, None, y.min(ball(piece.hi)))
        value = grown * rate * (threshold * plain - shifted)
        beyond = y < piece.lo, y > piece.lo
    if beyond[0]:
        return ball(0)
    return value if beyond[1] else value.union(ball(0))


def _integrals(piece: Piece, start: arb | None, end: arb | None) -> tuple[arb, arb]:
    """∫ n and ∫ n·E over the piece, or over the part between `start` and `end`."""
    c0, c1, slope, offset = (_about(each) for each in (piece.c0, piece.c1, piece.slope, piece.offset))
    left = start if start is not None else None if piece.lo == -math.inf else ball(piece.lo)
    right = end if end is not None else None if piece.hi == math.inf else ball(piece.hi)
    each = _gaussian if piece.c2 else _exponential
    return each(c0, c1, left, right), each(c0 - offset, c1 + slope, left, right)


def _gaussian(c0: arb, c1: arb, left: arb | None, right: arb | None) -> arb:
    """∫ exp(c0 + c1·y − y²/2), by the tails that do not cancel."""
    scale = (c0 + c1 * c1 / 2).exp() * (arb.pi() / 2).sqrt()
    root = arb(2).sqrt()
    if left is None:
        return scale * (ball(2) if right is None else erfc((c1 - right) / root))
    if right is None:
        return scale * erfc((left - c1) / root)
    if left < c1:
        return scale * (erfc((c1 - right) / root) - erfc((c1 - left) / root))
    return scale * (erfc((left - c1) / root) - erfc((right - c1) / root))


def _exponential(c0: arb, c1: arb, left: arb | None, right: arb | None) -> arb:
    """∫ exp(c0 + c1·y)."""
    if left is None or right is None or c1.contains(0):
        raise Uncertified("an unbounded piece")
    return c0.exp() * ((c1 * right).exp() - (c1 * left).exp()) / c1


def _about(parameter: float) -> arb:
    """A float that is within 4u of the number that it stands for."""
    return arb(parameter, 4 * UNIT * abs(parameter))
