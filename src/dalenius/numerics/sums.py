"""Sums of float64 vectors with proven ends, plain and in log space."""

import numpy as np
from numpy.typing import ArrayLike

from dalenius.errors import InvalidParameter
from dalenius.numerics.floats import Vector, down, exp_lower, exp_upper, log_lower, log_upper, up

_MOST_TERMS = 2**40
UNIT_ROUNDOFF = 2.0**-53


def sum_upper(values: ArrayLike, axis: int = -1) -> Vector:
    """Floats ≥ the sums along `axis`.

    In whatever order n floats are added, the error is at most (n−1)u/(1−(n−1)u) · Σ|x|  [Hig02, §4.2]. Applied to Σ|x|
    itself, the same bound gives Σ|x| ≤ (1 + 2nu)·computed. For n ≤ 2^40 both, and the roundings of the margin, stay
    below 1.01·nu·computed; the last step of `up` covers the final addition and a margin that underflowed. An overflow
    makes the end infinite; zeros sum to 0.
    """
    x, n = _checked(values, axis)
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.sum(x, axis=axis)
        absolute = np.sum(np.abs(x), axis=axis)
        end = total + 1.01 * n * UNIT_ROUNDOFF * absolute
        return np.where(absolute == 0, 0.0, np.where(np.isfinite(end), up(end), np.inf))


def sum_lower(values: ArrayLike, axis: int = -1) -> Vector:
    """Floats ≤ the sums along `axis`; the mirror of `sum_upper`, and never below 0 when no term is."""
    x, _ = _checked(values, axis)
    ends = -sum_upper(-x, axis)
    return np.where(np.all(x >= 0, axis=axis), np.maximum(ends, 0.0), ends)


def logsumexp_upper(exponents: ArrayLike, axis: int = -1) -> Vector:
    """Floats ≥ log Σ exp(x) along `axis`; −inf is a term of zero.

    With m the largest exponent, each step is a float above the real one: x − m, its exp, the sum, its log, and m added
    back. The sum is at least 1, so the log loses nothing.
    """
    x, shift = _shifted(exponents, axis)
    terms = exp_upper(np.minimum(up(x), 0.0))
    return _unshifted(up(shift + log_upper(sum_upper(terms, axis))), shift)


def logsumexp_lower(exponents: ArrayLike, axis: int = -1) -> Vector:
    """Floats ≤ log Σ exp(x) along `axis`; the mirror of `logsumexp_upper`, and never below the largest x."""
    x, shift = _shifted(exponents, axis)
    terms = exp_lower(np.where(x == 0.0, x, down(x)))
    ends = down(shift + log_lower(np.maximum(sum_lower(terms, axis), 1.0)))
    return _unshifted(np.maximum(ends, shift), shift)


def _checked(values: ArrayLike, axis: int) -> tuple[Vector, int]:
    x = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if np.any(np.isnan(x)):
        raise InvalidParameter("a sum needs numbers, got NaN")
    if x.shape[axis] > _MOST_TERMS:
        raise InvalidParameter(f"a sum is proved for at most 2^40 terms, got {x.shape[axis]}")
    return x, x.shape[axis]


def _shifted(exponents: ArrayLike, axis: int) -> tuple[Vector, Vector]:
    """Differences x − m rounded to nearest, and m; they are 0 where m is infinite, so as to stay numbers."""
    x, n = _checked(exponents, axis)
    largest = np.max(x, axis=axis) if n else np.full(np.sum(x, axis=axis).shape, -np.inf)
    m = np.expand_dims(largest, axis)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(np.isfinite(m), x - m, 0.0), largest


def _unshifted(ends: Vector, shift: Vector) -> Vector:
    """A largest exponent of ±inf is the whole sum."""
    return np.where(np.isinf(shift), shift, ends)
