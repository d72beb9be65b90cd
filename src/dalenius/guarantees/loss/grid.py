"""δ(ε) of a composition from tilted laws on one grid, folded by FFT, every error bounded.

With μ_s the tilted law of the sum, δ_f(ε) = e^(K(s) − sε)·E_s G(L − ε), G(x) = e^(−sx)(1 − e^(−x))₊ ≤ C(s) =
s^s/(s+1)^(s+1). All of this is positive, so errors are relative to δ however small it is, as long as s is near the
saddle point.

*Wrapping.* Folding modulo N puts mass that lies outside the window at a wrong point of it, where G is between 0 and
C(s): the error is at most C(s) times that mass, which Chernoff's bound on the tilted grid law itself limits: E_s
e^(u(L−c)) for u of both signs.

*FFT.* Each transform of length N = 2^k of a vector x has entries within e·‖x‖₁ of true, e = (1 + 8u)^k − 1
(`numerics.fft` states and checks it). If |φ_i − φ̃_i| ≤ e_i, the product of powers is off by at most
∏|φ̃_i|^(n_i)·(exp Σn_i·log(1 + e_i/|φ̃_i|) − 1); where ∏|φ̃_i|^(n_i) is below e^−90 it is put to 0, and costs (|φ̃| +
e)^n instead. The inverse transform takes the mean over k of these, and adds e·mean|∏|.

*Positions.* The place of an index is known within 16u·(Σ n_i·|origin_i| + |index|·h) and the grid laws' own shifts.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.guarantees.loss.bins import GridLaw
from dalenius.guarantees.loss.rounding import UNIT, WIDER, Uncertified, Vector

_LARGEST_FFT = 1 << 21
_NEGLIGIBLE = -90.0


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """The folded tilted law: masses at position start + j·step, each within `off`."""

    s: float
    step: float
    start: float
    masses: Vector
    off: float
    outside: float
    log_total: float
    position_error: float

    def sums(self, epsilon: float) -> tuple[float, float]:
        """Bounds on e^(K(s) − sε)·E_s G(L − ε) of this grid law, positions taken as written."""
        s = self.s
        first = min(max(0, math.floor((epsilon - self.start) / self.step)), len(self.masses))
        last = max(first, min(len(self.masses), math.ceil((epsilon + 80 / s - self.start) / self.step) + 2))
        x = self.start + self.step * np.arange(first, last) - epsilon
        x = np.maximum(x, 0.0)
        with np.errstate(under="ignore"):
            g = np.exp(-s * x) * -np.expm1(-x)
        total = float(g @ self.masses[first:last])
        most = math.exp(s * math.log(s) - (s + 1) * math.log1p(s)) * 1.0001
        error = self.off * float(np.sum(g)) + most * self.outside + math.exp(-80.0)
        error += total * (len(x) * UNIT + 32 * UNIT * (1 + s * (abs(epsilon) + abs(self.start))))
        peak = self.log_total - s * epsilon
        slack = 8 * UNIT * (abs(self.log_total) + s * abs(epsilon) + 4)
        above = math.exp(min(peak + slack, 700.0)) * (total + error * WIDER)
        below = math.exp(min(peak - slack, 700.0)) * max(0.0, total - error * WIDER)
        return below * (1 - 1e-15), above * (1 + 1e-15)


def folded(laws: list[tuple[GridLaw, int]], s: float, step: float, missing: float, tolerance: float) -> Folded:
    """The composition of grid laws, on a window that holds all but about `tolerance` of it."""
    centred = [_centred(law, step) for law, _ in laws]
    counts = [count for _, count in laws]
    position = math.fsum(
        count * (law.origin + step * middle) for (law, count), (middle, _, _) in zip(laws, centred, strict=True)
    )
    log_total = math.fsum(count * law.log_total for law, count in laws)
    size, low, outside = _window(centred, counts, tolerance)
    spectrum, error_sum = _product(centred, counts, size)
    masses = np.fft.irfft(spectrum, size)
    level = _level(size)
    off = (error_sum + level * (np.abs(spectrum).sum() * 2)) / size * WIDER
    masses = np.maximum(np.roll(masses, -low % size), 0.0)
    reach = math.fsum(
        count * (abs(law.origin) + step * abs(middle))
        for (law, count), (middle, _, _) in zip(laws, centred, strict=True)
    )
    slack = 16 * UNIT * (reach + step * size) + math.fsum(count * law.shift for law, count in laws)
    return Folded(s, step, position + step * low, masses, off, outside + missing, log_total, slack)


Centred = tuple[int, Vector, Vector]


def _centred(law: GridLaw, step: float) -> Centred:
    """(index nearest the mean, offsets from it in steps, masses)."""
    middle = round(float(law.index @ law.masses))
    return middle, (law.index - middle).astype(np.float64), law.masses


def _window(laws: list[Centred], counts: list[int], tolerance: float) -> tuple[int, int, float]:
    """(N, lowest index, bound on the tilted mass outside), from Chernoff bounds or all there is."""
    variance = sum(
        count * float(masses @ (offsets * offsets)) for (_, offsets, masses), count in zip(laws, counts, strict=True)
    )
    unit = math.sqrt(max(variance, 1e-4))
    reaches = []
    for sign in (-1.0, 1.0):
        best = sum(
            count * max(0.0, float(np.max(sign * offsets))) for (_, offsets, _), count in zip(laws, counts, strict=True)
        )
        for scale in (0.25, 0.5, 1.0, 2.0, 4.0, 6.0, 8.0):
            u = sign * scale / unit
            log_moment = sum(count * _log_moment(law, u) for law, count in zip(laws, counts, strict=True))
            best = min(best, (log_moment - math.log(tolerance / 2)) / abs(u))
        reaches.append(math.ceil(best) + 1)
    size = 1 << max(4, (reaches[0] + reaches[1] + 2).bit_length())
    if size > _LARGEST_FFT:
        raise Uncertified("the window needs too many points")
    spare = size - reaches[0] - reaches[1]
    return size, -reaches[0] - spare // 2, tolerance * 1.01


def _log_moment(law: Centred, u: float) -> float:
    """Upper bound on log Σ masses·e^(u·offset)."""
    _, offsets, masses = law
    exponents = u * offsets
    with np.errstate(under="ignore", divide="ignore"):
        if float(np.max(exponents)) < 600.0:
            return math.log1p(float(masses @ np.expm1(exponents)) + float(np.sum(masses)) - 1.0) + 1e-14
        logs = np.log(masses) + exponents
        top = float(np.max(logs))
        return math.log(float(np.sum(np.exp(logs - top)))) + top + 1e-12 * (1 + abs(top))


def _level(size: int) -> float:
    return math.expm1((size.bit_length() - 1) * math.log1p(8 * UNIT)) * 1.001


def _product(laws: list[Centred], counts: list[int], size: int) -> tuple[NDArray[np.complex128], float]:
    """∏ φ̃^n at the nonnegative frequencies, and a bound on the sum of its errors over all of them."""
    level = _level(size) + 4 * UNIT
    log_size: Vector = np.zeros(size // 2 + 1)
    spectra = []
    for (_, offsets, masses), count in zip(laws, counts, strict=True):
        wrapped = np.bincount(offsets.astype(np.int64) % size, weights=masses, minlength=size)
        spectrum = np.fft.rfft(wrapped)
        modulus = np.abs(spectrum)
        with np.errstate(divide="ignore"):
            log_size += count * np.log(modulus + 2 * level)
        spectra.append((spectrum, modulus))
    kept = np.flatnonzero(log_size > _NEGLIGIBLE)
    real, imaginary, off = (np.zeros(len(kept)) for _ in range(3))
    for (spectrum, modulus), count in zip(spectra, counts, strict=True):
        with np.errstate(divide="ignore"):
            log_modulus, angle = np.log(modulus[kept]), np.angle(spectrum[kept])
            real += count * log_modulus
            imaginary += count * angle
            off += count * (np.log1p(1.01 * level / modulus[kept]) + 16 * UNIT * (np.abs(log_modulus) + np.abs(angle)))
    product = np.zeros(size // 2 + 1, dtype=np.complex128)
    product[kept] = np.exp(real + 1j * imaginary)
    errors = np.where(off < 50.0, np.exp(real) * (np.expm1(np.minimum(off, 50.0)) + 16 * UNIT), np.exp(log_size[kept]))
    dropped = math.exp(_NEGLIGIBLE) * size
    return product, (2 * float(np.sum(errors)) + dropped) * WIDER
