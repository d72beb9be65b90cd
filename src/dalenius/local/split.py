"""Several questions, of which each person answers one: the parts of hierarchies, heavy hitters and the like.

A client draws the part by a fair die, whatever it holds, and answers that part alone; so a report costs what that part
costs, and the part itself says nothing. Payloads of all parts are padded to one length.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.local.oracles import Integers, Oracle, Payloads
from dalenius.noise import Bits, UniformInteger


@dataclass(frozen=True, slots=True)
class Split:
    """Oracles of one ε side by side; the first counter of each part counts its reports."""

    parts: tuple[Oracle, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.parts) <= 255:
            raise InvalidParameter(f"a split has 1 to 255 parts, got {len(self.parts)}")

    @property
    def width(self) -> int:
        """A byte for the part, and room for the longest payload."""
        return 1 + max(part.width for part in self.parts)

    @property
    def cells(self) -> int:
        """A counter of reports and the oracle's counters, for each part."""
        return sum(1 + part.cells for part in self.parts)

    def randomize(self, values: Sequence[int], bits: Bits) -> bytes:
        """One report: `values` are the person's answers to all parts, of which one is used."""
        at = int(UniformInteger(len(self.parts)).sample(bits, 1)[0])
        payload = self.parts[at].randomize(values[at], bits)
        return bytes([at]) + payload.ljust(self.width - 1, b"\0")

    def randomize_many(self, values: Integers, bits: Bits) -> Payloads:
        """Reports of many: `values` has a row for each part."""
        chosen = UniformInteger(len(self.parts)).sample(bits, values.shape[1])
        out = np.zeros((values.shape[1], self.width), np.uint8)
        out[:, 0] = chosen
        for at, part in enumerate(self.parts):
            people = np.flatnonzero(chosen == at)
            out[people, 1 : 1 + part.width] = part.randomize_many(values[at, people], bits)
        return out

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """A part that exists, a payload of it, and zeros behind."""
        good = payloads[:, 0] < len(self.parts)
        for at, part in enumerate(self.parts):
            rows = np.flatnonzero(payloads[:, 0] == at)
            inner, padding = payloads[rows, 1 : 1 + part.width], payloads[rows, 1 + part.width :]
            good[rows] = part.valid(inner) & ~padding.any(axis=1)
        return good

    def tally(self, payloads: Payloads) -> Integers:
        """All parts' counters, one after the other."""
        pieces: list[Integers] = []
        for at, part in enumerate(self.parts):
            rows = payloads[payloads[:, 0] == at, 1 : 1 + part.width]
            pieces += [np.array([len(rows)]), part.tally(np.ascontiguousarray(rows))]
        return np.concatenate(pieces)

    def shares(self, tally: Integers) -> list[tuple[int, NDArray[np.float64]]]:
        """For each part, how many answered it and their unbiased shares (zeros where nobody did)."""
        shares, at = [], 0
        for part in self.parts:
            n, counters = int(tally[at]), tally[at + 1 : at + 1 + part.cells]
            p, q = float(part.own), float(part.other)
            supports = part.supports(counters)
            shares.append((n, (supports / n - q) / (p - q) if n else np.zeros(part.size)))
            at += 1 + part.cells
        return shares
