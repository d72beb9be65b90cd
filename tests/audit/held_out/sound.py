# ruff: noqa: E501 - a case is a line
"""Sound mechanisms of kinds that tests/audit/corpus has not: no constant was chosen on them, features were."""

import math
from typing import Any

import numpy as np

from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP
from dalenius.neighbors import Relation
from tests.audit.corpus.case import Case, rounded
from tests.audit.held_out.kinds import (
    STORES,
    Model,
    Rng,
    Stateful,
    counts_by_key,
    day,
    gaussian_delta,
    gradient_step,
    hockey_stick,
    ranking,
    sentence,
    shuffled,
    shuffled_masses,
    sparse,
    steps,
    wide,
    words,
)

CHANGE = Relation.CHANGE_ONE


def numbered(rng: Rng, data: Any, calls: int) -> Any:
    """The number of the call leaves with the answer: it tells nothing of the data."""
    return (calls, float(rounded(data + rng.laplace(0, 1))))


def drifting(rng: Rng, data: Any, calls: int) -> float:
    """The noise grows with every call."""
    return float(rounded(data + rng.laplace(0, 1 + calls / 4000)))


def copied(rng: Rng, data: Any, n: int) -> Any:
    """The same noisy number three times, in other units."""
    value = rounded(data + rng.laplace(0, 1, n))
    return np.column_stack([value, 60 * value, value / 2])


def metadata(rng: Rng, data: Any, n: int) -> Any:
    value, other = (rounded(data + rng.laplace(0, 2, n)).tolist() for _ in range(2))
    return [{"result": v, "meta": {"rows scanned": o, "engine": "v2"}} for v, o in zip(value, other, strict=True)]


def variance(rng: Rng, data: Any, n: int) -> Any:
    """Of ten values in [0, 1]: one changes it by at most (n − 1)/n², so noise 0.09/ε."""
    return rounded(1000 * (np.var(data) + rng.laplace(0, 0.9, n)))


def fitted(rng: Rng, data: Any, n: int) -> Any:
    return [Model(row) for row in rounded(np.asarray(data) + rng.laplace(0, 1, (n, 3)))]


def nan_by_chance(rng: Rng, data: Any, n: int) -> Any:
    values = rounded(np.asarray(data) + rng.laplace(0, 1, (n, 4)))
    return np.where(rng.random((n, 4)) < 0.1, np.nan, values)


def one_time_pad(rng: Rng, data: Any, n: int) -> Any:
    """Two coins, each fair, whose agreement is the secret by randomized response."""
    coin = rng.integers(0, 2, n)
    return np.column_stack([coin, coin ^ data ^ (rng.random(n) < 1 / (1 + math.e))])


def octets(rng: Rng, data: Any, n: int) -> Any:
    sizes = np.maximum(0, data + rng.geometric(1 - math.exp(-1), n) - rng.geometric(1 - math.exp(-1), n))
    return [rng.bytes(size) for size in sizes.tolist()]


UNIT = np.eye(30)[3]
SMALL = [UNIT * 0.2, -UNIT * 0.1]
SHUFFLED = shuffled_masses(20, 2.0)

SOUND: tuple[Case, ...] = (
    Case("a dict of twenty", counts_by_key({}), {"k13": 4}, {"k13": 3}, PureDP(1)),
    Case("a sentence", sentence(1), 12, 13, PureDP(1)),
    Case("four hundred places", wide(400, 222, 1), 0, 1, PureDP(1)),
    Case("even steps for even counts", steps(2, 1), 10, 12, PureDP(1)),
    Case("a date", day(30), 0, 30, PureDP(1)),
    Case("response of thirty", words(STORES, math.e**2 / (math.e**2 + 29)), 0, 2, PureDP(2, CHANGE)),
    Case("shuffling at its own δ", shuffled(20, 2.0), 0, 1, ApproxDP("0.4", hockey_stick(SHUFFLED, 0.4) * (1 + 1e-9)), SHUFFLED),
    Case("a clipped step", gradient_step(1.0), [*SMALL, np.full(30, 0.6)], SMALL, GDP(1)),
    Case("sorted by the noise", ranking(by_truth=False), [3, 2, 1, 0, 0], [2, 3, 1, 0, 0], PureDP(2)),
    Case("sparse vector in letters", sparse(1), [0] * 8, [1] * 8, PureDP(1)),
    Case("Gaussian at its own δ", lambda r, d, n: rounded(d + r.normal(0, 1.2, n)), 0, 1, ApproxDP(1, gaussian_delta(1.2, 1) * (1 + 1e-9))),
    Case("Gaussian as zCDP", lambda r, d, n: rounded(d + r.normal(0, 2, n)), 0, 1, ZCDP("0.125")),
    Case("copies in other units", copied, 0, 1, PureDP(1)),
    Case("noisy metadata", metadata, 10, 11, PureDP(1)),
    Case("variance", variance, [0.0] * 5 + [1.0] * 5, [0.0] * 4 + [1.0] * 6, PureDP("0.1", CHANGE)),
    Case("an object", fitted, [0, 0, 0], [0, 1, 0], PureDP(1)),
    Case("NaN by chance", nan_by_chance, [0, 0, 0, 0], [0, 0, 1, 0], PureDP(1)),
    Case("a one-time pad", one_time_pad, 0, 1, PureDP(1, CHANGE)),
    Case("bytes of a noisy length", octets, 10, 11, PureDP(1)),
    Stateful("a numbered answer", numbered, 0, 1, PureDP(1)),
    Stateful("noise that grows", drifting, 0, 1, PureDP(1)),
)  # fmt: skip
