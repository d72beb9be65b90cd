"""How many rows and groups of a unit count, where nobody declared it: chosen from released histograms alone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dalenius.curator import Measured, Outcome
from dalenius.curator.answer.bias import CutOff
from dalenius.curator.answer.sum_radius import radius
from dalenius.errors import InvalidParameter
from dalenius.guarantees import ApproxDP
from dalenius.mechanisms import PartitionSelection
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.numerics import float_above, float_below
from dalenius.sql.planner.compile import Compiled

_DOUBT, _POOLED = Fraction(1, 100), 4
_UNSEEN = Fraction(1, 20)
_ONE_UNIT = Sensitivity(1, Metric.UNITS)


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many units have how much, as released, and as far as that is not noise.

    A unit of bin k has more than `ends`[k − 1] and at most `ends`[k]; the last bin has no end. From the top, a bin
    counts as empty unless it, or it and up to three above it that do, have more units than noise would give them (99 %
    over all such sums). So people who own much are seen even if few of them share a bin, but as if they all owned what
    the lowest of these bins says: then, or if the last bin is not empty, the histogram is `unsure` of how much they
    own. `unseen` is how many units may own more than the highest bin found says, though none are seen.
    """

    ends: tuple[int, ...]
    units: tuple[int, ...]
    unsure: bool
    unseen: int

    @classmethod
    def of(cls, outcome: Outcome) -> "Histogram":
        """What a release of `histograms` tells."""
        column, keys = outcome.columns[0], outcome.keys
        if keys is None or not isinstance(column, Measured):
            raise InvalidParameter("how many rows count is chosen from a histogram of rows for each unit")
        ends = tuple(int(str(end)) for end in keys.values)
        radii = [_noise(column, size, _DOUBT / (_POOLED * len(ends))) for size in range(1, _POOLED + 1)]
        units, unsure, start = [0] * len(ends), False, len(ends)
        for place in reversed(range(len(ends))):
            sizes = range(1, min(_POOLED, start - place) + 1)
            sums = [sum(column.cells[place : place + size]) for size in sizes]
            enough = [size for size, total in zip(sizes, sums, strict=True) if total > radii[size - 1]]
            if enough:
                units[place], start = sums[enough[0] - 1], place
                unsure = unsure or enough[0] > 1 or place == len(ends) - 1
        top = max((place for place, count in enumerate(units) if count), default=-1)
        above = column.cells[top + 1 :]
        unseen = math.floor(sum(above) + _noise(column, len(above), _UNSEEN)) if above else 0
        return cls(ends, tuple(units), unsure, max(0, unseen))

    @property
    def total(self) -> int:
        """The units that are seen."""
        return sum(self.units)

    @property
    def least(self) -> tuple[int, ...]:
        """What a unit of each bin has at least."""
        return (1, *(end + 1 for end in self.ends[:-1]))

    @property
    def typical(self) -> tuple[Fraction, ...]:
        """What a unit of each bin is taken to have: three quarters of its end; in the last, no more than is known."""
        middles = (Fraction(end) if end <= 2 else Fraction(3 * end, 4) for end in self.ends[:-1])
        return (*middles, Fraction(self.least[-1]))

    def lost(self, most: int) -> Fraction:
        """Σ(n − T)⁺ over all units, at T = `most`."""
        owned = zip(self.typical, self.units, strict=True)
        return sum((count * max(n - most, Fraction(0)) for n, count in owned), Fraction(0))

    def cut_off(self, most: int) -> CutOff | None:
        """The share Σ(n − T)⁺ / Σn that is cut off at T = `most`; None if the histogram is all noise.

        It falls with an n up to T and grows with one above: so it is least where every n is as near to T as its bin
        lets it be, and largest at ends of the bins.
        """
        if not self.total:
            return None
        pairs = list(zip(self.least, self.ends, strict=True))
        near = [min(max(most, first), last) for first, last in pairs[:-1]] + [self.least[-1]]
        # a bin that T lies in may be at its worst at either end
        far = (
            [last if end > most else first for (first, last), end in zip(pairs, ends, strict=True)]
            for ends in (self.least, self.ends)
        )
        high = 1.0 if self.unsure else float_above(max(self._share(rows, most) for rows in far))
        beyond = max((end for end, count in zip(self.ends, self.units, strict=True) if count), default=0)
        low, middle = float_below(self._share(near, most)), float(self._share(self.typical, most))
        return CutOff(low, middle, high, self.unsure, unseen=self.unseen, beyond=max(beyond, most))

    def _share(self, rows: Sequence[int | Fraction], most: int) -> Fraction:
        owned = list(zip(rows, self.units, strict=True))
        lost = sum((count * max(Fraction(n) - most, Fraction(0)) for n, count in owned), Fraction(0))
        return lost / sum((count * Fraction(n) for n, count in owned), Fraction(0))


def _noise(column: Measured, bins: int, doubt: Fraction) -> float:
    """What the noise of so many bins together stays within."""
    return radius(((column.mechanism, column.lattice.step),) * bins, doubt)


@dataclass(frozen=True, slots=True)
class ContributionTrial:
    """What a contribution bound would do to rows counted in one cell: the noise's mean size, and what is cut off.

    `cut_off` is an estimate, for a cell of average size, from the released histogram. Their sum is what the choice of T
    makes least; it is a measure to compare bounds by, and no error of any answer.
    """

    most: int
    noise: Fraction
    cut_off: Fraction

    @property
    def total(self) -> Fraction:
        """Noise plus what is cut off."""
        return self.noise + self.cut_off


def contribution_trial(histogram: Histogram, compiled: Compiled, epsilon: Fraction, most: int) -> ContributionTrial:
    """What T = `most` would do: noise of size T/ε, ε that of one of the query's questions, and Σ(n − T)⁺ over cells."""
    shares = [group.weight for group in compiled.groups] + [rank.share for rank in compiled.ranks]
    shares += [mode.share for mode in compiled.modes]
    cells = compiled.cells
    return ContributionTrial(most, most / (epsilon * min(shares)), histogram.lost(most) / cells)


def contributions_for(rows: Outcome, compiled: Compiled, epsilon: Fraction, ceiling: int | None = None) -> int:
    """The T with the least sum, over all cells, of the noise's size and of what is cut off: C·T/ε + Σ(n − T)⁺.

    From the released histogram and public facts alone; not above the declared `ceiling`, since nobody owns more.
    """
    histogram = Histogram.of(rows)
    trials = (contribution_trial(histogram, compiled, epsilon, most) for most in _bounds_below(histogram, ceiling))
    return min(trials, key=lambda trial: (trial.total, trial.most)).most


def trials_around(
    rows: Outcome, compiled: Compiled, epsilon: Fraction, chosen: int, ceiling: int | None = None
) -> tuple[ContributionTrial, ...]:
    """What T and its neighbors would do: a quarter, a half, twice and four times as many rows, up to the ceiling."""
    histogram = Histogram.of(rows)
    bounds = {chosen // 4, chosen // 2, chosen, 2 * chosen, 4 * chosen} - {0}
    allowed = sorted(most for most in bounds if ceiling is None or most <= ceiling or most == chosen)
    return tuple(contribution_trial(histogram, compiled, epsilon, most) for most in allowed)


def _bounds_below(histogram: Histogram, ceiling: int | None) -> list[int]:
    """The powers of two that T may be, and the ceiling in place of those above it."""
    if ceiling is None:
        return list(histogram.ends[:-1])
    return [*(end for end in histogram.ends[:-1] if end < ceiling), ceiling]


def contributions_within(rows: Outcome, compiled: Compiled, error: Fraction, ceiling: int | None = None) -> int:
    """The least T at which what is cut off a cell is estimated to be no more than the noise is allowed to be.

    `compiled` is the query at T = 1: what one of its rows may add is its sensitivity. The largest T if none will do.
    """
    histogram = Histogram.of(rows)
    reach = max(group.sensitivity(Relation.ADD_REMOVE).value * group.lattice.step for group in compiled.groups)
    bounds = _bounds_below(histogram, ceiling)
    enough = (most for most in bounds if histogram.lost(most) * reach <= error * compiled.cells)
    return next(enough, bounds[-1])


def groups_for(groups: Outcome, compiled: Compiled, epsilon: Fraction, delta: Fraction) -> int:
    """The L with the least sum of two shares: of units that a key needs to be surely named, and of what is cut off.

    The more groups a unit may count in, the more units a key needs; the fewer, the more of what it has is lost.
    """
    histogram = Histogram.of(groups)
    if not histogram.total:
        return 1
    one = PartitionSelection.least(_ONE_UNIT, ApproxDP(compiled.naming * epsilon, delta, compiled.unit.relation))

    def cost(most: int) -> Fraction:
        cut = histogram.cut_off(most)
        assert cut is not None
        return Fraction(replace(one, groups=most).certain, histogram.total) + Fraction(cut.share)

    return min(histogram.ends[:-1], key=lambda most: (cost(most), most))


def together(rows: CutOff | None, groups: CutOff | None, sifted: bool) -> CutOff | None:
    """What the weights leave of what the cap of groups leaves.

    The weights alone cut off at least their least share, if the rows are those that were counted; WHERE may leave so
    few of each unit that nothing is cut off, and weights in ℓ2 cut off less of those whose rows are spread over cells.
    """
    if rows is None:
        return None
    low = 0.0 if sifted else rows.low
    if groups is None:
        return replace(rows, low=low)
    share, high = (1 - (1 - a) * (1 - b) for a, b in ((rows.share, groups.share), (rows.high, groups.high)))
    at_least = rows.at_least or groups.at_least
    return replace(rows, low=low, share=share, high=1.0 if at_least else min(1.0, high), at_least=at_least)
