# ruff: noqa: E501 - a case is a line
"""Mechanisms that keep their claim, many of them exactly."""

import math
from typing import Any

import numpy as np

from dalenius.guarantees import GDP, ZCDP, ApproxDP, LossDistribution, PureDP, TradeOff, loss
from dalenius.neighbors import Relation
from tests.audit.corpus.broken import (
    exponential_masses,
    gaussian,
    geometric,
    geometric_masses,
    laplace,
    runs,
    sampled_count,
    sampled_masses,
)
from tests.audit.corpus.case import Case, gaussian_masses, laplace_masses, rounded

Rng = np.random.Generator


def response(values: int, epsilon: float) -> Any:
    stay = math.exp(epsilon) / (math.exp(epsilon) + values - 1)

    def law(rng: Rng, data: Any, n: int) -> Any:
        other = (data + rng.integers(1, values, n)) % values
        return np.where(rng.random(n) < stay, data, other)

    return law


def exponential(epsilon: float) -> Any:
    def law(rng: Rng, data: Any, n: int) -> Any:
        weights = np.exp(epsilon * np.asarray(data, float) / 2)
        return rng.choice(len(data), n, p=weights / weights.sum())

    return law


def noisy_max(rng: Rng, data: Any, n: int) -> Any:
    return np.argmax(np.asarray(data) + rng.laplace(0, 2, (n, len(data))), axis=1)


def histogram(rng: Rng, data: Any, n: int) -> Any:
    noise = rounded(rng.laplace(0, 1, (n, 3))).tolist()
    return [{key: data.get(key, 0) + z for key, z in zip("abc", row, strict=True)} for row in noise]


def clamped(rng: Rng, data: Any, n: int) -> Any:
    return np.clip(rounded(data + rng.laplace(0, 1, n)), 0, 3)


def in_words(rng: Rng, data: Any, n: int) -> Any:
    return ["many" if value > 2 else "few" if value > 0 else "none" for value in data + rng.laplace(0, 1, n)]


def noisy_suppression(rng: Rng, data: Any, n: int) -> Any:
    return [None if value < 5 else value for value in rounded(data + rng.laplace(0, 1, n)).tolist()]


def sometimes_nan(rng: Rng, data: Any, n: int) -> Any:
    return np.where(rng.random(n) < 0.05, np.nan, rounded(data + rng.laplace(0, 1, n)))


def responses_of_a_set(rng: Rng, data: Any, n: int) -> Any:
    """Each item of a fixed universe by randomized response; one person changes one item."""
    truth = np.array([item in data for item in "abcd"])
    flip = rng.random((n, 4)) < 1 / (1 + math.e)
    return [frozenset(k for k, shown in zip("abcd", row, strict=True) if shown) for row in (truth ^ flip).tolist()]


def halves(rng: Rng, data: Any, n: int) -> Any:
    return [(a, b) for a, b in rounded(data + rng.laplace(0, 2, (n, 2))).tolist()]


def vector(rng: Rng, data: Any, n: int) -> Any:
    return rounded(np.asarray(data) + rng.laplace(0, 2, (n, len(data))))


def mean(rng: Rng, data: Any, n: int) -> Any:
    return rounded(100 * (np.mean(data) + rng.laplace(0, 1 / len(data), n)))


def noisy_length(rng: Rng, data: Any, n: int) -> Any:
    sizes = np.maximum(0, data + rng.geometric(1 - math.exp(-1), n) - rng.geometric(1 - math.exp(-1), n))
    return [list(range(size)) for size in sizes.tolist()]


def truncated_laplace(rng: Rng, data: Any, n: int) -> Any:
    """Noise within 7, the rest drawn again: (1, δ) with the δ that its end has  [A Def 3.5]."""
    noise = rng.laplace(0, 1, 2 * n + 50)
    return rounded(data + noise[np.abs(noise) <= 7][:n])


def constant(rng: Rng, data: Any, n: int) -> Any:
    return ["the same"] * n


def fails_alike(rng: Rng, data: Any, n: int) -> Any:
    if n > 1:
        raise ValueError("one at a time")
    if rng.random() < 0.1:
        raise ValueError("try again")
    return [float(rounded(data + rng.laplace(0, 1)))]


SPARSE = [0] * 10 + [0], [1] * 10 + [-1]
CHANGE = Relation.CHANGE_ONE
END = (math.e - 1) * math.exp(-7) / (2 * (1 - math.exp(-7)))

SOUND: tuple[Case, ...] = (
    Case("Laplace", laplace(1), 0, 1, PureDP(1), laplace_masses(1, 0, 1), epsilon=1),
    Case("Laplace at ε = 3", laplace(1 / 3), 0, 1, PureDP(3), laplace_masses(1 / 3, 0, 1), epsilon=3),
    Case("Laplace on its exact loss", laplace(1), 0, 1, LossDistribution.of(loss.laplace(1)), laplace_masses(1, 0, 1)),
    Case("geometric", geometric(math.exp(-1)), 0, 1, PureDP(1), geometric_masses(math.exp(-1), 0, 1), epsilon=1),
    Case("Gaussian", gaussian(1), [0], [1], GDP(1), gaussian_masses(1, 0, 1)),
    Case("Gaussian as zCDP", gaussian(1), [0], [1], ZCDP("0.5"), gaussian_masses(1, 0, 1)),
    Case("Gaussian as (ε, δ)", gaussian(1), [0], [1], ApproxDP(1, GDP(1).delta(1)), gaussian_masses(1, 0, 1)),
    Case("Gaussian in four cells", gaussian(2), [0] * 4, [1] * 4, GDP(1)),
    Case("Gaussian as a trade-off", gaussian(1), [0], [1], TradeOff.of_guarantee(GDP(1)), gaussian_masses(1, 0, 1)),
    Case("randomized response", response(2, 1), 0, 1, PureDP(1, CHANGE), epsilon=1),
    Case("response of five values", response(5, 1), 0, 3, PureDP(1, CHANGE), epsilon=1),
    Case("exponential", exponential(1), [0, 1, 1], [1, 0, 0], PureDP(1), exponential_masses([0, 1, 1], [1, 0, 0], 0.5)),
    Case("noisy max", noisy_max, [0, 1, 0], [1, 0, 0], PureDP(1)),
    Case("histogram with fixed keys", histogram, {"a": 3, "b": 1}, {"a": 3}, PureDP(1)),
    Case("clamped", clamped, 1, 2, PureDP(1)),
    Case("in words", in_words, 1, 2, PureDP(1)),
    Case("suppression of noisy counts", noisy_suppression, 5, 4, PureDP(1)),
    Case("NaN at times", sometimes_nan, 0, 1, PureDP(1)),
    Case("responses of a set", responses_of_a_set, {"a", "b"}, {"a"}, PureDP(1, CHANGE)),
    Case("two releases at half", halves, 0, 1, PureDP(1)),
    Case("vector", vector, [0, 0, 0, 0], [1, -1, 0, 0], PureDP(1)),
    Case("mean, n public", mean, [1.0] * 9 + [0], [1.0] * 10, PureDP(1, CHANGE)),
    Case("noisy length", noisy_length, 3, 4, PureDP(1)),
    Case("truncated Laplace", truncated_laplace, 0, 1, ApproxDP(1, END * 1.0001)),
    Case("sampled count", sampled_count(0.5, 0.5), 1, 0, PureDP(math.log(1 + 0.5 * (math.e**2 - 1))), sampled_masses(0.5, 0.5)),
    Case("sparse vector", lambda r, d, n: runs(r, d, n, 2, 4, 1), *SPARSE, PureDP(1)),
    Case("a constant", constant, 0, 1, PureDP(1)),
    Case("an error that is drawn", fails_alike, 0, 1, PureDP(1)),
)  # fmt: skip
