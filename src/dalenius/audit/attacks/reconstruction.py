"""Reconstruction: many answers, each a little wrong, that together give nearly everyone away  [A §2].

The model is n secret bits and counts of ones over subsets [A Ex 2.1]; a data set is rebuilt when all but few of its
bits are right [A Def 2.1].
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import AuditFailed, InvalidParameter
from dalenius.noise import Bits

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]

LARGEST_SEARCH = 16
"""Bits up to which all data sets and all subsets are tried."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A guess at the secret bits, and how sure the attack was of each before rounding."""

    bits: NDArray[np.int64]
    scores: Floats

    def agreement(self, truth: Any) -> float:
        """The share of bits that are right: ½ is chance for random bits."""
        return float(np.mean(self.bits == np.asarray(truth)))


def random_subsets(people: int, queries: int, bits: Bits | None = None) -> Masks:
    """Subsets in which each person is with probability ½, a row each."""
    for name, number in (("people", people), ("queries", queries)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InvalidParameter(f"{name} must be a whole number ≥ 1, got {number!r}")
    source = Bits() if bits is None else bits
    masks: Masks = (
        np.unpackbits(source.octets((people * queries + 7) // 8))[: people * queries].reshape(queries, people) == 1
    )
    return masks


def exhaustive(answer: Callable[[tuple[int, ...]], float], people: int, error: float) -> Rebuilt:
    """Ask all 2ⁿ subsets and keep the first data set that is within `error` of every answer  [A Thm 2.1].

    If every answer errs by at most `error` it differs from the truth in at most 4·error bits: on the truth's zeros
    both are within `error` of one answer, so they differ in 2·error of them, and as much on its ones.
    """
    if not 1 <= people <= LARGEST_SEARCH:
        raise InvalidParameter(f"a search over all subsets takes n from 1 to {LARGEST_SEARCH}, got {people}")
    everything = np.arange(2**people, dtype=np.uint32)
    members = (everything[:, None] >> np.arange(people, dtype=np.uint32)) & 1
    answers = np.array([float(answer(tuple(np.flatnonzero(row).tolist()))) for row in members])
    for candidate in everything:
        counts = np.bitwise_count(everything & candidate)
        if np.all(np.abs(counts - answers) <= error):
            guess = members[candidate].astype(np.int64)
            return Rebuilt(guess, guess.astype(np.float64))
    raise AuditFailed(f"no data set is within {error:g} of all answers: some answer errs by more")


def least_squares(subsets: Any, answers: Any) -> Rebuilt:
    """Solve for the values in least squares and round: fast, and right while noise is well below √n  [A Thm 2.2]."""
    masks, counts = _checked(subsets, answers)
    scores, *_ = np.linalg.lstsq(masks.astype(np.float64), counts, rcond=None)
    return Rebuilt((scores > 0.5).astype(np.int64), scores.astype(np.float64))


def linear_program(subsets: Any, answers: Any) -> Rebuilt:
    """Minimise Σ|answer − count| over values in [0, 1] and round: some answers may be wild  [A Thm 2.2; DMT07].

    Solved through its dual, which has a constraint a person rather than two a question: with |y| ≤ 1,
    min_z max_y y·(Az − r) = max_y −r·y − Σᵢ (Aᵀy)ᵢ⁻, and z are the prices of the constraints s ≥ −Aᵀy. The program
    tells wild answers from the rest, over which least squares, the sharper of the two for noise without tails, is tried
    too; the guess is the one of the two whose counts are nearer to the answers, wild ones apart.
    """
    from scipy.optimize import linprog

    masks, counts = _checked(subsets, answers)
    queries, people = masks.shape
    A = masks.astype(np.float64)
    solution = linprog(
        np.concatenate([counts, np.ones(people)]),
        A_ub=np.hstack([-A.T, -np.eye(people)]),
        b_ub=np.zeros(people),
        bounds=[(-1, 1)] * queries + [(0, None)] * people,
        method="highs",
    )
    if solution.x is None:
        raise AuditFailed("the linear program was not solved: give finite answers")
    scores = np.clip(-solution.ineqlin.marginals, 0.0, 1.0)
    off = np.abs(A @ scores - counts)
    far = 4 * 1.4826 * float(np.median(off)) + 1  # four deviations: what errs by more is wild
    guesses = [Rebuilt((z > 0.5).astype(np.int64), z) for z in (scores, _sharpened(A, counts, off <= far, scores))]
    return min(guesses, key=lambda guess: float((np.minimum(np.abs(A @ guess.bits - counts), far) ** 2).sum()))


def _sharpened(A: Floats, counts: Floats, near: Masks, scores: Floats) -> Floats:
    """Least squares over the answers that are not wild, if they are enough."""
    if near.sum() < A.shape[1]:
        return scores
    kept = A[near]
    gram = kept.T @ kept + 1e-6 * np.eye(A.shape[1])  # the ridge is for people in the same subsets only
    clipped: Floats = np.clip(np.linalg.solve(gram, kept.T @ counts[near]), 0.0, 1.0)
    return clipped


def sql_counts(
    ask: Callable[[str], float],
    subsets: Any,
    *,
    table: str,
    key: str,
    condition: str,
    keys: Sequence[Any] | None = None,
) -> Floats:
    """Ask, in SQL, for the count of each subset of people who meet a condition: one query each.

    `ask` sends a query to any database that answers counts, exact or private; `keys` are the values of the column
    `key` that name the people, 0, 1, 2, … if left out.
    """
    masks = np.asarray(subsets, bool)
    named = list(range(masks.shape[1])) if keys is None else list(keys)
    counts = []
    for row in masks:
        members = ", ".join(_literal(named[k]) for k in np.flatnonzero(row).tolist()) or "NULL"
        counts.append(float(ask(f"SELECT COUNT(*) AS n FROM {table} WHERE {key} IN ({members}) AND ({condition})")))
    return np.array(counts)


def threshold_curve(
    people: int, noise: Sequence[float], *, queries: int | None = None, repeats: int = 1, bits: Bits | None = None
) -> list[dict[str, float]]:
    """The share of bits that the linear program rebuilds when each answer errs by up to `noise`, uniformly.

    It falls from 1 to ½ around √n  [A Ex 2.2, A Prop 2.1]; each row holds noise, its ratio to √n and the agreement, the
    mean of so many `repeats`.
    """
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise InvalidParameter(f"repeats must be a whole number ≥ 1, got {repeats!r}")
    source = Bits() if bits is None else bits
    asked = 4 * people if queries is None else queries
    rows = []
    for level in noise:
        agreed = [_rebuilt(people, asked, level, source) for _ in range(repeats)]
        rows.append({"noise": float(level), "ratio": level / people**0.5, "agreement": sum(agreed) / repeats})
    return rows


def _rebuilt(people: int, asked: int, noise: float, source: Bits) -> float:
    truth = random_subsets(1, people, source)[:, 0].astype(np.int64)
    subsets = random_subsets(people, asked, source)
    errors = source.words(np.uint32, asked).astype(np.float64) / 2**31 - 1
    return linear_program(subsets, subsets @ truth + np.rint(noise * errors)).agreement(truth)


def _checked(subsets: Any, answers: Any) -> tuple[Masks, Floats]:
    masks, counts = np.asarray(subsets, bool), np.asarray(answers, np.float64)
    if masks.ndim != 2 or counts.shape != masks.shape[:1] or not np.isfinite(counts).all():
        raise InvalidParameter("subsets must be a matrix with a row a question, answers a finite number each")
    return masks, counts


def _literal(value: Any) -> str:
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"
