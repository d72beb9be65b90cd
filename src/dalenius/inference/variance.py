"""The variance of a population whose values are held in public bounds."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from dalenius.calls import named_arguments
from dalenius.curator import Measured, Release, Shown
from dalenius.curator.formula import Formula, Held, IfPositive, Minus, Number, Ratio, Root, Times
from dalenius.errors import UnknownName, UnprovenClaim
from dalenius.inference.arguments import check_not_picked, key_label, privacy_of
from dalenius.inference.mean import chernoff_ends, hull
from dalenius.inference.noise import Floats, ReleaseNoise
from dalenius.inference.result import Estimate, checked_level
from dalenius.inference.sampling import check_one_draw
from dalenius.inference.summary import Summary
from dalenius.numerics import Number as Given

_ABOUT = (0.0, 0.5, 1.0)


@named_arguments
def variance(
    release: Release, level: Given = 0.95, *, column: str | None = None, key: Any = None, guaranteed: bool = False
) -> Estimate:
    """The variance of a population, values held in public bounds, or its standard deviation where that was released.

    release: a release of `statistics.variance` or `std`, or VARIANCE, VAR_POP, STDDEV in SQL.
    level: how often the interval holds the population's variance, over draws of people and noise.
    column: which variance, where the answer shows several.
    key: whose variance, where the answer has one for each key; (None,) is the group whose key is NULL.
    guaranteed: True for an interval that is proved at every sample size, and wider.

    v stays in if |v̂ − v| is within z standard errors: those of the noise, by its gradient, and that of people,
    v(M² − v)/n with M the larger distance of the mean from a bound, which no law on the bounds exceeds: (x − μ)² lies
    in [0, M²] and has the mean v [BD00]. With `guaranteed`, ends of the mean and of mean squares about three points
    that hold at every sample size all at once, and what they leave of v = E(x − c)² − (E x − c)²  [Hoe63].
    """
    check_not_picked(release)
    check_one_draw(release)
    wanted = float(checked_level(level))
    item, width, root = _variance_column(release, column)
    moments = _moments(release, item, key)
    low, high = (_guaranteed if guaranteed else _score)(moments, wanted)
    quantity, limit, scale = "variance", width**2 / 4, width**2
    estimate = moments.estimate
    if root:
        quantity, limit, scale = "standard deviation", width / 2, width
        estimate, low, high = (math.sqrt(max(0.0, one)) for one in (estimate, low, high))
    return Estimate(
        estimate=scale * estimate,
        interval=(scale * low, scale * high),
        level=wanted,
        method="guaranteed ends of both moments" if guaranteed else "noise-aware score, largest fourth moment",
        coverage="guaranteed" if guaranteed else "asymptotic",
        target="clamped population",
        quantity=quantity,
        rows=max(0.0, moments.size),
        privacy=privacy_of(release),
        limits=(0.0, limit),
    )


@dataclass(frozen=True, slots=True)
class _Moments:
    """The number of people, Σt and Σt² as sums of noisy parts and a constant, t the place of a value in its bounds."""

    parts: Floats
    noises: tuple[ReleaseNoise, ...]
    weights: Floats
    """A row each for the number, Σt and Σt²."""
    constants: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def size(self) -> float:
        """The noisy number of people, or the public one."""
        return float(self.weights[0] @ self.parts) + self.constants[0]

    @property
    def first(self) -> float:
        """The noisy mean of t, held in [0, 1]."""
        return min(1.0, max(0.0, (float(self.weights[1] @ self.parts) + self.constants[1]) / max(self.size, 1.0)))

    @property
    def estimate(self) -> float:
        """Its variance, what noise and sampling take of it given back: m̂² is too large by the variance of m̂."""
        n, m = max(self.size, 2.0), self.first
        spread = (float(self.weights[2] @ self.parts) + self.constants[2]) / n - m * m
        return min(0.25, max(0.0, n / (n - 1) * (spread + self._noise(self.weights[1] - m * self.weights[0]))))

    @property
    def noise_variance(self) -> float:
        """That of the noise in the estimate, whose gradient is (∂Σt² − 2m·∂Σt + (m² − v)·∂n)/n."""
        count, first, second = self.weights
        m, v = self.first, self.estimate
        return self._noise(second - 2 * m * first + (m * m - v) * count)

    def _noise(self, weights: Floats) -> float:
        return float(weights**2 @ np.array([noise.variance for noise in self.noises])) / max(self.size, 1.0) ** 2

    def mean(self) -> Summary:
        """That of t, in [0, 1]."""
        return self._summary(np.array([0.0, 1.0, 0.0]), 1.0)

    def mean_square(self, about: float) -> Summary:
        """That of (t − c)², which lies in [0, max(c, 1 − c)²]."""
        return self._summary(np.array([about**2, -2 * about, 1.0]), max(about, 1 - about) ** 2)

    def _summary(self, mixed: Floats, most: float) -> Summary:
        return Summary(
            self.parts,
            self.noises,
            mixed @ self.weights,
            self.weights[0],
            0.0,
            most,
            total_constant=float(mixed @ np.array(self.constants)),
            count_constant=self.constants[0],
        )


def _score(moments: _Moments, level: float) -> tuple[float, float]:
    if moments.size < 2:
        return 0.0, 0.25
    z = float(special.ndtri((1 + level) / 2))
    most, n = max(moments.first, 1 - moments.first) ** 2, moments.size

    def margin(v: Floats) -> Floats:
        spread = np.maximum(v * (most - v), 0.0) / n + moments.noise_variance
        return np.asarray(z**2 * spread - (moments.estimate - v) ** 2)

    return hull(margin, 0.0, 0.25, moments.estimate)


def _guaranteed(moments: _Moments, level: float) -> tuple[float, float]:
    """The range of v = E(t − c)² − (E t − c)² over guaranteed ends of both, for c = 0, ½ and 1 at once."""
    each = 1 - (1 - level) / (1 + len(_ABOUT))
    a, b = chernoff_ends(moments.mean(), each)
    low, high = 0.0, 0.25
    for about in _ABOUT:
        least, most = chernoff_ends(moments.mean_square(about), each)
        nearest = 0.0 if a <= about <= b else min(abs(a - about), abs(b - about))
        low = max(low, least - max(abs(a - about), abs(b - about)) ** 2)
        high = min(high, most - nearest**2)
    return low, max(low, high)


def _variance_column(release: Release, column: str | None) -> tuple[Shown, float, bool]:
    """The variance asked for, the width of its bounds, and whether the root of it was released."""
    shapes = {item.name: (item, *shape) for item in release.outcome.numbers if (shape := _shape(item.formula))}
    if column is not None and column not in shapes:
        raise UnknownName(f"the answer has no variance called {column!r}")
    wanted = [column] if column is not None else list(shapes)
    if len(wanted) != 1:
        raise UnprovenClaim(
            "a variance needs a release of one: statistics.variance, or VARIANCE(x) in SQL; say which with column= "
            "where there are several"
        )
    return shapes[wanted[0]]


def is_variance(formula: Formula) -> bool:
    """Whether a formula is a variance, or the root of one."""
    return _shape(formula) is not None


def _shape(formula: Formula) -> tuple[float, bool] | None:
    """The width of the bounds of a variance, and whether its root was released; None of any other formula."""
    if isinstance(formula, Root):
        inner = _shape(formula.of)
        return None if inner is None else (inner[0], True)
    if isinstance(formula, IfPositive) and isinstance(formula.then, Times):  # SQL's, divided by one row less
        return _shape(formula.then.left)
    if isinstance(formula, Held) and formula.low == 0 and isinstance(formula.of, Times):
        factor, inner_formula = formula.of.left, formula.of.right
        if isinstance(factor, Number) and isinstance(inner_formula, Held) and len(formula.names) == 3:
            return math.sqrt(float(factor.number)), False
        if isinstance(factor, Number) and isinstance(inner_formula, Minus) and len(formula.names) == 2:
            return 2 * math.sqrt(float(factor.number)), False
    return None


def _moments(release: Release, item: Shown, key: Any) -> _Moments:
    keys, rows = release.outcome.keys, release.outcome.rows().tolist()
    row = rows[0] if rows else 0
    if keys is not None:
        labels = {(keys.rows[place][0] if len(keys.rows[place]) == 1 else keys.rows[place]): place for place in rows}
        row = labels[key_label(key, list(labels), "variance")]
    columns = [c for c in release.outcome.columns if isinstance(c, Measured) and c.name in item.formula.names]
    parts = np.array([float(c.values[row]) for c in columns])
    noises = tuple(ReleaseNoise.of(c.mechanism, c.lattice.step) for c in columns)
    if len(columns) == 2:
        n = _public_rows(item.formula)
        weights = np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 0.25]])  # of s = 2t − 1 and s²
        return _Moments(parts, noises, weights, (n, n / 2, n / 4))
    weights = np.array([[1.0, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 1.0]])  # of (1 − t)², 2t(1 − t) and t²
    return _Moments(parts, noises, weights * _rows_a_part(release, item))


def _rows_a_part(release: Release, item: Shown) -> float:
    """How many rows one unit of the parts together stands for: 1 in `statistics`, else as some count in the answer."""
    formula = item.formula.of if isinstance(item.formula, Root) else item.formula
    if all(name.startswith(f"{item.name}.sum") for name in formula.names):
        return 1.0
    counts = [formula.test] if isinstance(formula, IfPositive) else []
    counts += [other.formula.whole for other in release.outcome.numbers if isinstance(other.formula, Ratio)]
    for count in counts:
        form = count.linear()
        if form is not None and {name for name, _ in form.terms} == set(formula.names):
            return float(form.terms[0][1])
    raise UnprovenClaim("the answer does not say how many rows it has: ask for VARIANCE(x), or for AVG(x) beside it")


def _public_rows(formula: Formula) -> float:
    """The n of w²/4·(Σs²/n − (Σs/n)²)."""
    formula = formula.of if isinstance(formula, Root) else formula
    inner = formula.of.right.left.left  # type: ignore[attr-defined]
    return float(1 / inner.number)
