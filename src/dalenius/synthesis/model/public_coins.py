"""Randomness that is a function of a public text: what is made from a release is the same for everybody.

A copy is fitted and drawn from released tables alone. Its randomness protects nobody, so it need not be secret; it must
be the same again when the release is read again.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray
from scipy import special

_CHUNK = 1 << 22


class PublicCoins:
    """A stream of numbers from a text, by SHAKE-256.

    >>> PublicCoins("a").uniforms(2).tolist() == PublicCoins("a").uniforms(2).tolist()
    True
    """

    __slots__ = ("_seed", "_taken")

    def __init__(self, text: str) -> None:
        self._seed, self._taken = hashlib.sha256(text.encode()).digest(), 0

    def words(self, size: int) -> NDArray[np.uint32]:
        """The next `size` words."""
        parts = []
        while size > 0:
            taken = min(size, _CHUNK)
            block = self._seed + self._taken.to_bytes(8, "little")
            parts.append(np.frombuffer(hashlib.shake_256(block).digest(4 * taken), np.uint32))
            self._taken += 1
            size -= taken
        return np.concatenate(parts) if parts else np.zeros(0, np.uint32)

    def uniforms(self, size: int) -> NDArray[np.float64]:
        """Numbers strictly between 0 and 1."""
        uniforms: NDArray[np.float64] = (self.words(size).astype(np.float64) + 0.5) / 2.0**32
        return uniforms

    def normals(self, size: int) -> NDArray[np.float64]:
        """Standard normal numbers."""
        normals: NDArray[np.float64] = np.asarray(special.ndtri(self.uniforms(size)), np.float64)
        return normals
