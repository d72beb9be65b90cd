"""Rows that try to break a bound, shared by the tests of learning."""

import numpy as np

FEATURES = 4


def rows(seed: int = 0, count: int = 40) -> np.ndarray:
    """Ordinary rows and hostile ones: huge, NaN, infinite, subnormal, duplicated, on the corners, along an axis."""
    rng = np.random.default_rng(seed)
    usual = rng.uniform(-1.5, 1.5, (count, FEATURES))
    hostile = np.array(
        [
            [1e308, -1e308, 1e308, -1e308],
            [np.nan] * 4,
            [np.inf, -np.inf, np.nan, 0.0],
            [5e-324, -0.0, 0.0, -5e-324],
            [1.0, 1.0, 1.0, 1.0],
            [-1.0, -1.0, -1.0, -1.0],
            [1.0, 0.0, 0.0, 0.0],
            [np.nextafter(1, 0), -np.nextafter(1, 2), 1 / 3, 0.1],
        ]
    )
    top = np.linalg.eigh(usual.T @ usual)[1][:, -1]
    return np.vstack([usual, usual[:3], hostile, 10 * top, -10 * top])


def labels(count: int, seed: int = 0) -> np.ndarray:
    """0, 1, and rows that say nothing."""
    return np.random.default_rng(seed + 1).choice([0.0, 1.0, np.nan], count, p=[0.45, 0.45, 0.1])
