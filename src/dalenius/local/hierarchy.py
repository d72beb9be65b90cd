"""Quantiles and ranges of an ordered answer, without trusting the collector."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.local.compare import compare
from dalenius.local.domain import Domain
from dalenius.local.oracles import Integers, Payloads
from dalenius.local.parameters import LEVEL, normal_radius, whole_number
from dalenius.local.protocol import Protocol
from dalenius.local.split import Split
from dalenius.local.wire import Format, tag_of
from dalenius.noise import Bits
from dalenius.numerics import Number, positive, probability


@dataclass(frozen=True, slots=True, eq=False)
class RangeEstimate:
    """Shares of ranges of an ordered domain 0, …, size − 1, from unbiased shares of the nodes of a tree."""

    size: int
    fanout: int
    nodes: list[tuple[int, NDArray[np.float64]]] = field(repr=False)
    chances: tuple[tuple[float, float], ...] = field(repr=False)
    reports: int
    rejected: int

    def share(self, first: int, last: int) -> float:
        """The estimated share of answers from `first` to `last`, both included: a sum over few nodes, unbiased."""
        return float(sum(self.nodes[level][1][node] for level, node in self._cover(first, last)))

    def standard_error(self, first: int, last: int) -> float:
        """The root of the sum of the nodes' variances y(1 − y)/(n(p − q)²), y the share of reports that support one.

        People are drawn from a population; nodes of one level are uncorrelated, or negatively as shares of a whole are.
        """
        total = 0.0
        for level, node in self._cover(first, last):
            (n, shares), (p, q) = self.nodes[level], self.chances[level]
            seen = (min(1.0, max(0.0, q + shares[node] * (p - q))) * n + 1) / (n + 2)
            total += seen * (1 - seen) / (n * (p - q) ** 2)
        return math.sqrt(total)

    def interval(self, first: int, last: int, level: Number = LEVEL) -> tuple[float, float]:
        """Normal ends for the population's share of a range, for many reports, both cut to [0, 1].

        Parameters
        ----------
        first, last : the range, both included.
        level : the probability with which the interval holds the share.
        """
        radius = normal_radius(level) * self.standard_error(first, last)
        share = self.share(first, last)
        low, high = np.clip([share - radius, share + radius], 0.0, 1.0).tolist()
        return low, high

    def quantile_interval(self, q: Number, level: Number = LEVEL) -> tuple[int, int]:
        """Answers between which the quantile lies: the prefix shares up to them are held together, by Bonferroni."""
        at = float(probability(q, "q"))
        radius = normal_radius(level, self.size)
        ends = [(self.share(0, last), radius * self.standard_error(0, last)) for last in range(self.size)]
        low = next((last for last, (share, error) in enumerate(ends) if share + error >= at), self.size - 1)
        high = next((last for last, (share, error) in enumerate(ends) if share - error >= at), self.size - 1)
        return low, high

    def poisoned_by(self, malicious: int, first: int, last: int) -> float:
        """How far so many forged reports can have moved the share of a range, all put on the one level that moves most.

        k of n_l reports of a level move a node's share by k/(n_l(p − q)), and each supports at most every node of the
        level that the range takes in  [CJG21].
        """
        k, steps = whole_number(malicious, "malicious"), dict[int, float]()
        for level, _ in self._cover(first, last):
            (n, _), (p, q) = self.nodes[level], self.chances[level]
            steps[level] = steps.get(level, 0.0) + 1 / (n * (p - q))
        return k * max(steps.values())

    def quantile(self, q: Number) -> int:
        """The first answer at which the estimated distribution function reaches q, made monotone first."""
        level = float(probability(q, "q"))
        heights = np.maximum.accumulate([self.share(0, last) for last in range(self.size)])
        return min(int(np.searchsorted(heights, level)), self.size - 1)

    def _cover(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """(level, node) of the fewest nodes whose leaves are the range; none where it is everything."""
        if not 0 <= first <= last < self.size:
            raise InvalidParameter(f"a range must lie in 0 to {self.size - 1}, got {first} to {last}")
        low, high, level = first, last + 1, 0
        while low < high and level < len(self.nodes) - 1:
            while low < high and low % self.fanout:
                yield level, low
                low += 1
            while low < high and high % self.fanout and high * self.fanout**level < self.size:
                high -= 1
                yield level, high
            if low < high:  # the last node of a level may have fewer children
                low, high, level = low // self.fanout, -(-high // self.fanout), level + 1
        for node in range(low, high):
            yield level, node


@dataclass(frozen=True, slots=True, init=False)
class Ranges(Protocol[RangeEstimate]):
    """Each person reports the node of one level of a tree over the domain, the level drawn by a fair die  [CKS19, §4].

    >>> Ranges(256, epsilon=1).client().randomize(77) != b""
    True
    """

    domain: Domain
    fanout: int
    split: Split
    format: Format = field(repr=False, compare=False)

    def __init__(self, size: int, epsilon: Number, fanout: int = 4) -> None:
        """Choose the domain and ε.

        Parameters
        ----------
        size : answers are 0, …, size − 1, in their order.
        epsilon : what one report costs.
        fanout : how many nodes have a parent in common.
        """
        object.__setattr__(self, "domain", Domain(size))
        object.__setattr__(self, "fanout", whole_number(fanout, "fanout", 2))
        sizes = [size]
        while sizes[-1] > fanout:
            sizes.append(-(-sizes[-1] // fanout))
        levels = [nodes for nodes in sizes if nodes >= 2]
        object.__setattr__(self, "split", Split(tuple(compare(n, positive(epsilon, "epsilon")).best for n in levels)))
        object.__setattr__(self, "format", Format(tag_of(self.facts()), self.split.width))

    @property
    def cells(self) -> int:
        """Those of all levels."""
        return self.split.cells

    def guarantee(self, reports: int = 1) -> PureDP:
        """ε: a report answers one level, drawn without looking at the answer  [A Def 4.1]."""
        return self.split.parts[0].guarantee(reports)

    def encode(self, value: Any) -> list[int]:
        """The node of the answer on each level."""
        leaf = self.domain.index(value)
        return [leaf // self.fanout**level for level in range(len(self.split.parts))]

    def randomize(self, encoded: Any, bits: Bits) -> bytes:
        return self.split.randomize(encoded, bits)

    def randomize_many(self, values: Any, bits: Bits) -> Payloads:
        leaves = self.domain.indices(values)
        return self.split.randomize_many(
            np.array([leaves // self.fanout**level for level in range(len(self.split.parts))]), bits
        )

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """Which payloads a client could have sent."""
        return self.split.valid(payloads)

    def tally(self, payloads: Payloads) -> Integers:
        """The counters of all levels."""
        return self.split.tally(payloads)

    def read(self, tally: Integers, reports: int, rejected: int, **options: Any) -> RangeEstimate:
        """The shares of all nodes."""
        if options:
            raise InvalidParameter(f"the estimate of ranges takes no options, got {', '.join(options)}")
        nodes = self.split.shares(tally)
        if min(n for n, _ in nodes) == 0:
            raise InvalidParameter("some level has no reports yet: add more before estimating")
        chances = tuple((float(part.own), float(part.other)) for part in self.split.parts)
        return RangeEstimate(len(self.domain), self.fanout, nodes, chances, reports, rejected)

    def report_variance(self, epsilon: Fraction) -> float:
        """That of a rare node of the lowest level, which one in so many reports answers as there are levels."""
        return len(self.split.parts) * compare(len(self.domain), epsilon).best.variance(1)

    def facts(self) -> dict[str, Any]:
        """The tree, and the facts of every level."""
        levels = [part.facts() for part in self.split.parts]
        return {"protocol": "ranges", "size": len(self.domain), "fanout": self.fanout, "levels": levels}
