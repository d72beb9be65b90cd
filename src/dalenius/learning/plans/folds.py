"""Rows drawn into parts, and private scores of what was learned from the others."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.mechanisms import Geometric, calibrate
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits, UniformInteger
from dalenius.numerics import Number


def drawn_parts(rows: int, parts: int, bits: Bits) -> NDArray[np.int64]:
    """Each row's part, uniform, by a draw of its own: what one row gets does not depend on the others."""
    return UniformInteger(parts).sample(bits, rows)


def noisy_hits(model: Any, X: Any, y: Any, epsilon: Number, relation: Relation, bits: Bits) -> tuple[int, int]:
    """(right, wrong) predictions of a model on private rows, each with noise, for ε in all  [A Ex 3.4].

    A row is in one of the two cells, so one row moves them by 1 in ℓ1, a changed one by 2.
    """
    predicted = model.predict(X) if len(y) else np.zeros(0)
    right = sum(_same(a, b) for a, b in zip(np.asarray(predicted).tolist(), np.asarray(y).tolist(), strict=True))
    moved = Sensitivity(1 if relation is Relation.ADD_REMOVE else 2, Metric.L1)
    mechanism = calibrate(Geometric, moved, epsilon=epsilon)
    noisy = mechanism.release(np.array([right, len(y) - right], np.int64), bits)
    return int(noisy[0]), int(noisy[1])


def _same(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:
        return False


def taken(X: Any, mask: NDArray[np.bool_]) -> Any:
    """The rows of a frame or an array."""
    return X[mask] if not hasattr(X, "iloc") else X.iloc[np.flatnonzero(mask)]


def whole(value: Any, name: str, least: int) -> int:
    """A whole number, refused below `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidParameter(f"{name} must be a whole number ≥ {least}, got {value!r}")
    return int(value)
