"""The device's side of a protocol."""

from typing import TYPE_CHECKING, Any

from dalenius.escape import escaped
from dalenius.local.wire import Reports
from dalenius.noise import Bits

if TYPE_CHECKING:
    from dalenius.local.protocol import Protocol


class Client:
    """Randomizes values on the device: what leaves is a report, never a value.

    Each call is one report and costs ε again; an `Accountant` stands in front of it where a person is asked more than
    once.
    """

    __slots__ = ("_bits", "protocol")

    def __init__(self, protocol: "Protocol[Any]", bits: Bits | None = None) -> None:
        self.protocol = protocol
        self._bits = Bits() if bits is None else bits

    def randomize(self, value: Any) -> bytes:
        """One report of one value: bytes, as many for every value.

        Parameters
        ----------
        value : an answer to the protocol's question; another is refused by name, without being repeated.
        """
        encoded = self.protocol.encode(value)
        return self.protocol.format.wrap(self.protocol.randomize(encoded, self._bits))

    def randomize_many(self, values: Any) -> Reports:
        """Reports of many people, one value each, as arrays: for simulation, and for a gateway that holds many.

        Parameters
        ----------
        values : one answer a person; whole numbers in an array are quickest where the domain is 0, 1, …
        """
        return Reports(self.protocol.format.head, self.protocol.randomize_many(values, self._bits))

    @escaped
    def __repr__(self) -> str:
        return f"Client({self.protocol!r})"
