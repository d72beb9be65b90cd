"""A density on a public grid, as a histogram or smoothed by a kernel, with bands that hold everywhere at once."""

import math
from dataclasses import dataclass

import numpy as np

from dalenius.calls import named_arguments
from dalenius.curator import Release
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.escape import escaped
from dalenius.inference.arguments import noisy_numbers, privacy_of
from dalenius.inference.noise import Floats, ReleaseNoise
from dalenius.inference.quantile import edges_of
from dalenius.inference.result import checked_level
from dalenius.inference.sampling import check_one_draw
from dalenius.numerics import Number, positive

_GRID = 2001
_RATES = 24


@dataclass(frozen=True, slots=True)
class DensityEstimate:
    """A density of the population between the first and the last edge, at some points, with a joint band.

    With probability at least `level`, over draws of people and noise, the truth lies in the band at every point. The
    truth is the mean density of each bin; with a bandwidth it is the density smoothed by the kernel, bin by bin.
    """

    points: Floats
    estimate: Floats
    lower: Floats
    upper: Floats
    level: float
    bandwidth: float | None
    rows: float
    privacy: str

    @escaped
    def __str__(self) -> str:
        kind = "histogram" if self.bandwidth is None else f"kernel of bandwidth {self.bandwidth:g}"
        return (
            f"density at {len(self.points)} points ({kind}), within a joint band of ± "
            f"{float((self.upper - self.lower).max()) / 2:.3g} at most ({100 * self.level:g} %, guaranteed), "
            f"n ≈ {self.rows:.4g}, from data released under {self.privacy}"
        )


@named_arguments
def density(release: Release, level: Number = 0.95, *, bandwidth: Number | None = None) -> DensityEstimate:
    """The density of a column from a noisy histogram, with a band that holds at all points at once  [A Ex 3.1].

    release: a histogram over `edges`, from `statistics.histogram`.
    level: how often the whole band holds, over draws of people and noise.
    bandwidth: half the width of a triangular kernel that smooths it; left out, the histogram itself.

    At each point the truth is θ = Σ a_j p_j, the mean of a(bin) over people in the range, a ≤ A. A θ stays in if
    |Σ a_j c_j − θ·Σ c_j| is within what people and noise can do. People: Bernstein's inequality with the variance
    θ(A − θ), the largest that a mean of θ allows  [BLM13, Thm 2.10]. Noise: Chernoff bounds on Σ a_j Z_j and Σ Z_j. All
    points share 1 − level evenly. Smoothing is post-processing: the kernel costs nothing  [A Prop 3.1].
    """
    check_one_draw(release)
    wanted = float(checked_level(level))
    numbers = noisy_numbers(release, None, "a density")
    edges, counts = edges_of(release), np.array([number.value for number in numbers])
    if edges.size != counts.size + 1:
        raise UnprovenClaim("a density needs a histogram over edges that meet: statistics.histogram(column, edges=…)")
    width = None if bandwidth is None else float(positive(bandwidth, "bandwidth"))
    points = (edges[1:] + edges[:-1]) / 2
    kernel = np.diag(1 / np.diff(edges)) if width is None else _smoothed(points, edges, width)
    total, noise = float(counts.sum()), numbers[0].noise
    if not math.isfinite(total):
        raise InvalidParameter("the counts of a histogram must be finite")
    lower, upper = _band(kernel, counts, noise, 1 - wanted)
    best = kernel @ np.maximum(counts, 0) / max(1.0, float(np.maximum(counts, 0).sum()))
    privacy = privacy_of(release)
    return DensityEstimate(points, np.clip(best, lower, upper), lower, upper, wanted, width, max(0.0, total), privacy)


def _smoothed(points: Floats, edges: Floats, width: float) -> Floats:
    """The mean of a triangular kernel around each point over each bin."""
    u = np.clip((edges[None, :] - points[:, None]) / width, -1.0, 1.0)
    below = np.where(u < 0, (1 + u) ** 2 / 2, 1 - (1 - u) ** 2 / 2)
    return np.asarray(np.diff(below, axis=1) / np.diff(edges)[None, :])


def _band(kernel: Floats, counts: Floats, noise: ReleaseNoise, doubt: float) -> tuple[Floats, Floats]:
    """The hull of the θ that stay in, at each point, on a fine grid and one step outward."""
    size, largest = len(kernel), kernel.max(axis=1)
    part = doubt / 2 / (size + 1)
    reach = np.array([_chernoff(noise, row, part) for row in kernel])
    reach_of_size = _chernoff(noise, np.ones(counts.size), part)
    total = float(counts.sum())
    most = max(0.0, total + reach_of_size)
    log = math.log(2 * size / (doubt / 2))
    theta = np.linspace(0.0, 1.0, _GRID)[None, :] * largest[:, None]
    linear = log * largest[:, None] / 3
    people = linear + np.sqrt(linear**2 + 2 * most * theta * (largest[:, None] - theta) * log)
    excess = np.abs((kernel @ counts)[:, None] - theta * total)
    stays = excess <= people + reach[:, None] + theta * reach_of_size
    first = np.where(stays.any(axis=1), stays.argmax(axis=1), 0)
    last = np.where(stays.any(axis=1), _GRID - 1 - stays[:, ::-1].argmax(axis=1), _GRID - 1)
    step = largest / (_GRID - 1)
    return np.maximum(0.0, first * step - step), np.minimum(largest, last * step + step)


def _chernoff(noise: ReleaseNoise, weights: Floats, beta: float) -> float:
    """A radius that |Σ weight·Z| exceeds with probability at most beta: the least (log(2/β) + Σ log E e^(s·w·Z))/s."""
    used = weights[weights > 0]
    top = min(noise.largest_rate, 30 / noise.spacing) / float(used.max())
    different, times = np.unique(np.round(used / used.max(), 12), return_counts=True)
    bounds = []
    for rate in top * np.geomspace(1e-3, 0.999, _RATES):
        grown = sum(
            int(often) * noise.log_mgf(float(rate * weight * used.max()) * (1 + 1e-11))
            for weight, often in zip(different.tolist(), times.tolist(), strict=True)
        )
        bounds.append((math.log(2 / beta) + grown) / rate)
    return float(min(bounds))
