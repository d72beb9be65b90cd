"""A mixture of products, fitted to noisy tables by weighted least squares.

P(x, y) = Σ_k w_ky Π_j θ_kj(x_j): K components, each with independent columns; y is the label of the target form, or a
single one. All pair tables of the model are one matrix product, Θᵀ diag(w_y) Θ, and the gradient is one more. Weighted
least squares is the likelihood of Gaussian noise. Two priors: every component's logits are drawn toward the mean of all
components, and along ordered columns toward their neighbors.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.synthesis.model.public_coins import PublicCoins

Floats = NDArray[np.float32]
_TINY = np.float32(1e-12)
_FIRST, _SECOND = 0.9, 0.99


@dataclass(frozen=True, slots=True)
class MixtureSettings:
    """How a mixture is fitted."""

    components: int
    fits: int
    steps: int
    pull: float
    """Strength of the prior toward the mean of the components."""
    smooth: float
    """Strength of the prior along ordered columns."""
    rate: float = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """How the levels of all columns lie side by side in one row of S numbers."""

    sizes: tuple[int, ...]
    ordered: tuple[bool, ...]

    @property
    def total(self) -> int:
        """S, the number of levels of all columns."""
        return sum(self.sizes)

    @property
    def starts(self) -> NDArray[np.intp]:
        """Where each column begins."""
        return np.cumsum((0, *self.sizes[:-1]))

    @property
    def owner(self) -> NDArray[np.intp]:
        """The column of each level."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def steps(self) -> NDArray[np.intp]:
        """The levels of ordered columns that follow another level of the same column."""
        own = self.owner
        along = np.flatnonzero((own[1:] == own[:-1]) & np.array(self.ordered)[own[1:]]) + 1
        return along.astype(np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Noisy tables as shares of all rows, and their precisions (1 / variance of a share); 0 where nothing is known."""

    pairs: Floats
    """(labels, S, S), symmetric."""
    pair_precision: Floats
    """(S, S), symmetric, 0 for two levels of one column."""
    ones: Floats
    """(labels, S)."""
    one_precision: Floats
    """(S,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Weights of the components for each label, and the law of every column in each component."""

    weights: Floats
    """(K, labels), with sum 1."""
    theta: Floats
    """(K, S): for each column a law over its levels."""

    def pairs(self) -> Floats:
        """All pair tables, (labels, S, S); the blocks of one column with itself mean nothing."""
        return np.stack([(self.theta * weight[:, None]).T @ self.theta for weight in self.weights.T])

    def ones(self) -> Floats:
        """All one-way tables, (labels, S)."""
        return self.weights.T @ self.theta


def fitted(evidence: Evidence, shape: Shape, settings: MixtureSettings, coins: PublicCoins) -> Mixture:
    """The average of several fits: their components side by side, each fit weighing the same."""
    parts = [_one_fit(evidence, shape, settings, coins) for _ in range(settings.fits)]
    weights = (np.concatenate([part.weights for part in parts]) / len(parts)).astype(np.float32)
    return Mixture(weights, np.concatenate([part.theta for part in parts]))


def misfit(mixture: Mixture, evidence: Evidence) -> float:
    """Minus twice the log likelihood of noisy tables, up to a constant."""
    pairs = evidence.pair_precision * (mixture.pairs() - evidence.pairs) ** 2
    ones = evidence.one_precision * (mixture.ones() - evidence.ones) ** 2
    return float(pairs.sum(dtype=np.float64) / 2 + ones.sum(dtype=np.float64))


def misfit_error(one: Mixture, other: Mixture, evidence: Evidence) -> float:
    """The standard error of the difference of two misfits over the noise of the evidence.

    Σ p(m₁ − y)² − Σ p(m₂ − y)² is linear in y, whose cells have variances 1/p: its variance is 4 Σ p(m₁ − m₂)².
    """
    pairs = evidence.pair_precision * (one.pairs() - other.pairs()) ** 2
    ones = evidence.one_precision * (one.ones() - other.ones()) ** 2
    return float(2 * np.sqrt(pairs.sum(dtype=np.float64) / 2 + ones.sum(dtype=np.float64)))


def _one_fit(evidence: Evidence, shape: Shape, settings: MixtureSettings, coins: PublicCoins) -> Mixture:
    state = _Adam(evidence, shape, settings, coins)
    for step in range(settings.steps):
        state.step(step)
    return Mixture(*state.laws())


class _Adam:
    """The parameters of one fit, their moments, and the arrays that every step uses again."""

    __slots__ = ("_evidence", "_moments", "_settings", "_shape", "_starts", "_steps", "_times", "logits", "tilt")

    def __init__(self, evidence: Evidence, shape: Shape, settings: MixtureSettings, coins: PublicCoins) -> None:
        self._evidence, self._shape, self._settings = evidence, shape, settings
        self._starts, self._steps = shape.starts, shape.steps
        self._times = np.array(shape.sizes)
        start, labels = start_of(evidence, shape), len(evidence.ones)
        spread = coins.normals(settings.components * shape.total).reshape(settings.components, -1)
        apart = 0.5 if settings.components > 1 else 0.0  # components that start alike stay alike
        self.logits = (np.log(start + 1e-6) + apart * spread).astype(np.float32)
        share = np.maximum(evidence.ones.sum(axis=1) / len(shape.sizes), 1e-6)
        self.tilt = np.tile(np.log(share / share.sum()), (settings.components, 1)).astype(np.float32)
        if labels > 1:
            noise = coins.normals(settings.components * labels).reshape(self.tilt.shape)
            self.tilt += (0.5 * noise).astype(np.float32)
        self._moments = [np.zeros_like(a) for a in (self.logits, self.logits, self.tilt, self.tilt)]

    def laws(self) -> tuple[Floats, Floats]:
        """Weights (K, labels) with sum 1, and θ with sum 1 in every column."""
        theta = np.exp(self.logits - self._columns(np.maximum.reduceat(self.logits, self._starts, axis=1)))
        theta /= self._columns(np.add.reduceat(theta, self._starts, axis=1))
        weights = np.exp(self.tilt - self.tilt.max())
        return weights / weights.sum(), theta

    def step(self, number: int) -> None:
        weights, theta = self.laws()
        by_theta, by_weight = self._gradients(weights, theta)
        inner = np.add.reduceat(by_theta * theta, self._starts, axis=1)
        slope = theta * (by_theta - self._columns(inner)) + self._prior()
        tilt = weights * (by_weight - np.sum(weights * by_weight))
        rate = np.float32(self._settings.rate * (1 - number / self._settings.steps))
        first, second, tilt_first, tilt_second = self._moments
        _moved(self.logits, slope, first, second, rate, number)
        _moved(self.tilt, tilt, tilt_first, tilt_second, rate, number)

    def _gradients(self, weights: Floats, theta: Floats) -> tuple[Floats, Floats]:
        """Of the misfit, by θ and by the weights."""
        known, by_theta, by_weight = self._evidence, np.zeros_like(theta), np.empty_like(weights)
        for label in range(weights.shape[1]):
            weighted = theta * weights[:, label, None]
            residual = weighted.T @ theta
            residual -= known.pairs[label]
            residual *= known.pair_precision
            singles = known.one_precision * (weights[:, label] @ theta - known.ones[label])
            pulled = theta @ residual
            by_weight[:, label] = 0.5 * np.einsum("ks,ks->k", pulled, theta) + theta @ singles
            pulled += singles
            pulled *= weights[:, label, None]
            by_theta += pulled
        return by_theta, by_weight

    def _prior(self) -> Floats:
        """The gradient of both priors: the mean of the components is part of what is differentiated, and drops out."""
        apart = self.logits - self.logits.mean(axis=0)
        slope: Floats = np.float32(self._settings.pull) * apart
        if self._settings.smooth and len(self._steps):
            jumps = np.float32(self._settings.smooth) * (apart[:, self._steps] - apart[:, self._steps - 1])
            slope[:, self._steps] += jumps
            slope[:, self._steps - 1] -= jumps
        return slope

    def _columns(self, by_column: Floats) -> Floats:
        """A number for each column, repeated for each of its levels."""
        repeated: Floats = np.repeat(by_column, self._times, axis=1)
        return repeated


def start_of(evidence: Evidence, shape: Shape) -> NDArray[np.float64]:
    """The noisy one-way tables, projected to laws."""
    ones = evidence.ones.sum(axis=0, dtype=np.float64)
    return np.concatenate([to_simplex(part) for part in np.split(ones, shape.starts[1:])])


def to_simplex(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The law nearest to some numbers in ℓ2.

    >>> to_simplex(np.array([0.6, 0.6, -0.2])).tolist()
    [0.5, 0.5, 0.0]
    """
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(values) + 1)
    last = np.flatnonzero(falling > excess)[-1]
    law: NDArray[np.float64] = np.maximum(values - excess[last], 0.0)
    return law


def _moved(values: Floats, slope: Floats, first: Floats, second: Floats, rate: np.float32, number: int) -> None:
    """One step of Adam, in place."""
    first *= np.float32(_FIRST)
    first += np.float32(1 - _FIRST) * slope
    second *= np.float32(_SECOND)
    second += np.float32(1 - _SECOND) * slope * slope
    scale = rate * np.float32(np.sqrt(1 - _SECOND ** (number + 1)) / (1 - _FIRST ** (number + 1)))
    values -= scale * first / (np.sqrt(second) + _TINY)
