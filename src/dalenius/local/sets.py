"""Several items per person, without trusting the collector: padding and sampling."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import PureDP
from dalenius.local.compare import compare
from dalenius.local.domain import Domain
from dalenius.local.estimate import FrequencyEstimate
from dalenius.local.oracles import Integers, Oracle, Payloads
from dalenius.local.parameters import LEVEL, whole_number
from dalenius.local.protocol import Protocol
from dalenius.local.wire import Format, tag_of
from dalenius.noise import Bits, UniformInteger
from dalenius.numerics import Number, positive


@dataclass(frozen=True, slots=True, eq=False)
class SetEstimate:
    """How many people, as a share, hold each item; one person may hold several, so shares need not sum to one."""

    domain: Domain
    length: int
    drawn: FrequencyEstimate = field(repr=False)

    @property
    def shares(self) -> NDArray[np.float64]:
        """`length` times the share of each item among the drawn ones, unbiased."""
        shares: NDArray[np.float64] = self.length * self.drawn.unbiased[: len(self.domain)]
        return shares

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """About the share of people who hold the item: noise of the reports, and of which item was drawn."""
        p, q, n = float(self.drawn.oracle.own), float(self.drawn.oracle.other), self.reports
        seen = (self.drawn.supports[: len(self.domain)] + 1) / (n + 2)
        error: NDArray[np.float64] = self.length * np.sqrt(seen * (1 - seen) / n) / (p - q)
        return error

    @property
    def reports(self) -> int:
        """How many reports were counted."""
        return self.drawn.reports

    @property
    def rejected(self) -> int:
        """How many were not."""
        return self.drawn.rejected

    def interval(
        self, level: Number = LEVEL, *, joint: bool = False
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Ends that hold the share of the population that holds each item, if nobody holds more than `length`  [CP34].

        Parameters
        ----------
        level : the probability with which the interval holds its share.
        joint : hold all shares together with that probability, by Bonferroni.
        """
        low, high = self.drawn.interval(level, joint=joint)
        items = slice(len(self.domain))
        return np.minimum(self.length * low[items], 1.0), np.minimum(self.length * high[items], 1.0)

    def poisoned_by(self, malicious: int) -> float:
        """How far so many forged reports can have moved any one share: length · k/(n(p − q))  [CJG21]."""
        return self.length * self.drawn.poisoned_by(malicious)

    def __getitem__(self, item: Any) -> float:
        return float(self.shares[self.domain.index(item)])

    def top(self, count: int) -> list[tuple[Any, float]]:
        """The items with the largest shares, largest first."""
        order = np.argsort(-self.shares, kind="stable")[:count]
        return [(self.domain.values[i], float(self.shares[i])) for i in order]


@dataclass(frozen=True, slots=True, init=False)
class Sets(Protocol[SetEstimate]):
    """A set is padded to `length` with dummies, one member is drawn, and that one is reported  [WLJ18, §4].

    The share of people who hold an item is `length` times the share that reports it: unbiased as long as nobody holds
    more than `length`; who holds more reports one of theirs, and their items are counted too low.
    """

    domain: Domain
    length: int
    oracle: Oracle
    format: Format = field(repr=False, compare=False)

    def __init__(self, domain: int | Sequence[Hashable] | Domain, epsilon: Number, length: int) -> None:
        """Choose the items, ε and the padded length.

        Parameters
        ----------
        domain : the items, or how many there are.
        epsilon : what one report costs, whatever the set.
        length : the number of items up to which a set is counted without bias.
        """
        object.__setattr__(self, "domain", Domain(domain))
        object.__setattr__(self, "length", whole_number(length, "length", 1))
        object.__setattr__(self, "oracle", compare(len(self.domain) + 1, positive(epsilon, "epsilon")).best)
        object.__setattr__(self, "format", Format(tag_of(self.facts()), self.oracle.width))

    @property
    def cells(self) -> int:
        """Those of the oracle."""
        return self.oracle.cells

    def guarantee(self, reports: int = 1) -> PureDP:
        """ε for any two sets: a report is a mixture of reports of single items  [A Def 4.1]."""
        return self.oracle.guarantee(reports)

    def encode(self, value: Any) -> list[int]:
        """The numbers of the items, each once."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise UnknownName("the value is not a set of the protocol's items")
        return sorted({self.domain.index(item) for item in value})

    def randomize(self, encoded: Any, bits: Bits) -> bytes:
        """The report of one drawn item, or of the dummy."""
        return self.oracle.randomize(self._drawn(encoded, bits), bits)

    def randomize_many(self, values: Any, bits: Bits) -> Payloads:
        """Reports of many people, a set each."""
        drawn = [self._drawn(self.encode(value), bits) for value in values]
        return self.oracle.randomize_many(np.array(drawn, np.int64), bits)

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """Which payloads the oracle could have made."""
        return self.oracle.valid(payloads)

    def tally(self, payloads: Payloads) -> Integers:
        return self.oracle.tally(payloads)

    def read(self, tally: Integers, reports: int, rejected: int, **options: Any) -> SetEstimate:
        """`length` times the share of each item among the reports."""
        if options:
            raise InvalidParameter(f"the estimate of sets takes no options, got {', '.join(options)}")
        numbers = Domain(len(self.domain) + 1)
        drawn = FrequencyEstimate(numbers, self.oracle, reports, rejected, self.oracle.supports(tally))
        return SetEstimate(self.domain, self.length, drawn)

    def report_variance(self, epsilon: Fraction) -> float:
        """`length`² times that of a rare item's share among the drawn."""
        return self.length**2 * compare(self.oracle.size, epsilon).best.variance(1)

    def facts(self) -> dict[str, Any]:
        """Items, length and the oracle's facts."""
        return {"protocol": "sets", "domain": list(self.domain.values), "length": self.length} | self.oracle.facts()

    def _drawn(self, members: list[int], bits: Bits) -> int:
        place = int(UniformInteger(max(self.length, len(members))).sample(bits, 1)[0])
        return members[place] if place < len(members) else len(self.domain)
