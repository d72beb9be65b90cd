"""How far sums and ratios of released numbers may lie from those of the true ones."""

import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from dalenius.curator.answer.chosen import Chosen
from dalenius.curator.answer.measured import Measured
from dalenius.curator.answer.sum_radius import Alike, in_order, radius_of
from dalenius.curator.formula.base import Column, Ends, Linear, above, below, nearest
from dalenius.mechanisms import AdditiveMechanism
from dalenius.numerics import float_above, float_below

Pair = tuple[AdditiveMechanism, Fraction, Fraction]
"""A noise with its coefficients in a sum and in another one, in the steps of its mechanism."""
Pairs = tuple[tuple[AdditiveMechanism, Fraction, Fraction, int], ...]
"""Independent noises with both coefficients, and how many are alike."""
_ZERO = Fraction(0)
_PIECES = 96
_SLACK = 2.0**-30


@dataclass(frozen=True, slots=True)
class Spread:
    """The noise of released columns; every statement about it fails with probability at most beta."""

    columns: Mapping[str, Measured | Chosen]
    beta: Fraction
    _sums: "dict[int, tuple[Linear, Counter[Pair] | None, tuple[Column, float]]]" = field(
        default_factory=dict, repr=False, compare=False
    )
    """Sums that were divided by, each beside what is computed of it once."""
    _floats: dict[str, Column] = field(default_factory=dict, repr=False, compare=False)
    _wide: dict[tuple[int, int, int], tuple[Fraction, float, Column]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """Radii of single columns by the objects that decide them, which are kept alive beside them."""

    def linear(self, form: Linear) -> Ends:
        """The released sum, give or take what the noise of the whole sum stays within."""
        if not form.terms:
            return np.array([float_below(form.constant)]), np.array([float_above(form.constant)])
        if len(form.terms) == 1 and not form.constant:
            return self._alone(*form.terms[0])
        noises = self._noises(form)
        center, error = self._center(form)
        if noises is None:
            return np.full(len(center), -np.inf), np.full(len(center), np.inf)
        wide = above(np.array([radius_of(noises, self.beta)])) + error
        with np.errstate(all="ignore"):
            return _known(below(center - wide), above(center + wide))

    def _alone(self, name: str, factor: Fraction) -> Ends:
        """The ends of one column times a constant; cells of one release have one radius, found once."""
        column = self.columns[name]
        if not isinstance(column, Measured):
            cells = self._read(name)
            return np.full(len(cells), -np.inf), np.full(len(cells), np.inf)
        same = (id(column.mechanism), id(column.lattice), id(factor))
        if same not in self._wide:
            noise = (column.mechanism, abs(factor) * column.lattice.step, 1)
            self._wide[same] = (factor, nearest(factor), above(np.array([radius_of((noise,), self.beta)])))
        _, times, wide = self._wide[same]
        with np.errstate(all="ignore"):
            center = times * self._read(name)
            wide = wide + np.abs(center) * 2.0**-48
            return _known(below(center - wide), above(center + wide))

    def ratio(self, part: Linear, whole: Linear, low: Fraction, high: Fraction) -> Ends:
        """All x in [low, high] for which part − x·whole may be 0: a test of each x, inverted  [Fie54].

        If x is the true ratio, the noise of part − x·whole is that of one sum, whose radius r(x) is known. On a piece
        of [low, high] it is at most the radius with every coefficient at its largest there, by bounds that grow in each
        coefficient: see `radius`. It would not do to say that more noise makes a sum less peaked: on a lattice it need
        not. One statement is enough: only the
        one about the true x has to hold.
        """
        pairs = self._pairs(part, whole)
        (top, error), (bottom, other) = self._center(part), self._sums[id(whole)][2]
        first, last = float_below(low), float_above(high)
        least, most = np.full(len(top), np.inf), np.full(len(top), -np.inf)
        if pairs is None or low == high:
            return np.full(len(top), first), np.full(len(top), last)
        rounding = error + nearest(max(abs(low), abs(high))) * other

        def within(left: Fraction, right: Fraction) -> Ends:
            wide = float(above(np.array([_radius_between(pairs, left, right, self.beta)]))[0])
            return _between(top, bottom, wide * (1 + _SLACK) + rounding, float_below(left), float_above(right))

        # what is true of the true x puts it into what is reached on the whole of [low, high]: no need to look elsewhere
        start, end = within(low, high)
        start, end = np.nan_to_num(start, nan=np.inf), np.nan_to_num(end, nan=-np.inf)
        edges = _edges(low, high)
        first_of_all, last_of_all = float(start.min()), float(end.max())
        for (left, least_left, _), (right, _, most_right) in itertools.pairwise(edges):
            if most_right < first_of_all or least_left > last_of_all:
                continue
            if not np.any((start <= most_right) & (end >= least_left)):
                continue
            a, b = within(left, right)
            least, most = np.fmin(least, a), np.fmax(most, b)
        is_reached = least <= most
        return np.where(is_reached, least, first), np.where(is_reached, most, last)

    def _pairs(self, part: Linear, whole: Linear) -> "Pairs | None":
        """The noises of two sums, alike ones together; None if one of the columns was not made by adding noise."""
        noises = self._alike(whole)
        if noises is None:
            return None
        columns = self._measured(part)
        if columns is None:
            return None
        counted, bottom = noises.copy(), dict(whole.terms) if len(part.terms) > 1 else None
        times_of = [_factor(whole, n) if bottom is None else bottom.get(n, _ZERO) for n, _ in part.terms]
        for column, factor, times, count in _equal(columns, part, times_of):
            step = column.lattice.step
            if times:
                counted[(column.mechanism, _ZERO, times * step)] -= count
            counted[(column.mechanism, factor * step, times * step)] += count
        return tuple(sorted(((*key, count) for key, count in counted.items() if count), key=_in_order))

    def _measured(self, form: Linear) -> list[Measured] | None:
        """The columns of a sum; None if one of them was not made by adding noise."""
        columns: list[Any] = [self.columns[name] for name, _ in form.terms]
        return columns if set(map(type, columns)) <= {Measured} else None

    def _alike(self, whole: Linear) -> "Counter[Pair] | None":
        """How many noises of a sum are alike; the shares of one table ask this of the same sum."""
        kept = self._sums.get(id(whole))
        if kept is None:
            kept = self._sums[id(whole)] = (whole, self._counted(whole), self._center(whole))
        return kept[1]

    def _counted(self, whole: Linear) -> "Counter[Pair] | None":
        columns = self._measured(whole)
        if columns is None:
            return None
        counted: Counter[Pair] = Counter()
        for column, factor, _, count in _equal(columns, whole, [_ZERO] * len(columns)):
            counted[(column.mechanism, _ZERO, factor * column.lattice.step)] += count
        return counted

    def _noises(self, form: Linear) -> Alike | None:
        """The noises of a sum; None if one of its columns was not made by adding noise."""
        columns = self._measured(form)
        if columns is None:
            return None
        counted: Counter[tuple[AdditiveMechanism, Fraction]] = Counter()
        for column, factor, _, count in _equal(columns, form, [_ZERO] * len(columns)):
            counted[(column.mechanism, abs(factor) * column.lattice.step)] += count
        return in_order(counted)

    def _center(self, form: Linear) -> tuple[Column, float]:
        """The released sum, and what the rounding of its floats may amount to, in whichever order they are added."""
        if not form.terms:
            return np.array([nearest(form.constant)]), abs(nearest(form.constant)) * 2.0**-49
        cells = np.array([self._read(name) for name, _ in form.terms])
        known: dict[int, float] = {}  # most sums have one factor: it is rounded once
        factors = np.array([known.get(id(f)) or known.setdefault(id(f), nearest(f)) for _, f in form.terms])
        with np.errstate(all="ignore"):
            size = float(np.abs(factors) @ np.abs(cells).max(axis=1, initial=0.0))
            center = nearest(form.constant) + factors @ cells
        return center, (size + abs(nearest(form.constant))) * 2.0**-50 * (len(form.terms) + 2)

    def _read(self, name: str) -> Column:
        """The released numbers of a column."""
        if name not in self._floats:
            self._floats[name] = self.columns[name].floats()
        return self._floats[name]


def _equal(
    columns: list[Measured], form: Linear, others: list[Fraction]
) -> Iterator[tuple[Measured, Fraction, Fraction, int]]:
    """Terms whose noise and whose coefficients are the same objects, once, and how many there are.

    Cells of one release share one mechanism, and sums of many share one coefficient: few numbers are left to compare.
    """
    factors = [factor for _, factor in form.terms]
    mechanisms, lattices = [one.mechanism for one in columns], [one.lattice for one in columns]
    same = list(zip(map(id, mechanisms), map(id, lattices), map(id, factors), map(id, others), strict=True))
    places = dict(zip(same, range(len(same)), strict=True))
    for key, count in Counter(same).items():
        place = places[key]
        yield columns[place], factors[place], others[place], count


@lru_cache(maxsize=64)
def _edges(low: Fraction, high: Fraction) -> tuple[tuple[Fraction, float, float], ...]:
    """The ends of the pieces of [low, high], each with floats below and above it."""
    edges = [low + (high - low) * Fraction(i, _PIECES) for i in range(_PIECES + 1)]
    return tuple((edge, float_below(edge), float_above(edge)) for edge in edges)


def _known(low: Column, high: Column) -> Ends:
    """The ends, or the whole line where floats are too small to hold them."""
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _between(top: Column, bottom: Column, wide: float, left: float, right: float) -> Ends:
    """The x in [left, right] with |top − x·bottom| ≤ wide: their least and largest, or NaN if there is none."""
    with np.errstate(all="ignore"):
        ends = np.stack([(top - wide) / bottom, (top + wide) / bottom])
        low, high = below(ends.min(axis=0)), above(ends.max(axis=0))
    level = np.abs(bottom) * max(abs(left), abs(right), 1e-300) < wide * _SLACK  # so flat that any x may do
    low, high = np.where(level, -np.inf, low), np.where(level, np.inf, high)
    low, high = np.maximum(low, left), np.minimum(high, right)
    return np.where(low <= high, low, np.nan), np.where(low <= high, high, np.nan)


def _factor(form: Linear, name: str) -> Fraction:
    """A coefficient of a sum, whose terms stand in the order of their names."""
    place = bisect_left(form.terms, (name,))
    there = place < len(form.terms) and form.terms[place][0] == name
    return form.terms[place][1] if there else _ZERO


def _in_order(one: tuple[AdditiveMechanism, Fraction, Fraction, int]) -> tuple[Any, ...]:
    return one[1], one[2], repr(one[0])


@lru_cache(maxsize=4096)
def _radius_between(pairs: Pairs, left: Fraction, right: Fraction, beta: Fraction) -> float:
    """The radius of the noise of part − x·whole with every coefficient as large as it gets for x in [left, right].

    The shares of one table have the same noises, whichever of its rows is the part, so they ask for the same.
    """
    counted: Counter[tuple[AdditiveMechanism, Fraction]] = Counter()
    for mechanism, top, bottom, count in pairs:
        size = max(abs(top - left * bottom), abs(top - right * bottom))
        if size:
            counted[(mechanism, size)] += count
    return radius_of(in_order(counted), beta, every_smaller=True)
