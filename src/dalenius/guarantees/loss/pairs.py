"""The dominating pairs of the mechanisms that have one in closed form."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

from flint import arb

from dalenius.errors import InvalidParameter
from dalenius.guarantees.loss.pair import Atom, Pair
from dalenius.guarantees.loss.piece import Piece
from dalenius.numerics import Number, ball, nonnegative, positive, precision, probability

_TAIL = Fraction(1, 10**317)  # more than 200 000 atoms that underflow can hold
_MOST_ATOMS = 200_000
_CHARGED = 4e-15
_SLACK = 4e-12
NOTHING = Pair(atoms=(Atom(0.0, 1.0),), symmetric=True, bound=Fraction(0))
"""Two equal laws: nothing is learned."""


class Continuous(Protocol):
    """A law on the line, as scipy.stats gives them."""

    def pdf(self, x: float, /) -> float:
        """Its density."""

    def cdf(self, x: float, /) -> float:
        """Its distribution function."""


def gaussian(mu_squared: Number) -> Pair:
    """N(μ, 1) against N(0, 1), the Gaussian mechanism with μ = Δ₂/σ  [A Ex 13.3]."""
    square = positive(mu_squared, "mu_squared")
    with precision(128):
        mu = float(ball(square).sqrt().mid())
        c0 = float(-((2 * arb.pi()).log() / 2).mid())
    piece = Piece(c0, 0.0, 1.0, mu, float(square / 2), -math.inf, math.inf)
    return Pair(
        pieces=(piece,), gaussian=square, symmetric=True, further=lambda k: gaussian(square * k * k) if k else NOTHING
    )


def laplace(epsilon: Number) -> Pair:
    """Lap centred 0 against Lap centred Δ, with ε = Δ₁/b: losses from −ε to ε, an atom at each end  [A Thm 3.2].

    Under P the loss is ε with probability ½, −ε with ½e^−ε, and has density ¼e^((l−ε)/2) between; Q's is e^−l times
    that.
    """
    size = positive(epsilon, "epsilon")
    e = float(size)
    with precision(128):
        low = float(((-ball(size)).exp() / 2).mid())
        c0 = float((-ball(size) / 2 - ball(4).log()).mid())
    piece = Piece(c0, -0.5, 0.0, 1.0, 0.0, -e, e)
    return Pair(
        (Atom(-e, low), Atom(e, 0.5)),
        (piece,),
        spacing=2 * size,
        laplace=size,
        symmetric=True,
        further=lambda k: laplace(size * k) if k else NOTHING,
        bound=size,
    )


def response(epsilon: Number, delta: Number = 0) -> Pair:
    """The pair that dominates every (ε, δ)-DP mechanism, randomized response at δ = 0  [KOV15, Thm 3.2]."""
    size, slack = nonnegative(epsilon, "epsilon"), probability(delta, "delta")
    if size == 0:
        return Pair((Atom(0.0, float(1 - slack)),) if slack < 1 else (), (), slack, slack, symmetric=True, bound=size)
    with precision(128):
        odds = ball(size).exp()
        low, high = float((ball(1 - slack) / (1 + odds)).mid()), float((ball(1 - slack) / (1 + 1 / odds)).mid())
    atoms = (Atom(-float(size), low), Atom(float(size), high)) if slack < 1 else ()
    further = None if slack else lambda k: response(size * k)  # [A Prop 3.2]
    return Pair(atoms, (), slack, slack, 2 * size, symmetric=True, further=further, bound=size)


def discrete_gaussian(sigma_squared: Number, shift: int = 1) -> Pair:
    """Discrete Gaussians on ℤ, `shift` apart: losses on the lattice (2kΔ − Δ²)/(2σ²)  [CKS20, Thm 7]."""
    square, apart = positive(sigma_squared, "sigma_squared"), _shift(shift)
    reach = math.isqrt(math.ceil(1600 * square)) + apart + 2  # e^(−800) of mass beyond: charged below as infinite
    if 2 * reach > _MOST_ATOMS:
        raise InvalidParameter(
            f"sigma_squared must be below {(_MOST_ATOMS // 90) ** 2} for a pair of atoms; use the Gaussian's pair"
        )
    with precision(160):
        masses = {k: (-ball(Fraction(k * k) / (2 * square))).exp() for k in range(-reach, reach + 1)}
        total = sum(masses.values(), ball(0))
        atoms = tuple(
            Atom(float(Fraction(2 * (k + apart) * apart - apart * apart) / (2 * square)), float((mass / total).mid()))
            for k, mass in masses.items()
        )
    kept = tuple(each for each in atoms if each.first > 0)
    spacing = Fraction(apart) / square
    return Pair(
        kept,
        (),
        _TAIL,
        _TAIL,
        spacing,
        symmetric=True,
        further=lambda k: discrete_gaussian(square, apart * k) if k else NOTHING,
    )


def discrete_laplace(rate: Number, shift: int = 1) -> Pair:
    """Two-sided geometric laws ∝ e^(−a|k|), `shift` apart: losses a(2k − Δ) for k = 0..Δ  [D Thm 2.8]."""
    a, apart = positive(rate, "rate"), _shift(shift)
    if apart > _MOST_ATOMS:
        raise InvalidParameter(f"shift must be at most {_MOST_ATOMS}, got {shift}")
    with precision(160):
        grown = (-ball(a)).exp()
        inside = (1 - grown) / (1 + grown)
        atoms = []
        for k in range(apart + 1):
            # the centre of P is Δ: k = Δ takes all above, k = 0 all below
            weight = inside * (-ball(a * (apart - k))).exp()
            if k in (0, apart):
                weight = weight / (1 - grown)
            atoms.append(Atom(float(a * (2 * k - apart)), float(weight.mid())))
    return Pair(
        tuple(atoms),
        (),
        spacing=2 * a,
        symmetric=True,
        further=lambda k: discrete_laplace(a, apart * k) if k else NOTHING,
        bound=a * apart,
    )


def from_masses(first: Sequence[Number], second: Sequence[Number]) -> Pair:
    """Any two laws on the same finitely many outcomes, outcome by outcome  [A Def 14.2]."""
    p, q = ([nonnegative(x, name) for x in masses] for masses, name in ((first, "first"), (second, "second")))
    if len(p) != len(q) or sum(p) != 1 or sum(q) != 1:
        raise InvalidParameter(
            "first and second must be as long as each other and each sum to 1 (give fractions, not roundings)"
        )
    merged: dict[Fraction, Fraction] = {}
    for x, y in zip(p, q, strict=True):
        if x and y:
            merged[x / y] = merged.get(x / y, Fraction(0)) + x
    with precision(160):
        atoms = tuple(Atom(float(ball(ratio).log().mid()), float(mass)) for ratio, mass in sorted(merged.items()))
    infinite = sum((x for x, y in zip(p, q, strict=True) if not y), Fraction(0))
    vanishing = sum((y for x, y in zip(p, q, strict=True) if not x), Fraction(0))
    mirrored = {1 / ratio: mass / ratio for ratio, mass in merged.items()}
    return Pair(atoms, (), infinite, vanishing, symmetric=mirrored == merged and infinite == vanishing)


def from_densities(first: "Continuous", second: "Continuous", edges: Sequence[float]) -> Pair:
    """A pair of atoms that dominates two laws on the line, each given by its density and distribution function.

    Between two neighboring edges the log ratio of the densities must be monotone. The masses p and q of a cell then go
    to its two end losses l₀ < l₁, b = (p − e^(l₀) q)/(1 − e^(l₀ − l₁)) of P to l₁ and the rest to l₀: both masses are
    kept, the loss is only spread, and as δ is convex in e^(−L) under P it grows, by the square of a cell's width
    [A Def 14.2]. Beyond the last edges the loss is taken to be infinite, either way. Densities must be good to 1e-12
    of themselves and distribution functions to 1e-15; that much is charged as infinite too.

    Parameters
    ----------
    first, second : laws with `pdf` and `cdf`, as scipy's frozen ones have.
    edges : where cells begin and end, growing.
    """
    if len(edges) < 2 or any(not low < high for low, high in pairwise(edges)):
        raise InvalidParameter("edges must be two or more numbers, each above the one before")
    heights = [(float(first.cdf(at)), float(second.cdf(at)), _log_ratio(first, second, at)) for at in edges]
    lost = heights[0][0] + (1 - heights[-1][0]) + _CHARGED * len(edges)
    masses: dict[float, float] = {}
    for (p_low, q_low, left), (p_high, q_high, right) in pairwise(heights):
        p, q = max(0.0, p_high - p_low), max(0.0, q_high - q_low - _CHARGED)
        least, most = min(left, right) - _SLACK, max(left, right) + _SLACK
        if not math.isfinite(left + right) or p <= _CHARGED:
            lost += p
            continue
        above = min(p, max(0.0, (p - math.exp(least) * q) / -math.expm1(least - most)))
        masses[most] = masses.get(most, 0.0) + above
        masses[least] = masses.get(least, 0.0) + p - above
    atoms = tuple(Atom(loss, mass) for loss, mass in sorted(masses.items()) if mass > 0)
    rest = 1 - math.fsum(each.first * math.exp(-each.loss) for each in atoms) + _CHARGED * len(edges)
    return Pair(atoms, (), min(Fraction(1), Fraction(lost)), max(Fraction(0), min(Fraction(1), Fraction(rest))))


def _log_ratio(first: "Continuous", second: "Continuous", at: float) -> float:
    over, under = float(first.pdf(at)), float(second.pdf(at))
    return math.log(over) - math.log(under) if over > 0 and under > 0 else math.nan


def _shift(value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidParameter(f"shift must be a whole number ≥ 1, got {value!r}")
    return value
