"""Random bits: a keystream that nobody else has seen and nobody sees twice."""

import os
import threading
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dalenius.calls import Readable
from dalenius.errors import InvalidParameter

try:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
except ImportError:  # pragma: no cover - a broken installation
    Cipher = None  # type: ignore[assignment,misc]

REKEY_AFTER = 256 << 20
"""Bytes drawn from one key; far below the 2⁶⁸ bytes at which AES-CTR could first be told from random."""
_POOL = 1 << 15
_PIECE = 1 << 18
_ZEROS = bytes(_PIECE)
_BLOCK = 16
_forks = 0
_starting = threading.Lock()


def _count_fork() -> None:
    global _forks, _starting
    _forks += 1
    _starting = threading.Lock()  # a thread that the child does not have may hold the old one


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)


class Bits(Readable):
    """Independent fair bits: AES-256 in counter mode, keyed by the operating system, with a new key every 256 MiB.

    A copy never repeats the original: fork, `copy`, `deepcopy`, `pickle` and scikit-learn's `clone` (of it, or of
    anything that holds it) each end with a source that has drawn a key of its own. Threads may share one source; no
    two get the same bits. Without `cryptography` every bit comes straight from `os.urandom`, which is as safe and
    some twenty times slower.

    >>> Bits()
    Bits()
    """

    __slots__ = ("__weakref__", "_encryptor", "_lock", "_owner", "_pool", "_position", "_room")

    def __init__(self) -> None:
        self._position = _POOL
        self._start()

    def words(self, dtype: type[np.unsignedinteger[Any]], size: int) -> NDArray[Any]:
        """`size` independent uniform words of an unsigned type."""
        if size < 0:
            raise InvalidParameter(f"size must be ≥ 0, got {size}")
        return self.octets(size * np.dtype(dtype).itemsize).view(dtype)

    def octets(self, size: int) -> NDArray[np.uint8]:
        """`size` independent uniform bytes, in an array of their own."""
        if size < 0:
            raise InvalidParameter(f"size must be ≥ 0, got {size}")
        if self._owner != (os.getpid(), _forks):
            self._restart()
        out = np.empty(size + _BLOCK, np.uint8)
        with self._lock:
            if size <= _POOL // 8:
                out[:size] = np.frombuffer(self._take(size), np.uint8)
            else:
                self._stream(out.data, size)
        return out[:size]

    def integer(self, width: int) -> int:
        """One uniform integer of `width` bytes."""
        if width < 0:  # which would go back to bits that were given out
            raise InvalidParameter(f"width must be ≥ 0, got {width}")
        if self._owner != (os.getpid(), _forks):
            self._restart()
        with self._lock:
            return int.from_bytes(self._take(width), "little")

    def _take(self, size: int) -> memoryview:
        if self._position + size > _POOL:
            if size > _POOL:
                fresh = bytearray(size + _BLOCK)
                self._stream(memoryview(fresh), size)
                return memoryview(fresh)[:size]
            self._stream(self._pool, _POOL)
            self._position = 0
        self._position += size
        return self._pool[self._position - size : self._position]

    def _stream(self, out: memoryview, size: int) -> None:
        """Fill out[:size] with keystream.

        `out` has a block of room to spare, which older versions of the cipher ask for.
        """
        done = 0
        while done < size:
            if self._room <= 0:
                self._rekey()
            piece = min(size - done, _PIECE)
            if self._encryptor is None:
                out[done : done + piece] = os.urandom(piece)
            else:
                self._encryptor.update_into(
                    _ZEROS[:piece] if piece < _PIECE else _ZEROS, out[done : done + piece + _BLOCK - 1]
                )
            self._room -= piece
            done += piece

    def _key(self) -> bytes:
        return os.urandom(32)

    def _rekey(self) -> None:
        self._encryptor = (
            None if Cipher is None else Cipher(algorithms.AES(self._key()), modes.CTR(b"\0" * 16)).encryptor()
        )
        self._room = REKEY_AFTER

    def _restart(self) -> None:
        """Start afresh in a forked child, once: of threads that come at the same time the first does it.

        A second start would replace the lock under which another thread is already drawing.
        """
        with _starting:
            if self._owner != (os.getpid(), _forks):
                self._start()

    def _start(self) -> None:
        """Forget every bit drawn ahead, and take a new key.

        The lock is new too: a fork may have copied it while held.
        """
        self._lock = threading.Lock()
        self._pool = memoryview(bytearray(_POOL + _BLOCK))
        self._position = _POOL
        self._rekey()
        self._owner = (os.getpid(), _forks)

    def __copy__(self) -> Self:
        return type(self)()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)()

    def __reduce__(self) -> tuple[type[Self], tuple[()]]:
        return type(self), ()

    def __repr__(self) -> str:
        return "Bits()"
