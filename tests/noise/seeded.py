"""Sources of bits for tests: repeatable, or scripted to the bit. Never in src."""

import hashlib

from dalenius.noise import Bits


class SeededBits(Bits):
    """The keystream of a key made from a seed."""

    __slots__ = ("_rekeys", "_seed")

    def __init__(self, seed: int) -> None:
        self._seed, self._rekeys = seed, 0
        super().__init__()

    def _key(self) -> bytes:
        self._rekeys += 1
        return hashlib.sha256(f"{self._seed}/{self._rekeys}".encode()).digest()


class ScriptedBits(Bits):
    """First the integers of a script, as `integer` asks for them, then secure bits; `seen` keeps all that it gave."""

    __slots__ = ("script", "seen")

    def __init__(self, *script: int) -> None:
        super().__init__()
        self.script, self.seen = list(script), []

    def integer(self, width: int) -> int:
        value = self.script.pop(0) if self.script else super().integer(width)
        self.seen.append(value)
        return value
