"""What mechanisms of the held-out cases return, and the laws behind them; sound and broken ones share them."""

import datetime
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from tests.audit.corpus.case import Case, rounded

Rng = np.random.Generator
KEYS = [f"k{number:02}" for number in range(20)]
STORES = [f"store {number}" for number in range(30)]


@dataclass(frozen=True)
class Stateful(Case):
    """A case whose mechanism remembers: `law(rng, data, calls)` is one output at the given number of calls."""

    def mechanism(self, seed: int) -> Any:
        rng, calls = np.random.default_rng(seed), [0]

        def run(data: Any) -> Any:
            calls[0] += 1
            return self.law(rng, data, calls[0])

        return run


class Model:
    """An object without a form of its own, as a fitted estimator is."""

    def __init__(self, weights: Any) -> None:
        self.weights = weights


def counts_by_key(scales: dict[str, float]) -> Callable[..., Any]:
    """A dict of twenty noisy counts, the scale of each 1 unless given."""
    spread = np.array([scales.get(key, 1.0) for key in KEYS])

    def law(rng: Rng, data: Any, n: int) -> Any:
        noise = rounded(rng.laplace(0, 1, (n, len(KEYS))) * spread).tolist()
        return [{key: data.get(key, 0) + z for key, z in zip(KEYS, row, strict=True)} for row in noise]

    return law


def sentence(scale: float) -> Callable[..., Any]:
    """A noisy number in a sentence."""

    def law(rng: Rng, data: Any, n: int) -> Any:
        return [f"about {value:.2f} people (rounded)" for value in data + rng.laplace(0, scale, n)]

    return law


def wide(width: int, at: int, scale: float) -> Callable[..., Any]:
    """A vector with Laplace noise, of its own scale at one place; `data` is what stands there."""

    def law(rng: Rng, data: Any, n: int) -> Any:
        values = rng.laplace(0, 1, (n, width))
        values[:, at] = data + values[:, at] * scale
        return rounded(values)

    return law


def steps(multiple: int, scale: float) -> Callable[..., Any]:
    """A whole number plus a multiple of geometric noise."""
    ratio = math.exp(-1 / scale)

    def law(rng: Rng, data: Any, n: int) -> Any:
        return data + multiple * (rng.geometric(1 - ratio, n) - rng.geometric(1 - ratio, n))

    return law


def day(scale: float) -> Callable[..., Any]:
    """A noisy date."""
    start = datetime.date(2020, 1, 1)

    def law(rng: Rng, data: Any, n: int) -> Any:
        return [start + datetime.timedelta(days=d) for d in np.rint(data + rng.laplace(0, scale, n)).tolist()]

    return law


def words(labels: list[str], stay: float) -> Callable[..., Any]:
    """Randomized response over labels."""

    def law(rng: Rng, data: Any, n: int) -> Any:
        other = (data + rng.integers(1, len(labels), n)) % len(labels)
        return [labels[k] for k in np.where(rng.random(n) < stay, data, other).tolist()]

    return law


def shuffled(people: int, epsilon: float) -> Callable[..., Any]:
    """Sorted local responses of people, all of whom but one have 0; `data` is the one's bit."""
    flip = 1 / (1 + math.exp(epsilon))

    def law(rng: Rng, data: Any, n: int) -> Any:
        return rng.binomial(people - 1, flip, n) + (rng.random(n) < (1 - flip if data else flip))

    return law


def shuffled_masses(people: int, epsilon: float) -> tuple[Any, Any]:
    flip = 1 / (1 + math.exp(epsilon))
    rest = binom.pmf(np.arange(people), people - 1, flip)
    told = []
    for one in (1 - flip, flip):
        told.append(np.append(rest * (1 - one), 0.0) + np.append(0.0, rest * one))
    return told[0], told[1]


def hockey_stick(masses: tuple[Any, Any], epsilon: float) -> float:
    """The exact δ at ε of two written laws."""
    p, q = masses
    growth = math.exp(epsilon)
    return max(float(np.maximum(p - growth * q, 0).sum()), float(np.maximum(q - growth * p, 0).sum()))


def gaussian_delta(sigma: float, epsilon: float) -> float:
    """δ of a Gaussian with sensitivity 1, in closed form [BW18]."""
    a, b = 1 / (2 * sigma), epsilon * sigma
    return float(ndtr(a - b) - math.exp(epsilon) * ndtr(-a - b))


def gradient_step(clip: float | None) -> Callable[..., Any]:
    """A sum of gradients in thirty dimensions with noise 1, each clipped to a norm unless `clip` is None."""

    def law(rng: Rng, data: Any, n: int) -> Any:
        total = np.zeros(30)
        for gradient in data:
            norm = float(np.linalg.norm(gradient))
            total += gradient if clip is None else gradient * min(1.0, clip / norm)
        return rounded(total + rng.normal(0, 1, (n, 30)))

    return law


def ranking(by_truth: bool) -> Callable[..., Any]:
    """(key, noisy count) of five keys, sorted by the true counts or by the noisy ones."""

    def law(rng: Rng, data: Any, n: int) -> Any:
        out = []
        for row in rounded(np.asarray(data) + rng.laplace(0, 1, (n, len(data)))).tolist():
            rank = data if by_truth else row
            order = sorted(range(len(data)), key=lambda k, r=rank: -r[k])
            out.append([(KEYS[k], row[k]) for k in order])
        return out

    return law


def sparse(allowed: int) -> Callable[..., Any]:
    """Above threshold with the noise of one positive answer, which ends after `allowed`."""

    def law(rng: Rng, answers: Any, n: int) -> Any:
        rho, nu = rng.laplace(0, 2, (n, 1)), rng.laplace(0, 4, (n, len(answers)))
        above = (np.asarray(answers) + nu >= rho).tolist()
        out = []
        for row in above:
            told: list[str] = []
            for said in row:
                told.append("T" if said else "_")
                if told.count("T") == allowed:
                    break
            out.append("".join(told))
        return out

    return law
