"""Dominating pairs: two laws that are at least as easy to tell apart as the outputs on any neighbors."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from dalenius.errors import InvalidParameter
from dalenius.guarantees.loss.piece import Piece
from dalenius.guarantees.sampling import amplified_epsilon
from dalenius.numerics import ball, precision


@dataclass(frozen=True, slots=True)
class Atom:
    """Mass `first` of P and e^(−loss)·first of Q at one privacy loss; both numbers are within 8u of the truth."""

    loss: float
    first: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two laws (P, Q), known by the law of the privacy loss L = log dP/dQ under P  [A Def 14.2].

    P has the atoms, the pieces and a mass `infinite` where Q is 0; Q has besides a mass `vanishing` where P is 0. The
    rest of Q follows: e^(−L) times P. `spacing` divides every difference of two atoms' losses exactly, when known.
    `gaussian` is μ² if the pair is N(μ, 1) against N(0, 1), whose transform has a closed form.
    """

    atoms: tuple[Atom, ...] = ()
    pieces: tuple[Piece, ...] = ()
    infinite: Fraction = Fraction(0)
    vanishing: Fraction = Fraction(0)
    spacing: Fraction | None = None
    gaussian: Fraction | None = None
    laplace: Fraction | None = None
    """ε if the pair is Laplace noise one sensitivity apart, a few of which compose in closed form."""
    symmetric: bool = False
    lost: float = 0.0
    """Mass of P cut from the far right by `cut`, within a relative 1e-9; its losses are anything."""
    further: Callable[[int], "Pair"] | None = field(default=None, compare=False, repr=False)
    """The pair of the same noise `k` times as far apart, for log-concave noise: see `grouped`."""
    bound: Fraction | None = None
    """No finite loss is larger than this, in either direction; None where none is known."""

    def grouped(self, size: int) -> "Pair | None":
        """What holds for `size` units together, if this is log-concave noise around an answer  [A Thm 13.3].

        There the best tests of x against x + Δ, and of x + Δ against x + 2Δ, are the same one-sided tests, so 1 − (1
        − f)^{∘k} is the trade-off function of noise kΔ apart.
        """
        return self.further(size) if self.further is not None else self if size == 1 else None

    def cut(self, mass: float) -> "Pair":
        """The same pair without its largest losses, if they are unbounded and rare: about `mass` of P is `lost`.

        Whoever uses this adds what is lost to δ for an upper bound, as if it were infinite, and nothing for a lower
        one.
        """
        kept, lost = [], 0.0
        for piece in self.pieces:
            end = piece.quantile(mass) if piece.mixed_first and piece.hi == math.inf else math.inf
            if piece.lo < end < math.inf:
                lost += replace(piece, lo=end).mass()
                piece = replace(piece, hi=end)
            kept.append(piece)
        return replace(self, pieces=tuple(kept), gaussian=None, symmetric=False, lost=lost) if lost else self

    def swapped(self) -> "Pair":
        """(Q, P): losses change sign."""
        if self.symmetric:
            return self
        atoms = tuple(Atom(-each.loss, each.first * math.exp(-each.loss)) for each in reversed(self.atoms))
        pieces = tuple(piece.swapped() for piece in self.pieces)
        return replace(self, atoms=atoms, pieces=pieces, infinite=self.vanishing, vanishing=self.infinite, further=None)

    def sampled(self, rate: Fraction) -> "Pair":
        """(P, Q) to ((1 − r)Q + rP, Q): what Poisson sampling makes of the removal pair  [A Thm 14.3] (as corrected).

        Outcomes stay, so a loss l becomes log(1 − r + r·e^l) with Q's mass there unchanged; where P is 0 it becomes
        log(1 − r).
        """
        if rate == 1:
            return self
        if rate == 0:
            return Pair((Atom(0.0, 1.0),), symmetric=True, bound=Fraction(0))
        with precision(160):
            atoms = [_sampled_atom(each, rate) for each in self.atoms]
            if self.vanishing:
                lost = 1 - rate
                atoms.append(Atom(float(ball(lost).log().mid()), float(lost * self.vanishing)))
        pieces = tuple(piece.sampled(float(rate), float(1 - rate)) for piece in self.pieces)
        atoms.sort(key=lambda each: each.loss)
        spacing = Fraction(atoms[1].loss) - Fraction(atoms[0].loss) if len(atoms) == 2 else None
        return Pair(tuple(atoms), pieces, rate * self.infinite, spacing=spacing, bound=self._sampled_bound(rate))

    def sampled_change_one(self, rate: Fraction) -> "Pair":
        """The pair of C_p(f) = min(f_p, f_p⁻¹)**, f the symmetric trade-off function of this pair  [A Thm 13.7].

        C_p(f) follows f_p = p·f + (1−p)·Id down to slope −1, then a line of slope −1, then the mirror image. So where
        the base loss is > 0 the losses ±log w appear, w = 1 − p + p·e^l, with P-masses w·Q and Q; an atom at 0 takes
        what is left.
        """
        if not self.symmetric:
            raise InvalidParameter("C_p(f) is for the symmetric pairs of change-one neighbors")
        if rate in (0, 1):
            return self.sampled(rate)
        upper = replace(self, symmetric=False, vanishing=Fraction(0)).sampled(rate)
        pieces = tuple(
            replace(piece, lo=max(piece.lo, piece.offset / piece.slope))
            for piece in upper.pieces
            if piece.hi > piece.offset / piece.slope
        )
        above = tuple(each for each in upper.atoms if each.loss > 0)
        below = tuple(Atom(-each.loss, each.first * math.exp(-each.loss)) for each in reversed(above))
        both = pieces + tuple(piece.swapped() for piece in pieces)
        taken = sum(map(Piece.mass, both)) + sum(each.first for each in below + above) + float(upper.infinite)
        return Pair(
            (*below, Atom(0.0, max(0.0, 1.0 - taken)), *above),
            both,
            upper.infinite,
            upper.infinite,
            symmetric=True,
            bound=upper.bound,
        )

    def _sampled_bound(self, rate: Fraction) -> Fraction | None:
        """log(1 + r(e^B − 1)): at the loss −B it is not smaller, (1 − r + re^−B)(1 − r + re^B) ≥ 1  [A Prop 11.1]."""
        if self.bound is None or self.infinite or self.vanishing:
            return None
        return amplified_epsilon(self.bound, rate)


def _sampled_atom(atom: Atom, rate: Fraction) -> Atom:
    """Q's mass e^(−l)·m stays; P's becomes that times w = 1 − r + r·e^l."""
    with precision(160):
        w = ball(1 - rate) + ball(rate) * ball(atom.loss).exp()
        return Atom(float(w.log().mid()), float((w * ball(atom.first) * (-ball(atom.loss)).exp()).mid()))
