"""The joint table of two answers, without trusting the collector."""

from collections.abc import Hashable, Sequence
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
from dalenius.local.parameters import LEVEL
from dalenius.local.protocol import Protocol
from dalenius.local.wire import Format, tag_of
from dalenius.noise import Bits
from dalenius.numerics import Number, positive


@dataclass(frozen=True, slots=True, eq=False)
class JointEstimate:
    """Shares of pairs of answers, the first along the rows; unbiased, as their margins are."""

    rows: Domain
    columns: Domain
    pairs: FrequencyEstimate = field(repr=False)

    @property
    def table(self) -> NDArray[np.float64]:
        """The unbiased shares."""
        return self.pairs.unbiased.reshape(len(self.rows), len(self.columns))

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """Of each share."""
        return self.pairs.standard_error.reshape(len(self.rows), len(self.columns))

    @property
    def reports(self) -> int:
        """How many reports were counted."""
        return self.pairs.reports

    @property
    def rejected(self) -> int:
        """How many were not."""
        return self.pairs.rejected

    @property
    def margins(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The shares of the first and of the second answer."""
        return self.table.sum(axis=1), self.table.sum(axis=0)

    def interval(
        self, level: Number = LEVEL, *, joint: bool = False
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Tables of ends that hold each pair's share of the population, exactly  [CP34].

        Parameters
        ----------
        level : the probability with which the interval holds its share.
        joint : hold all shares together with that probability, by Bonferroni.
        """
        low, high = self.pairs.interval(level, joint=joint)
        return low.reshape(self.table.shape), high.reshape(self.table.shape)

    def poisoned_by(self, malicious: int) -> float:
        """How far so many forged reports can have moved any one share of a pair: k/(n(p − q))  [CJG21]."""
        return self.pairs.poisoned_by(malicious)

    def __getitem__(self, pair: tuple[Any, Any]) -> float:
        return float(self.table[self.rows.index(pair[0]), self.columns.index(pair[1])])


@dataclass(frozen=True, slots=True, init=False)
class Joint(Protocol[JointEstimate]):
    """Two answers of a person in one report: an oracle over all pairs, so that ε is paid once.

    >>> Joint(["yes", "no"], 5, epsilon=1).client().randomize(("yes", 3)) != b""
    True
    """

    rows: Domain
    columns: Domain
    oracle: Oracle
    format: Format = field(repr=False, compare=False)

    def __init__(
        self, rows: int | Sequence[Hashable] | Domain, columns: int | Sequence[Hashable] | Domain, epsilon: Number
    ) -> None:
        """Choose the two domains and ε.

        Parameters
        ----------
        rows, columns : the values of the first and of the second answer.
        epsilon : what one report, of both answers, costs.
        """
        object.__setattr__(self, "rows", Domain(rows))
        object.__setattr__(self, "columns", Domain(columns))
        pairs = len(self.rows) * len(self.columns)
        object.__setattr__(self, "oracle", compare(pairs, positive(epsilon, "epsilon")).best)
        object.__setattr__(self, "format", Format(tag_of(self.facts()), self.oracle.width))

    @property
    def cells(self) -> int:
        """Those of the oracle."""
        return self.oracle.cells

    def guarantee(self, reports: int = 1) -> PureDP:
        """ε for both answers together  [A Def 4.1, A Rem 4.4]."""
        return self.oracle.guarantee(reports)

    def encode(self, value: Any) -> int:
        """The number of a pair."""
        if not isinstance(value, tuple) or len(value) != 2:
            raise UnknownName("the value is not a pair of answers from the protocol's domains")
        return self.rows.index(value[0]) * len(self.columns) + self.columns.index(value[1])

    def randomize(self, encoded: int, bits: Bits) -> bytes:
        """The oracle's report of one pair."""
        return self.oracle.randomize(encoded, bits)

    def randomize_many(self, values: Any, bits: Bits) -> Payloads:
        """The oracle's reports of many pairs."""
        return self.oracle.randomize_many(np.array([self.encode(value) for value in values], np.int64), bits)

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """Which payloads the oracle could have made."""
        return self.oracle.valid(payloads)

    def tally(self, payloads: Payloads) -> Integers:
        return self.oracle.tally(payloads)

    def read(self, tally: Integers, reports: int, rejected: int, **options: Any) -> JointEstimate:
        """The share of each pair."""
        if options:
            raise InvalidParameter(f"the estimate of a joint table takes no options, got {', '.join(options)}")
        numbers = Domain(len(self.rows) * len(self.columns))
        pairs = FrequencyEstimate(numbers, self.oracle, reports, rejected, self.oracle.supports(tally))
        return JointEstimate(self.rows, self.columns, pairs)

    def report_variance(self, epsilon: Fraction) -> float:
        """That of a rare pair's share."""
        return compare(self.oracle.size, epsilon).best.variance(1)

    def facts(self) -> dict[str, Any]:
        """Both domains and the oracle's facts."""
        domains = {"rows": list(self.rows.values), "columns": list(self.columns.values)}
        return {"protocol": "joint"} | domains | self.oracle.facts()
