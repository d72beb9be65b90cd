"""Rows of a mixture, some columns of which are given."""

import numpy as np
from numpy.typing import NDArray

from dalenius.synthesis.model.mixture import Mixture, Shape
from dalenius.synthesis.model.public_coins import PublicCoins
from dalenius.synthesis.model.sampling import Codes, drawn_levels

_CHUNK = 16_384
_LEAST = 1e-9


def rows_given(mixture: Mixture, shape: Shape, given: Codes, times: Codes, coins: PublicCoins) -> Codes:
    """For each row of `given`, the levels of the first columns, as many rows as `times` says: their other columns.

    A component is drawn by its weight given the known levels, w_k Π_j θ_kj(x_j), then the other columns within it.
    """
    components = np.concatenate(
        [
            _components(mixture, shape, given[start : start + _CHUNK], times[start : start + _CHUNK], coins)
            for start in range(0, len(given), _CHUNK)
        ]
        or [np.zeros(0, np.int64)]
    )
    order = np.argsort(components, kind="stable")
    levels = np.empty((len(components), len(shape.sizes)), np.int64)
    levels[order] = drawn_levels(mixture, shape, components[order], coins)
    return levels[:, given.shape[1] :]


def _components(mixture: Mixture, shape: Shape, given: Codes, times: Codes, coins: PublicCoins) -> Codes:
    chances = np.log(mixture.weights.sum(axis=1) + _LEAST)[None, :] + np.zeros((len(given), 1))
    for start, codes in zip(shape.starts.tolist(), given.T, strict=False):
        chances += np.log(mixture.theta[:, start + codes].T + _LEAST)
    chances = np.exp(chances - chances.max(axis=1, keepdims=True))
    ends: NDArray[np.float64] = np.cumsum(chances, axis=1)
    ends = ends / ends[:, -1:] + np.arange(len(given))[:, None]  # all laws end to end
    whose = np.repeat(np.arange(len(given)), times)
    places = np.searchsorted(ends.ravel(), whose + coins.uniforms(len(whose)), side="right")
    components: Codes = np.clip(places - whose * chances.shape[1], 0, chances.shape[1] - 1)
    return components
