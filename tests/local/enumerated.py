"""The law of a report, added up in fractions over every way that its draws can fall.

The code under test runs unchanged; the draws it asks for (a uniform number, a coin, a word of 64 or 8 bits) are
answered one way after the other. A word is answered by the ends of the cells into which the protocol's thresholds cut
all words: both ends must lead to the same report, so a comparison with any other number shows.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dalenius.noise import Bits, Coin, UniformInteger


class Script(Bits):
    """Answers draws by a list of choices, and remembers how many there were of each and their chance."""

    def __init__(self, thresholds: set[int], numbers: int, at_end: bool) -> None:
        super().__init__()
        self.cuts = sorted({0, 1 << 64, *thresholds})
        self.numbers, self.at_end = numbers, at_end
        self.script: list[int] = []
        self.restart()

    def restart(self) -> None:
        self.at, self.options, self.chance = 0, [], Fraction(1)

    def choose(self, weights: list[Fraction]) -> int:
        if self.at == len(self.script):
            self.script.append(0)
        chosen = self.script[self.at]
        self.at += 1
        self.options.append(len(weights))
        self.chance *= weights[chosen]
        return chosen

    def advance(self) -> bool:
        """The next way for the draws to fall: count up from the last; false when all were tried."""
        while self.script and self.script[-1] + 1 == self.options[len(self.script) - 1]:
            self.script.pop()
        if self.script:
            self.script[-1] += 1
        return bool(self.script)

    def words(self, dtype, size):
        width = 8 * np.dtype(dtype).itemsize
        cuts = sorted({cut >> (64 - width) for cut in self.cuts} if width == 64 else {0, 128, 192, 256})
        weights = [Fraction(high - low, 1 << width) for low, high in itertools.pairwise(cuts)]
        cells = [self.choose(weights) for _ in range(size)]
        return np.array([cuts[cell + 1] - 1 if self.at_end else cuts[cell] for cell in cells], dtype)

    def integer(self, width):
        return self.choose([Fraction(1, self.numbers)] * self.numbers)


def law(draw: Callable[[Bits], bytes], thresholds: set[int], numbers: int = 3) -> dict[bytes, Fraction]:
    """P[outcome] of `draw`, exactly; both ends of every cell of words are tried."""
    first = _law(draw, Script(thresholds, numbers, False))
    assert first == _law(draw, Script(thresholds, numbers, True)), (
        "a word was compared with a number that is not stated"
    )
    assert sum(first.values()) == 1
    return first


def _law(draw: Callable[[Bits], bytes], script: Script) -> dict[bytes, Fraction]:
    masses: defaultdict[bytes, Fraction] = defaultdict(Fraction)

    def uniform(self: UniformInteger, bits: Any, size: int) -> Any:
        return np.array([bits.choose([Fraction(1, self.count)] * self.count) for _ in range(size)], np.int64)

    def toss(self: Coin, bits: Any) -> bool:
        return bits.choose([1 - self.chance, self.chance]) == 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(UniformInteger, "sample", uniform)
        patch.setattr(Coin, "toss", toss)
        while True:
            script.restart()
            outcome = draw(script)
            masses[outcome] += script.chance
            if not script.advance():
                return dict(masses)
