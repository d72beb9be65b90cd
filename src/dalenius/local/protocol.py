"""What every protocol of local collection can say of itself."""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from dalenius.guarantees import PureDP, Shuffled
from dalenius.local.aggregator import Aggregator
from dalenius.local.client import Client
from dalenius.local.parameters import LEVEL
from dalenius.local.plan import Needed, needed_for
from dalenius.local.wire import Format
from dalenius.noise import Bits
from dalenius.numerics import Number

Estimate = TypeVar("Estimate")


class Protocol(ABC, Generic[Estimate]):
    """A question, the way a client randomizes its answer, and the way an aggregator reads the reports."""

    __slots__ = ()

    format: Format
    """What a report looks like."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """How many counters an aggregator keeps."""

    @abstractmethod
    def guarantee(self, reports: int = 1) -> PureDP:
        """What so many reports of one person cost, whoever collects."""

    @abstractmethod
    def encode(self, value: Any) -> Any:
        """A person's value as the randomizer takes it; what is outside of the question is refused, unnamed."""

    @abstractmethod
    def randomize(self, encoded: Any, bits: Bits) -> bytes:
        """The payload of one report."""

    @abstractmethod
    def randomize_many(self, values: Any, bits: Bits) -> NDArray[np.uint8]:
        """The payloads of many people, a row each."""

    @abstractmethod
    def valid(self, payloads: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Which payloads a client could have sent."""

    @abstractmethod
    def tally(self, payloads: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The counters' growth by valid payloads."""

    @abstractmethod
    def read(self, tally: NDArray[np.int64], reports: int, rejected: int, **options: Any) -> Estimate:
        """The estimate that the counters give."""

    @abstractmethod
    def report_variance(self, epsilon: Fraction) -> float:
        """The variance of the estimate times the number of reports, at any ε: of a rare value, or the worst number."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """All that a client in another language needs to know; the tag of every report is made from it."""

    def permanent(self, encoded: Any, bits: Bits) -> bytes:
        """What a device that answers once keeps: a payload, unless the protocol draws rounds of something else."""
        return self.randomize(encoded, bits)

    def report(self, permanent: bytes, bits: Bits) -> bytes:
        """The payload that a kept answer gives: itself, or a new round of it."""
        return permanent

    def client(self, bits: Bits | None = None) -> Client:
        """A client: what runs on the device."""
        return Client(self, bits)

    def aggregator(self) -> Aggregator[Estimate]:
        """An empty aggregator: what the collector runs."""
        return Aggregator(self)

    def resume(self, saved: bytes) -> Aggregator[Estimate]:
        """The aggregator that `to_bytes` saved."""
        return Aggregator.from_bytes(self, saved)

    def plan(self, reports: int, error: Number, level: Number = LEVEL) -> Needed:
        """The reports that bring the radius of an interval to `error` at this ε, and the ε that so many reports need.

        Parameters
        ----------
        reports : how many people are at hand.
        error : the radius wanted, in the estimate's own units.
        level : the probability with which the interval holds.
        """
        return needed_for(self.report_variance, self.guarantee().budget, reports, error, level)

    def simulate(self, values: Any, bits: Bits | None = None) -> Estimate:
        """What the collector would estimate if people held `values`: reports drawn and counted, none kept.

        Parameters
        ----------
        values : one value a person.
        bits : the source of randomness; a fresh secure one if left out.
        """
        collected = self.aggregator()
        collected.add(self.client(bits).randomize_many(values))
        return collected.estimate()

    def shuffled(self, reports: int, delta: Number = 0) -> Shuffled:
        """What holds centrally once a shuffler hides who sent which of so many reports, one a person.

        Parameters
        ----------
        reports : how many people report.
        delta : the δ at which a ledger charges the collection.
        """
        return Shuffled(self.guarantee().budget, reports, delta)
