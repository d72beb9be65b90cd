"""Tracing: from the released means of many attributes, tell who was in the data  [Hom08; DSS15]."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.numerics import probability

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Traced:
    """Scores of the people tried, the threshold, and who is said to have been in the data."""

    scores: Floats
    threshold: float
    members: NDArray[np.bool_]


def trace(means: Any, people: Any, reference: Any, level: float = 0.05) -> Traced:
    """Say of each of `people` whether they were among those averaged, given the `means` released.

    The score of y is ⟨y − r, q − r⟩, where q are the means and r those of a reference sample of the population: its
    expectation is 0 for someone who was not averaged and Σ Var(yⱼ)/n for someone who was, so d ≫ n attributes tell
    [DSS15]. The threshold is the ⌈(1 − level)(m + 1)⌉-th score of the m people of the reference, so someone drawn
    from the population, who was not averaged, is accused with probability at most `level`.
    """
    q, y, z = (np.asarray(each, np.float64) for each in (means, people, reference))
    if q.ndim != 1 or y.ndim != 2 or z.ndim != 2 or y.shape[1] != len(q) or z.shape[1] != len(q):
        raise InvalidParameter("people and reference must be matrices with a column for each of the means")
    at = float(probability(level, "level"))
    place = int(np.ceil((1 - at) * (len(z) + 1)))
    if place > len(z):
        raise InvalidParameter(f"level {level:g} needs a reference of at least {int(np.ceil(1 / at)) - 1} people" if at
                               else "level must be > 0")  # fmt: skip
    # each reference person is judged by the others' mean, as someone new would be
    total = z.sum(axis=0)
    others = (total - z) / (len(z) - 1)
    known = np.sort(np.einsum("ij,ij->i", z - others, q - others))
    center = z.mean(axis=0)
    scores = (y - center) @ (q - center)
    threshold = float(known[place - 1])
    return Traced(scores, threshold, scores > threshold)
