"""Which prefixes are common: what the reports of all lengths so far say together, by Bayes' rule.

A prefix that people hold has a share f > 0, the others 0. The share of an extension is at most that of its prefix: it
is the same (one value stands behind both) or less. Shares lie on a grid from the error of one length up to 1, a priori
in proportion to 1/f, as in Zipf's law; each of the 2^b extensions of a held prefix is held with prior probability 2^−b.
 The measured shares have normal errors, so the likelihood of f against 0 is e^((x f − f²/2)/σ²), and one pass over
the lengths (the forward step of a hidden Markov chain) gives every prefix its odds and the law of its share. Nothing
here touches privacy: it reads counters that are reports already.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STAY = 0.75
"""Prior probability that a held prefix goes on as one value, its share unchanged."""
RATIO = 1.25
"""Between neighboring shares of the grid."""
_FEWEST = 40
"""Extensions looked at, for each prefix that is kept: those with the largest measured shares."""


@dataclass(slots=True)
class PrefixFilter:
    """The prefixes kept so far, and for each the joint weights of being held with each share of the grid."""

    error: float
    grid: Floats = field(init=False)
    _prior: Floats = field(init=False)
    _onward: Floats = field(init=False)
    weights: Floats | None = None

    def __post_init__(self) -> None:
        count = max(2, int(np.ceil(np.log(1 / self.error) / np.log(RATIO))))
        self.grid = np.minimum(self.error * RATIO ** np.arange(count + 1), 1.0)
        self._prior = (1 / self.grid) / (1 / self.grid).sum()
        lower = np.tril(np.ones((count + 1, count + 1))) * self._prior
        self._onward = STAY * np.eye(count + 1) + (1 - STAY) * lower / lower.sum(axis=1, keepdims=True)

    def extend(self, measured: Floats, error: float, keep: int) -> NDArray[np.int64]:
        """Take in the measured shares of all extensions, a row for each prefix; the flat places of the best, kept."""
        rows, extensions = measured.shape
        flat = measured.reshape(-1)
        places = np.arange(flat.size)
        if flat.size > _FEWEST * keep:
            places = np.sort(np.argpartition(-flat, _FEWEST * keep)[: _FEWEST * keep])
        expected = self._prior[None, :] / (2 * self.error) if self.weights is None else self.weights @ self._onward
        with np.errstate(divide="ignore"):
            ahead = np.log(expected / extensions)
        ahead = np.broadcast_to(ahead, (rows, self.grid.size))[places // extensions]
        joint = ahead + (flat[places, None] * self.grid - self.grid**2 / 2) / error**2
        top = joint.max(axis=1)
        odds = top + np.log(np.exp(joint - top[:, None]).sum(axis=1))
        best = np.argsort(-odds, kind="stable")[:keep]
        law = np.exp(joint[best] - odds[best, None])
        self.weights = law / (1 + np.exp(-np.clip(odds[best], -600, 600)))[:, None]
        return places[best]

    @property
    def shares(self) -> Floats:
        """The expected share of each prefix kept, 0 counted for the case that nobody holds it."""
        if self.weights is None:
            return np.zeros(0)
        expected: Floats = self.weights @ self.grid
        return expected
