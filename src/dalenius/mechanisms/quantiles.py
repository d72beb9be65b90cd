"""Many private quantiles at once, by halving."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from typing import ClassVar, Self

import numpy as np
from flint import arb

from dalenius.errors import InvalidParameter
from dalenius.guarantees import Guarantee
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.mechanisms.place_weights import DIGITS, PlaceWeights
from dalenius.mechanisms.quantile import grid, middle, rank_error
from dalenius.mechanisms.rank_choice import RankChoice
from dalenius.mechanisms.ranks import RankedCells, Ranks
from dalenius.mechanisms.selection import level as chance_of
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Bits
from dalenius.numerics import Number, ball, fraction_above, nonnegative, positive, precision, probability

_REMEMBERED = 256
"""Lists of levels whose tree and weights are kept: they are the same for all data and every scale."""


@dataclass(frozen=True, slots=True)
class Quantiles(Mechanism):
    """Quantiles at growing `levels`: the middle one first, then those below it among the rows below, and so above.

    Each is drawn as by `Quantile`, at its level among the rows of its part, between the values released for the parts
    before; so the values never fall, and a row is looked at once a round, in ⌈log₂(m + 1)⌉ rounds for m levels
    [KSS22]. Rows of one cell are put in a random order first, by 32 digits of each: a split through ties takes
    of them as many as it should, where a split beside them would drop all.

    >>> from dalenius.neighbors import Metric
    >>> quartiles = Quantiles(Fraction(2), (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)), 0, 100)
    >>> quartiles.guarantee(Sensitivity(1, Metric.L1)).epsilon(0)
    1.0
    """

    scale: Fraction
    levels: tuple[Fraction, ...]
    lower: Fraction
    upper: Fraction
    cells: int = 1 << 20

    name: ClassVar[str] = "quantiles"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))
        if isinstance(self.levels, str) or not self.levels:
            raise InvalidParameter("levels must be a list of at least one level in [0, 1]")
        levels = tuple(probability(level, "level") for level in self.levels)
        if any(left >= right for left, right in pairwise(levels)):
            raise InvalidParameter("levels must grow, each once")
        lower, upper, cells = grid(self.lower, self.upper, self.cells)
        for name, value in (("levels", levels), ("lower", lower), ("upper", upper), ("cells", cells)):
            object.__setattr__(self, name, value)

    def release(self, answer: Ranks | PlaceWeights, bits: Bits) -> tuple[Fraction, ...]:
        """A value for each level, in their order."""
        if (answer.first, answer.end) != (0, self.cells):
            raise InvalidParameter(f"the ranks must be those of the {self.cells} declared cells")
        spread = answer.spread(bits) if isinstance(answer, PlaceWeights) else ordered(answer, bits)
        cells = self.halved(spread, bits)
        return tuple(middle(cell >> DIGITS, self.lower, self.upper, self.cells) for cell in cells)

    def halved(self, ranks: RankedCells, bits: Bits) -> list[int]:
        """The cells chosen for all levels, among those of `ranks`."""
        return _halved(ranks, _tree(self.levels), self.scale, bits)

    def outputs(self, ranks: Ranks) -> dict[tuple[int, ...], arb]:
        """Every list of cells with its chance, at the working precision: for grids that are small enough to list."""
        return _listed(ranks, _tree(self.levels), self.scale)

    @property
    def rounds(self) -> tuple[Fraction, ...]:
        """For each round the largest max(α, 1 − α) over the levels α, relative to their parts, that it draws."""
        return _rounds_of(self.levels)

    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> BoundedRange:
        """ADD_REMOVE: a range of 2D·max(α, 1 − α)/scale for each round; CHANGE_ONE: that of removing and adding.

        [KSS22; A Thm 7.1; DDR20].

        Take the rows' random digits as public, drawn alike on both sides; what holds for all digits holds for their
        average. Given what was released before, the parts of a round are disjoint sets of rows with public ends. A unit
        of weight w in several rows of weights w_p in parts p moves the loss of part p by an interval no longer than
        2 w_p max(α_p, 1 − α_p)/scale, which sum to no more than 2 w max(α, 1 − α)/scale: so a round costs as much as
        one of its choices. A replaced row leaves one part and enters another, both choices of a round: twice that,
        which is what two steps of ADD_REMOVE cost, each by at most half of D.
        """
        if Relation.of(relation) is Relation.CHANGE_ONE:
            replaced = self._rounds(sensitivity.l1 / 2).to(relation)
            assert isinstance(replaced, BoundedRange)
            return replaced
        return self._rounds(sensitivity.l1)

    def _rounds(self, distance: Fraction) -> BoundedRange:
        price = BoundedRange(0)
        for worst in self.rounds:
            composed = price.compose(BoundedRange(2 * distance * worst / self.scale))
            assert isinstance(composed, BoundedRange)
            price = composed
        return price

    def accuracy(self, beta: Number, row: Number = 1) -> Fraction:
        """An r with P[some value misses its quantile by a weight > r] ≤ beta, if no row weighs more than `row`.

        Each of the m values with b = beta/m: a choice misses by more than what `candidates` says with chance at most b.
        A split misses by the row it falls on besides, and of the choices above a value a part is carried over to it, so
        that c rows are added: c · row  [KSS22; A Thm 7.2]. Rows of one cell that draw the same 32 digits count as one.
        """
        each, weight = chance_of(beta) / len(self.levels), nonnegative(row, "row")
        return max(
            rank_error(self.scale, self.candidates(place) + 1, each / (1 + each)) + sum(carried, Fraction(1)) * weight
            for place, carried in enumerate(self.carried)
        )

    @property
    def carried(self) -> tuple[tuple[Fraction, ...], ...]:
        """For each level, how much of what each choice above it misses by is carried over to it; its own comes whole.

        A part lies between two splits, or ends of the data, that miss their targets by e and e'. Its own target at the
        level α among its rows is then off by (1 − α)e + αe', and not by the larger of them in full: half of what the
        median misses by is carried over to a quartile.
        """
        return _carried(self.levels)

    def candidates(self, place: int) -> int:
        """A k' for which the value at a place misses by scale · log(k'/β) + c · row, with probability ≥ 1 − β.

        Given all before it, a choice among k misses by more than scale · (log k + t) with chance at most e^−t: by
        scale · (log k + X) at most, X below a standard exponential variable. With c_i carried over of others and c
        their sum and 1, the value misses by scale · (c log k + X + Σ c_i X_i), and P[X + Σ c_i X_i > t] is at most
        e^−t E e^(Σ c_i X_i) = e^−t Π 1/(1 − c_i): so k' = k^c Π 1/(1 − c_i)  [KSS22; A Thm 7.2].
        """
        return _candidates(self.cells, self.carried[place])

    def scaled(self, factor: Number) -> Self:
        """The scale times `factor`."""
        return replace(self, scale=self.scale * positive(factor, "factor"))

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """The quartiles on [0, 1]; `calibrated` is for other levels and intervals, which a target does not say."""
        quartiles = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
        return cls(Fraction(1), quartiles, Fraction(0), Fraction(1)).calibrated(sensitivity, target)

    def facts(self) -> dict[str, str]:
        """Name and parameters; the levels in one text."""
        return {
            "name": self.name,
            "scale": str(self.scale),
            "levels": " ".join(map(str, self.levels)),
            "lower": str(self.lower),
            "upper": str(self.upper),
            "cells": str(self.cells),
        }

    @classmethod
    def from_facts(cls, facts: dict[str, str]) -> Self:
        """The mechanism that `facts` describes."""
        levels = tuple(map(Fraction, facts["levels"].split()))
        return cls(
            Fraction(facts["scale"]), levels, Fraction(facts["lower"]), Fraction(facts["upper"]), int(facts["cells"])
        )


@dataclass(frozen=True, slots=True)
class _Node:
    """A level relative to its part, and what is drawn below and above it in the next round."""

    level: Fraction
    depth: int
    below: "_Node | None"
    above: "_Node | None"


def ordered(ranks: Ranks, bits: Bits) -> Ranks:
    """Each cell divided in 2³², its rows spread over the parts at random."""
    rows = np.clip(ranks.rows.astype(np.int64), ranks.first, ranks.end - 1) << DIGITS
    rows |= bits.words(np.uint32, rows.size).astype(np.int64)
    return Ranks(rows, ranks.weights, ranks.first << DIGITS, ranks.end << DIGITS)


@lru_cache(maxsize=_REMEMBERED)
def _tree(levels: tuple[Fraction, ...]) -> _Node | None:
    """What is drawn first, and then below and above it."""
    return _part(levels, Fraction(0), Fraction(1), 0)


def _part(levels: tuple[Fraction, ...], low: Fraction, high: Fraction, depth: int) -> _Node | None:
    if not levels:
        return None
    at = len(levels) // 2
    level = levels[at]
    return _Node(
        (level - low) / (high - low),
        depth,
        _part(levels[:at], low, level, depth + 1),
        _part(levels[at + 1 :], level, high, depth + 1),
    )


@lru_cache(maxsize=_REMEMBERED)
def _rounds_of(levels: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    worst: dict[int, Fraction] = {}
    for node in _nodes(_tree(levels)):
        worst[node.depth] = max(worst.get(node.depth, Fraction(0)), node.level, 1 - node.level)
    return tuple(worst[depth] for depth in sorted(worst))


@lru_cache(maxsize=_REMEMBERED)
def _carried(levels: tuple[Fraction, ...]) -> tuple[tuple[Fraction, ...], ...]:
    weights: list[tuple[Fraction, ...]] = []
    _carry(_tree(levels), {}, {}, weights)
    return tuple(weights)


@lru_cache(maxsize=_REMEMBERED)
def _candidates(cells: int, carried: tuple[Fraction, ...]) -> int:
    with precision(256):
        exact = (ball(cells << DIGITS).log() * ball(sum(carried, Fraction(1)))).exp()
        for one in carried:
            exact /= ball(1 - one)
        return math.ceil(fraction_above(exact))


def _carry(
    node: _Node | None, low: dict[int, Fraction], high: dict[int, Fraction], weights: list[tuple[Fraction, ...]]
) -> None:
    """The weights of the choices above each level, in the order of levels; `low` and `high` are those of the ends."""
    if node is None:
        return
    above = {
        depth: (1 - node.level) * low.get(depth, Fraction(0)) + node.level * high.get(depth, Fraction(0))
        for depth in low.keys() | high.keys()
    }
    own = above | {node.depth: Fraction(1)}
    _carry(node.below, low, own, weights)
    weights.append(tuple(above[depth] for depth in sorted(above)))
    _carry(node.above, own, high, weights)


def _nodes(node: _Node | None) -> Iterator[_Node]:
    if node is not None:
        yield from _nodes(node.below)
        yield node
        yield from _nodes(node.above)


def _halved(ranks: RankedCells, node: _Node | None, scale: Fraction, bits: Bits) -> list[int]:
    """The cells of a part's levels. Rows in the chosen cell itself go above: the rule is the same for all data."""
    if node is None:
        return []
    if ranks.first == ranks.end:  # no cell is left: what was released says so, no row
        return [ranks.first for _ in _nodes(node)]
    cell = RankChoice(ranks, node.level * ranks.total, scale).sample(bits)
    below = _halved(ranks.between(ranks.first, cell), node.below, scale, bits)
    return [*below, cell, *_halved(ranks.between(cell, ranks.end), node.above, scale, bits)]


def _listed(ranks: Ranks, node: _Node | None, scale: Fraction) -> dict[tuple[int, ...], arb]:
    """What `_halved` may give, with its chances."""
    if node is None or ranks.first == ranks.end:
        return {tuple(ranks.first for _ in _nodes(node)): arb(1)}
    masses: dict[tuple[int, ...], arb] = {}
    for cell, mass in enumerate(RankChoice(ranks, node.level * ranks.total, scale).masses(), ranks.first):
        below = _listed(ranks.between(ranks.first, cell), node.below, scale)
        above = _listed(ranks.between(cell, ranks.end), node.above, scale)
        for (left, p), (right, q) in product(below.items(), above.items()):
            masses[*left, cell, *right] = mass * p * q
    return masses
