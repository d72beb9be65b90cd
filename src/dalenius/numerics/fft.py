"""Convolutions of nonnegative float64 vectors by FFT, each with a proven bound on its error in every entry.

Assumed of scipy's real transforms of length N = 2^t, forward and back (`docs/theory/assumptions.md` has the proof for
pocketfft's radix-4 and radix-2 passes): with e = (1 + LEVEL)^t − 1,

    (F1) every output is within e·‖x‖₁ of the true one,        (F2) the outputs are within e·‖y‖₂ of the true y in ℓ2.

Each of the t levels multiplies by a twiddle (relative error √5·u for the product [BPZ07], at most 2u assumed for the
factor) and adds (u): 5.24u in all, for which LEVEL allows 8u. Inputs are first scaled by a power of two to a largest
entry in [1/2, 1) (`convolve`), or refused when large (`power`), so that underflow stays below the slack.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalenius.errors import AssumptionFailed, InvalidParameter
from dalenius.numerics.floats import Vector, exp_upper, log_upper, up
from dalenius.numerics.sums import UNIT_ROUNDOFF, sum_upper

LEVEL = 8 * UNIT_ROUNDOFF
PRODUCT = 2.25 * UNIT_ROUNDOFF
"""Above √5·u, the relative error of a complex product  [BPZ07, Thm 1]."""

_FLOOR = 2.0**-900
_SQUARE_FLOOR = 2.0**-500
"""Above the root of 2^40 squares lost to underflow."""
_LONGEST = 2**40
_MOST_FOLDS = 2**40


def convolve(a: ArrayLike, b: ArrayLike) -> tuple[Vector, float]:
    """Convolution of a and b, and a bound on the error of each entry: ((1+e)³(1+√5u) − 1)·‖a‖₂‖b‖₂  [Per03, Thm 5.1].

    By (F2) the computed spectra are within e of true in ℓ2, so by Cauchy–Schwarz their product is within ((1+e)²(1+√5u)
    − 1)·N‖a‖₂‖b‖₂ in ℓ1. The inverse transform divides by N, takes ℓ1 to ℓ∞ with norm 1, and by (F1) adds e times the
    ℓ1 norm of what it is given. True entries are ≥ 0, so clipping at 0 brings none further away.
    """
    from scipy import fft

    (first, i), (second, j) = _scaled(a, "a"), _scaled(b, "b")
    length = len(first) + len(second) - 1
    size = _power_of_two(length)
    spectrum = fft.rfft(first, size) * fft.rfft(second, size)
    values = np.maximum(fft.irfft(spectrum, size)[:length], 0.0)
    relative = _compound(3 * _levels(size) * LEVEL + PRODUCT)
    bound = _above(relative * _norm(first) * _norm(second))
    with np.errstate(over="ignore", under="ignore"):
        result = np.ldexp(values, i + j)
    if not np.all(np.isfinite(result)):
        raise InvalidParameter("the convolution is beyond the largest float; divide its factors by their sums")
    # Below the normal range the result and the bound are rounded once more, by half the smallest float each.
    return result, _above(math.ldexp(bound, i + j))


def power(a: ArrayLike, count: int, size: int) -> tuple[Vector, float]:
    """The `count`-fold convolution of `a` with itself, wrapped around modulo `size`, and a bound on each error.

    Entry j stands for the true entries j, j + size, j + 2·size… together: how much wraps around is the caller's bound.

    With e_k the error of the computed spectrum A at k and M = |A| + e‖a‖₁: |A_k^n − true| ≤ n·e_k·M_k^(n−1). Its mean
    over k is at most n·e·‖a‖₁·mean M^(n−1) by (F1), and n·e·‖a‖₂·√mean M^(2n−2) by (F2) and Cauchy–Schwarz: the smaller
    counts. The n − 1 products, in whatever order, add ((1+√5u)^(n−1) − 1)·|A_k|^n, and the inverse transform e times
    the mean of what it is given.
    """
    from scipy import fft

    vector = _nonnegative(a, "a")
    total = _total(vector, count, size)
    spectrum = fft.rfft(vector, size)
    values = np.maximum(fft.irfft(_raised(spectrum, count), size), 0.0)

    e = _compound(_levels(size) * LEVEL)
    modulus = np.sqrt(spectrum.real**2 + spectrum.imag**2) + _SQUARE_FLOOR
    largest = up(modulus + _above(e * total), 8)
    exponents = up(log_upper(largest) * (count - 1), 4)
    absolute = total * _mean(exp_upper(exponents), size)
    quadratic = _norm(vector) * math.sqrt(_mean(exp_upper(2 * exponents), size))
    products = _compound(count * PRODUCT + _levels(size) * LEVEL) * _mean(exp_upper(exponents) * largest, size)
    return values, _above(_above(count * e * min(absolute, quadratic)) + products + _FLOOR)


def verify(size: int = 4096) -> float:
    """Largest error of `convolve` over its bound, against exact integers; `AssumptionFailed` if that is above 1."""
    from flint import fmpz_poly

    steps = np.arange(1, size // 2 + 1)
    worst = 0.0
    for a, b in (((steps * 40503) % 65536, (steps * 30011) % 65521), (steps**0, steps**0), (steps % 2, steps[::-1])):
        values, bound = convolve(a.astype(np.float64), b.astype(np.float64))
        truth = fmpz_poly(a.tolist()) * fmpz_poly(b.tolist())
        error = max(abs(value - int(truth[k])) for k, value in enumerate(values.tolist()))
        worst = max(worst, error / bound)
    if not worst <= 1:
        raise AssumptionFailed(
            f"scipy.fft is off by {worst:.3g} times its assumed error at length {size}; see docs/theory/assumptions.md"
        )
    return worst


def _raised(spectrum: NDArray[np.complex128], count: int) -> NDArray[np.complex128]:
    """Powers by repeated squaring: unfolded, a tree of count − 1 products."""
    result, square, left = None, spectrum, count
    with np.errstate(under="ignore"):
        while left > 1:
            if left & 1:
                result = square if result is None else result * square
            square = square * square
            left >>= 1
        return square if result is None else result * square


def _mean(half: Vector, size: int) -> float:
    """Upper bound on the mean over a whole spectrum of what is given for its nonnegative frequencies."""
    doubled = 2 * float(sum_upper(half[1 : (size + 1) // 2])) + float(half[0]) + (float(half[-1]) if size > 1 else 0.0)
    return _above(doubled / size)


def _norm(vector: Vector) -> float:
    """Upper bound on ‖x‖₂."""
    with np.errstate(under="ignore"):
        return _above(math.sqrt(float(sum_upper(vector * vector))) + _SQUARE_FLOOR)


def _compound(exponent: float) -> float:
    """Upper bound on (1 + x₁)…(1 + x_m) − 1 for x ≥ 0 with sum `exponent`: at most e^s − 1 ≤ s + s² for s ≤ 1."""
    if exponent > 1:
        raise InvalidParameter(f"rounding errors grow past all bounds: {exponent:.3g} of the result; use fewer folds")
    return _above(exponent * (1 + exponent))


def _above(x: float) -> float:
    """A float above a result of at most eight roundings."""
    return float(up(x, 8))


def _scaled(x: ArrayLike, name: str) -> tuple[Vector, int]:
    vector = _nonnegative(x, name)
    exponent = math.frexp(float(np.max(vector)))[1]
    with np.errstate(under="ignore"):
        return np.ldexp(vector, -exponent), exponent


def _nonnegative(x: ArrayLike, name: str) -> Vector:
    vector = np.asarray(x, dtype=np.float64)
    if vector.ndim != 1 or not 1 <= len(vector) <= _LONGEST:
        raise InvalidParameter(f"{name} must be a vector of 1 to 2^40 numbers, got shape {vector.shape}")
    if not np.all((vector >= 0) & np.isfinite(vector)):
        raise InvalidParameter(f"{name} must hold finite numbers ≥ 0")
    return vector


def _total(vector: Vector, count: int, size: int) -> float:
    """‖a‖₁ rounded up, refused unless its powers stay in range: underflow is then absolute, and below 2^−900."""
    if not 1 <= count <= _MOST_FOLDS:
        raise InvalidParameter(f"count must lie in [1, 2^40], got {count}")
    if size != _power_of_two(size) or size < len(vector):
        raise InvalidParameter(f"size must be a power of two ≥ {len(vector)}, got {size}")
    total = float(sum_upper(vector))
    if total > 0 and count * math.log(total) > 40:
        raise InvalidParameter(f"a sums to {total}, whose power {count} is too large; divide it by its sum")
    return total


def _power_of_two(length: int) -> int:
    return 1 << max(length - 1, 0).bit_length()


def _levels(size: int) -> int:
    return size.bit_length() - 1
