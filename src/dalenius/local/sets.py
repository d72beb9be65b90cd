"""Several items per person, without trusting the collector: padding and sampling."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.local.compare import compare
from dalenius.local.domain import Domain
from dalenius.local.oracles import Integers, Oracle, Payloads
from dalenius.local.protocol import Protocol
from dalenius.local.wire import Format, tag_of
from dalenius.noise import Bits, UniformInteger
from dalenius.numerics import Number, positive


@dataclass(frozen=True, slots=True, eq=False)
class SetEstimate:
    """How many people, as a share, hold each item; one person may hold several, so shares need not sum to one."""

    domain: Domain
    shares: NDArray[np.float64] = field(repr=False)
    standard_error: float
    reports: int
    rejected: int

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
        if isinstance(length, bool) or not isinstance(length, int) or length < 1:
            raise InvalidParameter(f"length must be a whole number ≥ 1, got {length!r}")
        object.__setattr__(self, "length", length)
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
        """The oracle's counters."""
        return self.oracle.tally(payloads)

    def read(self, tally: Integers, reports: int, rejected: int, **options: Any) -> SetEstimate:
        """`length` times the share of each item among the reports."""
        if options:
            raise InvalidParameter(f"the estimate of sets takes no options, got {', '.join(options)}")
        p, q = float(self.oracle.own), float(self.oracle.other)
        shares = (self.oracle.supports(tally)[: len(self.domain)] / reports - q) / (p - q)
        error = self.length * self.oracle.variance(reports) ** 0.5
        return SetEstimate(self.domain, self.length * shares, error, reports, rejected)

    def facts(self) -> dict[str, Any]:
        """Items, length and the oracle's facts."""
        return {"protocol": "sets", "domain": list(self.domain.values), "length": self.length} | self.oracle.facts()

    def _drawn(self, members: list[int], bits: Bits) -> int:
        place = int(UniformInteger(max(self.length, len(members))).sample(bits, 1)[0])
        return members[place] if place < len(members) else len(self.domain)
