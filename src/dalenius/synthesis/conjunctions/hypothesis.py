"""A law over a yes-no universe that is kept in step with noisy answers."""

import itertools

import numpy as np
from numpy.typing import NDArray

from dalenius.synthesis.conjunctions.yes_no import YesNo

Floats = NDArray[np.float64]
Terms = tuple[tuple[int, int], ...]
_LEAST = 1e-6


class Hypothesis:
    """Shares of all cells, and the noisy answers that it was moved to.

    An answer moves the law to the nearest one, in relative entropy, that has it: cells inside the conjunction are
    scaled by one number and those outside by another. Earlier answers are replayed, since each such move undoes a part
    of the others. All of it is a function of released answers.
    """

    __slots__ = ("_answers", "_replays", "_universe", "law")

    def __init__(self, universe: YesNo, replays: int = 30) -> None:
        self._universe, self._replays = universe, replays
        self.law: Floats = np.full((2,) * len(universe.names), 1 / universe.size)
        self._answers: dict[Terms, float] = {}

    def share(self, terms: Terms) -> float:
        """The part of the law that a conjunction counts."""
        return float(self.law[self._universe.inside(terms)].sum())

    def learn(self, terms: Terms, share: float, passes: int = 3) -> None:
        """Move to an answer, and again to the last ones before it."""
        self._answers.pop(terms, None)
        self._answers[terms] = min(max(share, _LEAST), 1 - _LEAST)
        for _ in range(passes):
            for old, answer in list(self._answers.items())[-self._replays :]:
                self._move(old, answer)

    def tables(self, width: int) -> tuple[list[Terms], Floats]:
        """All conjunctions of exactly `width` columns, and their shares."""
        terms: list[Terms] = []
        shares = []
        for chosen in itertools.combinations(range(self.law.ndim), width):
            others = tuple(axis for axis in range(self.law.ndim) if axis not in chosen)
            shares.append(self.law.sum(axis=others).ravel())
            terms += [tuple(zip(chosen, values, strict=True)) for values in itertools.product((0, 1), repeat=width)]
        return terms, np.concatenate(shares)

    def _move(self, terms: Terms, answer: float) -> None:
        at = self._universe.inside(terms)
        now = float(self.law[at].sum())
        if not 0 < now < 1:
            return
        outside = (1 - answer) / (1 - now)
        part = self.law[at] * (answer / now)
        self.law *= outside
        self.law[at] = part
