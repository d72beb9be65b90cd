"""The collector's side: counters, and nothing of anybody."""

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.local.wire import TAG, Reports

if TYPE_CHECKING:
    from dalenius.local.protocol import Protocol

Estimate = TypeVar("Estimate")
_SAVED = b"dalenius-aggregator-1"
_DIGEST = 16
_AT_ONCE = 1 << 18
"""Payload rows counted at once, so that memory does not grow with a batch."""


class Aggregator(Generic[Estimate]):
    """Adds up reports in constant memory; two of them merge; one can be saved and taken up again.

    A report of another protocol, version, domain or ε, of another length, or that no client could have sent, is
    counted in `rejected` and changes nothing else.
    """

    __slots__ = ("_tally", "protocol", "rejected", "reports")

    def __init__(self, protocol: "Protocol[Estimate]") -> None:
        self.protocol = protocol
        self.reports = 0
        self.rejected = 0
        self._tally: NDArray[np.int64] = np.zeros(protocol.cells, np.int64)

    def add(self, reports: bytes | Iterable[bytes] | Reports) -> int:
        """Count reports in, and say how many were taken.

        Parameters
        ----------
        reports : one report or many laid end to end as bytes, an iterable of single reports, or what
            `client.randomize_many` gave.
        """
        if isinstance(reports, Reports):
            ours = reports.head == self.protocol.format.head
            payloads, others = (reports.payloads, 0) if ours else (reports.payloads[:0], len(reports))
        else:
            payloads, others = self.protocol.format.parse(reports)
        taken = 0
        for first in range(0, len(payloads), _AT_ONCE):
            taken += self._count(payloads[first : first + _AT_ONCE])
        self.reports += taken
        self.rejected += others + len(payloads) - taken
        return taken

    def merge(self, other: "Aggregator[Estimate]") -> None:
        """Add another aggregator of the same protocol: the same as if one had seen all reports."""
        if not isinstance(other, Aggregator) or other.protocol.format != self.protocol.format:
            raise InvalidParameter("aggregators merge only within one protocol: same domain, oracle and epsilon")
        self._tally = self._tally + other._tally
        self.reports += other.reports
        self.rejected += other.rejected

    def estimate(self, **options: Any) -> Estimate:
        """What the reports so far say, with its error.

        Parameters
        ----------
        options : what the protocol's `read` takes; shares of values take `consistent=True`.
        """
        if self.reports == 0:
            raise InvalidParameter("there are no reports yet: add some before estimating")
        return self.protocol.read(self._tally, self.reports, self.rejected, **options)

    def to_bytes(self) -> bytes:
        """The counters, to be taken up later by `protocol.resume`."""
        body = (
            self.protocol.format.tag
            + self.reports.to_bytes(8, "little")
            + self.rejected.to_bytes(8, "little")
            + self._tally.astype("<i8").tobytes()
        )
        return _SAVED + hashlib.sha256(body).digest()[:_DIGEST] + body

    @classmethod
    def from_bytes(cls, protocol: "Protocol[Estimate]", saved: bytes) -> "Aggregator[Estimate]":
        """The aggregator that `to_bytes` wrote, refused if it is damaged or of another protocol."""
        start = len(_SAVED) + _DIGEST
        body = saved[start:]
        whole = len(body) == TAG + 16 + 8 * protocol.cells
        if (
            not saved.startswith(_SAVED)
            or not whole
            or saved[len(_SAVED) : start] != hashlib.sha256(body).digest()[:_DIGEST]
            or body[:TAG] != protocol.format.tag
        ):
            raise InvalidParameter("the saved aggregator is damaged, or of another protocol, domain or epsilon")
        aggregator = cls(protocol)
        aggregator.reports = int.from_bytes(body[TAG : TAG + 8], "little")
        aggregator.rejected = int.from_bytes(body[TAG + 8 : TAG + 16], "little")
        aggregator._tally = np.frombuffer(body[TAG + 16 :], "<i8").astype(np.int64)
        return aggregator

    def _count(self, payloads: NDArray[np.uint8]) -> int:
        good = self.protocol.valid(payloads)
        if not good.all():
            payloads = payloads[good]
        self._tally += self.protocol.tally(payloads)
        return len(payloads)

    def __eq__(self, other: Any) -> bool:
        return (
            isinstance(other, Aggregator)
            and (self.protocol.format, self.reports, self.rejected)
            == (other.protocol.format, other.reports, other.rejected)
            and bool(np.array_equal(self._tally, other._tally))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Aggregator({self.reports} reports, {self.rejected} rejected)"
