"""Reports as bytes: a version, the tag of the protocol, and a payload of constant length.

A report of any value has the same size. The tag is the first eight bytes of the SHA-256 of the protocol's facts, so a
report of another protocol, domain or ε is told apart by them and rejected; it says nothing of the person.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

VERSION = 1
TAG = 8
HEAD = 1 + TAG
"""Bytes before the payload."""


def tag_of(facts: Mapping[str, Any]) -> bytes:
    """The tag of a protocol: the same facts give the same bytes in every language."""
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).digest()[:TAG]


@dataclass(frozen=True, slots=True, eq=False)
class Reports:
    """Payloads of many reports of one protocol, a row each; `to_bytes` is what goes over the wire."""

    head: bytes
    payloads: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.payloads)

    def to_bytes(self) -> bytes:
        """All reports, one after the other."""
        heads = np.broadcast_to(np.frombuffer(self.head, np.uint8), (len(self), len(self.head)))
        return np.concatenate([heads, self.payloads], axis=1).tobytes()

    def __repr__(self) -> str:
        return f"Reports(<{len(self)}>)"


@dataclass(frozen=True, slots=True)
class Format:
    """What a report of one protocol looks like: its head, and the length of its payload."""

    tag: bytes
    width: int

    @property
    def head(self) -> bytes:
        """Version and tag."""
        return bytes([VERSION]) + self.tag

    @property
    def length(self) -> int:
        """Bytes of one report."""
        return HEAD + self.width

    def wrap(self, payload: bytes) -> bytes:
        """One report."""
        return self.head + payload

    def parse(self, reports: bytes | Iterable[bytes]) -> tuple[NDArray[np.uint8], int]:
        """The payloads of reports with this head and length, and how many others there were.

        `reports` is one bytes object of reports laid end to end, or several, each one report.
        """
        if isinstance(reports, bytes | bytearray | memoryview):
            data = bytes(reports)
            whole, rest = divmod(len(data), self.length)
            data, others = data[: whole * self.length], int(rest > 0)
        else:
            pieces = list(reports)
            whole_pieces = [piece for piece in pieces if isinstance(piece, bytes) and len(piece) == self.length]
            data, others = b"".join(whole_pieces), len(pieces) - len(whole_pieces)
        rows = np.frombuffer(data, np.uint8).reshape(-1, self.length)
        ours = (rows[:, :HEAD] == np.frombuffer(self.head, np.uint8)).all(axis=1)
        return rows[ours, HEAD:], others + int((~ours).sum())
