"""Several noisy tables of the same people, made to agree: one estimate with the covariance of what comes out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from dalenius.calls import named_arguments
from dalenius.curator import Release, ShownKey
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.arguments import check_same_people, noisy_numbers
from dalenius.inference.constrained import Constraints, covariance_under, nearest
from dalenius.inference.noise import Floats
from dalenius.inference.result import checked_level
from dalenius.numerics import Number, rational


@dataclass(frozen=True, slots=True)
class Combined:
    """Numbers that fit all that was released, and the covariance of their noise."""

    values: Floats
    covariance: Floats
    keys: tuple[tuple[Any, ...], ...] = ()
    unconstrained: Floats | None = None
    """The estimates before they were held at 0 or above: unbiased, where those are not."""

    @property
    def biased(self) -> bool:
        """Whether some number was held at 0: then `values` are too large there on average, and closer on the whole."""
        return self.unconstrained is not None and bool(np.any((self.values <= 0) & (self.unconstrained < 0)))

    @property
    def variances(self) -> Floats:
        """The variance of the noise of each number."""
        return np.asarray(np.diag(self.covariance))

    def total(self, weights: Sequence[float]) -> tuple[float, float]:
        """A weighted sum of the numbers, and its variance."""
        w = np.asarray(weights, np.float64)
        if w.shape != self.values.shape:
            raise InvalidParameter(f"there must be {self.values.size} weights, got {w.size}")
        return float(w @ self.values), float(w @ self.covariance @ w)

    def interval(self, level: Number = 0.95) -> list[tuple[float, float]]:
        """Ends for each number in the data, by the normal law: asymptotic, since the noise is a sum of many draws.

        Those of numbers held at 0 or above are those of the unbiased ones, cut at 0: a cut keeps what they hold.
        """
        z = float(special.ndtri((1 + float(checked_level(level))) / 2))
        reach = z * np.sqrt(self.variances)
        middle, least = (self.values, -np.inf) if self.unconstrained is None else (self.unconstrained, 0.0)
        low, high = (np.maximum(middle + side * reach, least) for side in (-1, 1))
        return list(zip(low.tolist(), high.tolist(), strict=True))


@named_arguments
def combine(*releases: Release, nonnegative: bool = False, total: Number | None = None) -> Combined:
    """One estimate of a table of counts from several releases of it and of its margins.

    releases: counts by keys, over the same people. The one with the most cells is the table; the others may have the
        same keys, some of them, or none (a total).
    nonnegative: True to hold every count at 0 or above.
    total: the number of all people, where that is public; the counts then add up to it.

    Generalised least squares: x = (AᵀWA)⁻¹AᵀWy, W the inverse variances, has the least variance of all unbiased linear
    estimates  [Ait36]. The same release twice is one draw of noise, and refused.
    """
    if len(releases) < 2:
        raise InvalidParameter("combine needs two releases or more")
    check_same_people(*releases)
    if len({(r.receipt.dataset, r.receipt.head) for r in releases}) != len(releases):
        raise InvalidParameter("the same release stands twice: its noise is one draw, and says nothing more")
    tables = [_table(release) for release in releases]
    names, cells, _, _ = max(tables, key=lambda table: len(table[1]))
    rows, values, variances = [], [], []
    for columns, keys, numbers, variance in tables:
        if not set(columns) <= set(names):
            raise UnprovenClaim(f"one table has keys {columns}, which {names} do not have: their cells do not add up")
        places = [names.index(column) for column in columns]
        for key, number in zip(keys, numbers, strict=True):
            rows.append([float(tuple(cell[at] for at in places) == key) for cell in cells])
            values.append(number)
            variances.append(variance)
    solved = least_squares(values, variances, rows, nonnegative=nonnegative, total=total)
    return replace(solved, keys=tuple(cells))


@named_arguments
def least_squares(
    values: Sequence[float],
    variances: Sequence[float],
    matrix: Sequence[Sequence[float]] | None = None,
    *,
    nonnegative: bool = False,
    total: Number | None = None,
    sums: Sequence[tuple[Sequence[float], float]] = (),
) -> Combined:
    """The numbers x that fit y = Ax + noise best: x = (AᵀWA)⁻¹AᵀWy, with covariance (AᵀWA)⁻¹  [Ait36].

    values: what was released.
    variances: the variance of the noise of each.
    matrix: how each value is made of the numbers, a row a value; without it all values measure one number.
    nonnegative: True to hold every number at 0 or above.
    total: what all numbers add up to, where that is public.
    sums: other sums that are public, each as weights and what they make.

    Known sums Cx = c take (CV)ᵀ(CVCᵀ)⁻¹CV of the covariance V: what comes out stays unbiased, and its covariance is
    exact. Numbers held at 0 are biased; the covariance is then that of the estimate before they were held there, which
    `unconstrained` has, and is what the intervals are made of.

    >>> least_squares([103, 95], [2, 8]).values
    array([101.4])
    """
    y, v = np.asarray(values, np.float64), np.asarray(variances, np.float64)
    design = np.ones((y.size, 1)) if matrix is None else np.asarray(matrix, np.float64)
    if y.ndim != 1 or v.shape != y.shape or design.ndim != 2 or design.shape[0] != y.size:
        raise InvalidParameter("there must be one variance and one row of the matrix for each value")
    if not (np.isfinite(y).all() and np.isfinite(design).all() and np.all(v > 0) and np.isfinite(v).all()):
        raise InvalidParameter("values must be finite, and variances above 0")
    weighed = design / v[:, None]
    information = design.T @ weighed
    if np.linalg.matrix_rank(design) < design.shape[1]:
        raise InvalidParameter("these values do not determine all numbers: leave some out, or measure more")
    inverse = np.linalg.inv(information)
    covariance: Floats = np.asarray((inverse + inverse.T) / 2, np.float64)
    solution = np.asarray(covariance @ (weighed.T @ y))
    whole = None if total is None else float(rational(total, "total"))
    held = Constraints.of(solution.size, False, whole, sums)
    free = np.ones(solution.size, np.bool_)
    unbiased, left = nearest(solution, covariance, held)[0], covariance_under(covariance, held, free)
    if not nonnegative:
        return Combined(unbiased, left)
    bounded = Constraints.of(solution.size, True, whole, sums)
    return Combined(nearest(solution, covariance, bounded)[0], left, unconstrained=unbiased)


@named_arguments
def project(values: Sequence[float], total: Number | None = None) -> Floats:
    """The nearest numbers that are not below 0 and, if a total is given, add up to it.

    values: estimates, such as those of `combine`.
    total: what they must add up to, if that is known.

    By Euclidean distance: max(0, x − t) for the one t that meets the total  [HWC74]. It is post-processing: smaller
    error, but no longer unbiased.

    >>> project([12, -3, 5, 1, -7, 20], 25).tolist()
    [8.0, 0.0, 1.0, 0.0, 0.0, 16.0]
    """
    x = np.asarray(values, np.float64)
    if x.ndim != 1 or not x.size or not np.isfinite(x).all():
        raise InvalidParameter("values must be a vector of finite numbers")
    if total is None:
        return np.asarray(np.maximum(x, 0.0))
    whole = float(rational(total, "total"))
    if whole < 0:
        raise InvalidParameter(f"numbers that are not below 0 cannot add up to {total}")
    down = np.sort(x)[::-1]
    shifts = (np.cumsum(down) - whole) / np.arange(1, x.size + 1)
    last = int(np.flatnonzero(down - shifts >= 0)[-1]) if np.any(down - shifts >= 0) else 0
    return np.asarray(np.maximum(x - shifts[last], 0.0))


_Table = tuple[tuple[str, ...], list[tuple[Any, ...]], list[float], float]


def _table(release: Release) -> _Table:
    """Names of the keys, the keys, the counts and the variance of their noise."""
    numbers = noisy_numbers(release, None, "combine", counts=False)
    variance = numbers[0].noise.variance
    counted = [number.value for number in numbers]
    keys = release.outcome.keys
    if keys is None:
        return (), [()], counted, variance
    names = dict(enumerate(keys.columns)) | {i.key: i.name for i in release.outcome.shown if isinstance(i, ShownKey)}
    rows = [tuple(keys.rows[row]) for row in release.outcome.rows().tolist()]
    if len(rows) != len(keys.rows):
        raise UnprovenClaim("an answer that does not show every key does not add up")
    return tuple(names[place] for place in range(len(keys.columns))), rows, counted, variance
