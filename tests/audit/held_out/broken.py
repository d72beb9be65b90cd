# ruff: noqa: E501 - a case is a line
"""Broken mechanisms of kinds that tests/audit/corpus has not: no constant was chosen on them, features were."""

import decimal
import math
from typing import Any

import numpy as np

from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP
from dalenius.neighbors import Relation
from tests.audit.corpus.case import Case, gaussian_masses, laplace_masses, rounded
from tests.audit.held_out.kinds import (
    STORES,
    Model,
    Rng,
    Stateful,
    counts_by_key,
    day,
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


def wears_down(rng: Rng, data: Any, calls: int) -> float:
    """The noise shrinks with every call, to a third after four thousand."""
    return float(rounded(data + rng.laplace(0, max(1 / 3, 1 - calls / 6000))))


def repeats_its_noise(rng: Rng, data: Any, calls: int) -> float:
    """A generator that is seeded anew every fifty calls."""
    return float(data + np.random.default_rng(calls % 50).laplace(0, 1))


def cached(rng: Rng, data: Any, calls: int, kept: dict[Any, float] = {}) -> float:  # noqa: B006
    """The answer is kept under the data's own key, so asking again shows nothing new, and the key tells the data."""
    seed = int(rng.bit_generator.seed_seq.entropy)
    return kept.setdefault((seed, repr(data)), float(rounded(len(data) + rng.laplace(0, 1))))


def lattice_of_the_data(rng: Rng, data: Any, n: int) -> Any:
    """Rounded, after the noise, to multiples of the largest value there is."""
    grid = max(data)
    return np.rint((sum(data) + rng.laplace(0, 40, n)) / grid) * grid


def median_of_the_rows(rng: Rng, data: Any, n: int) -> Any:
    """An exponential mechanism that can only name values that somebody has."""
    z = np.sort(np.asarray(data, float))
    weights = np.exp(-np.abs(np.arange(len(z)) - (len(z) - 1) / 2) / 2)
    return rng.choice(z, n, p=weights / weights.sum())


def mean_by_group(rng: Rng, data: Any, n: int) -> Any:
    """NaN where a group has nobody."""
    out = []
    for row in rounded(rng.laplace(0, 1, (n, 6))).tolist():
        means = [np.mean(group) if group else math.nan for group in data]
        out.append(tuple(m + z for m, z in zip(means, row, strict=True)))
    return out


def one_noise_twice(rng: Rng, data: Any, n: int) -> Any:
    """Five sums; the noise of the second is used for the fourth again, doubled."""
    noise = rng.laplace(0, 1, (n, 5))
    noise[:, 3] = 2 * noise[:, 1]
    return rounded(np.asarray(data) + noise)


def noise_in_the_metadata(rng: Rng, data: Any, n: int) -> Any:
    value, jitter = rounded(data + rng.laplace(0, 1, n)).tolist(), rng.integers(0, 4, n).tolist()
    return [
        {"result": v, "meta": {"rows scanned": data + j, "engine": "v2"}} for v, j in zip(value, jitter, strict=True)
    ]


def octets(rng: Rng, data: Any, n: int) -> Any:
    """Random bytes, as many as there are people."""
    return [rng.bytes(data) for _ in range(n)]


def decimals(rng: Rng, data: Any, n: int) -> Any:
    return [decimal.Decimal(f"{value:.3f}") for value in data + rng.laplace(0, 0.5, n)]


def fitted(rng: Rng, data: Any, n: int) -> Any:
    return [Model(row) for row in rounded(np.asarray(data) + rng.laplace(0, 0.5, (n, 3)))]


def variance(rng: Rng, data: Any, n: int) -> Any:
    """Of ten values in [0, 1]: the sensitivity of a mean, less a half for being centred, which it does not have."""
    return rounded(1000 * (np.var(data) + rng.laplace(0, 1 / 25, n)))


def image(rng: Rng, data: Any, n: int) -> Any:
    """An 8 × 8 grid of counts of which one cell is bare of noise one time in four."""
    grid = rounded(rng.laplace(0, 1, (n, 8, 8)))
    grid[:, 5, 2] = np.where(rng.random(n) < 0.25, data, grid[:, 5, 2] + data)
    return list(grid)


def noisy_only_when_asked_nicely(rng: Rng, data: Any, n: int) -> Any:
    """Clamps to the data's own range after the noise."""
    return np.clip(rounded(np.mean(data) + rng.laplace(0, 1, n)), min(data), max(data))


def uneven(rng: Rng, data: Any, n: int) -> Any:
    """The sign of the noise has a bias towards the truth's parity."""
    side = np.where(rng.random(n) < (0.8 if data % 2 else 0.2), 1, -1)
    return rounded(data + side * rng.exponential(1, n))


def xor_of_two(rng: Rng, data: Any, n: int) -> Any:
    """Two fair coins whose agreement is the secret: neither tells anything alone."""
    coin = rng.integers(0, 2, n)
    wrong = rng.random(n) < 0.1
    return np.column_stack([coin, rng.integers(0, 2, n), coin ^ data ^ wrong])


UNIT = np.eye(30)[3]
SMALL = [UNIT * 0.2, -UNIT * 0.1]
SHUFFLED = shuffled_masses(20, 2.0)

BROKEN: tuple[Case, ...] = (
    Case("a bare key among twenty", counts_by_key({"k13": 0.4}), {"k13": 4}, {"k13": 3}, PureDP(1), laplace_masses(0.4, 4, 3)),
    Case("half the noise in a sentence", sentence(0.5), 12, 13, PureDP(1), laplace_masses(0.5, 12, 13)),
    Case("one place in a hundred", wide(100, 63, 0.4), 0, 1, PureDP(1), laplace_masses(0.4, 0, 1)),
    Case("one place in four hundred", wide(400, 222, 0.4), 0, 1, PureDP(1), laplace_masses(0.4, 0, 1)),
    Case("wrong parity", steps(2, 30), 10, 11, PureDP(1), ([1, 0], [0, 1])),
    Case("fifteens", steps(15, 2000), 10, 16, PureDP(1), ([1, 0], [0, 1])),
    Case("thin over a thousand places", lambda r, d, n: rounded(d + r.normal(0, 1, (n, 1000))), np.zeros(1000), np.full(1000, 0.08), GDP(1), gaussian_masses(1, 0, 0.08 * math.sqrt(1000))),
    Case("an int where nobody is missing", lambda r, d, n: [int(z) if None not in d else float(z) for z in r.geometric(0.1, n)], [1, 2], [1, None], PureDP(1), ([1, 0], [0, 1])),
    Case("tens", steps(10, 200), 10, 11, PureDP(1), ([1, 0], [0, 1])),
    Case("a date with half the noise", day(15), 0, 30, PureDP(1), laplace_masses(15, 0, 30)),
    Case("decimals with half the noise", decimals, 0, 1, PureDP(1), laplace_masses(0.5, 0, 1)),
    Case("an object with half the noise", fitted, [0, 0, 0], [0, 1, 0], PureDP(1), laplace_masses(0.5, 0, 1)),
    Case("response of four with the chance of two", words(STORES[:4], math.e / (1 + math.e)), 0, 2, PureDP(1, CHANGE), ([math.e / (1 + math.e), 1 / (1 + math.e)], [1 / (3 + 3 * math.e), 1 - 1 / (3 + 3 * math.e)])),
    Case("shuffling that promises too much", shuffled(20, 2.0), 0, 1, ApproxDP("0.4", hockey_stick(SHUFFLED, 0.4) / 4), SHUFFLED),
    Case("a step without clipping", gradient_step(None), [*SMALL, np.full(30, 0.6)], SMALL, GDP(1), gaussian_masses(1, 0, 0.6 * math.sqrt(30))),
    Case("sorted by the truth", ranking(by_truth=True), [3, 2, 1, 0, 0], [2, 3, 1, 0, 0], PureDP(2), ([1, 0], [0, 1])),
    Case("one answer more than the threshold pays for", sparse(4), [1] * 4 + [-1] * 4, [-1] * 4 + [1] * 4, PureDP(1)),
    Case("Gaussian with the noise of another δ", lambda r, d, n: rounded(d + r.normal(0, 1.19, n)), 0, 1, ApproxDP(1, "0.01"), gaussian_masses(1.19, 0, 1)),
    Case("zCDP of half the sensitivity", lambda r, d, n: rounded(d + r.normal(0, 0.55, n)), 0, 1, ZCDP("0.5"), gaussian_masses(0.55, 0, 1)),
    Case("rounded to the data's lattice", lattice_of_the_data, [1, 2, 7], [1, 2, 6], PureDP(1, CHANGE)),
    Case("median of the rows", median_of_the_rows, [1, 2, 3, 4, 5], [1, 2, 3, 4, 4.5], PureDP(1, CHANGE)),
    Case("NaN for an empty group", mean_by_group, [[1], [1], [1], [0, 1], [1], [1]], [[1], [1], [], [0, 1], [1], [1]], PureDP(1), ([1, 0], [0, 1])),
    Case("one noise twice", one_noise_twice, [0, 0, 0, 0, 0], [0, 1, 0, 0, 0], PureDP(1), ([1, 0], [0, 1])),
    Case("rows scanned", noise_in_the_metadata, 10, 11, PureDP(1), ([0.25, 0.75, 0], [0, 0.75, 0.25])),
    Case("as many bytes as people", octets, 10, 11, PureDP(1), ([1, 0], [0, 1])),
    Case("variance", variance, [0.0] * 5 + [1.0] * 5, [0.0] * 4 + [1.0] * 6, PureDP("0.1", CHANGE), laplace_masses(40, 250, 240)),
    Case("a grid with a bare cell", image, 0, 1, PureDP(1), ([0.25, 0.75, 0], [0, 0.75, 0.25])),
    Case("clamped to the data's range", noisy_only_when_asked_nicely, [0.0, 1.0], [0.0, 1.25], PureDP(1, CHANGE)),
    Case("a biased sign", uneven, 2, 3, PureDP(1)),
    Case("the agreement of two coins", xor_of_two, 0, 1, PureDP(1), ([0.9, 0.1], [0.1, 0.9])),
    Stateful("noise that wears down", wears_down, 0, 1, PureDP(1)),
    Stateful("noise that repeats", repeats_its_noise, 0.0, 0.5, PureDP(1), ([1, 0], [0, 1])),
    Stateful("a cached answer", cached, [1, 2, 3], [1, 2], PureDP(1), ([1, 0], [0, 1])),
)  # fmt: skip
