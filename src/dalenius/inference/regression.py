"""Slopes of a linear regression, from noisy sums of products."""

import math
from typing import Any

import numpy as np
from scipy import special

from dalenius.calls import named_arguments
from dalenius.curator import Measured, Release
from dalenius.curator.formula import Number as Constant
from dalenius.curator.formula import Times
from dalenius.errors import InvalidParameter, UnknownName, UnprovenClaim
from dalenius.inference.arguments import check_not_picked, privacy_of, short_guarantee
from dalenius.inference.noise import Floats, ReleaseNoise
from dalenius.inference.result import Estimate, checked_level
from dalenius.inference.sampling import check_one_draw
from dalenius.numerics import Number


@named_arguments
def regression(
    release: Any, target: str | None = None, level: Number = 0.95, *, name: str = "covariance"
) -> dict[str, Estimate]:
    """The slopes of the linear regression of one column on the others, each with an interval.

    release: a release of `statistics.covariance` of the target and the features; or a fitted
        `learning.LinearRegression`, which tells its noise and sampling errors.
    target: the column that is explained, the others explain it; of a model it is left out.
    level: how often each interval holds the population's slope.
    name: what the release was called, if not "covariance".

    β = A⁻¹c from the noisy sums of products, without a ridge, so without its bias. Its covariance is A⁻¹(σ²A + Σ)A⁻¹:
    that of sampling, σ² the residual variance, and Σ of the noise, each of which moves c − Aβ along a known vector.
    Asymptotic: as the noise gets small against A.
    """
    wanted = float(checked_level(level))
    if not isinstance(release, Release):
        return _of_model(release, target, wanted)
    if target is None:
        raise InvalidParameter("say which column is explained: regression(release, target)")
    check_not_picked(release)
    check_one_draw(release)
    sums, halves = _sums(release, name)
    columns = list(halves)
    if target not in columns:
        raise UnknownName(f"there is no column {target!r} in the release; there are {', '.join(columns)}")
    features = [column for column in columns if column != target]
    if not features:
        raise InvalidParameter("a regression needs a feature beside the target")
    slopes, covariance = _solved(sums, features, target)
    z = float(special.ndtri((1 + wanted) / 2))
    size = sums["count"][0]
    estimates = {}
    for place, feature in enumerate(features, start=1):
        unit = halves[target] / halves[feature]
        slope, reach = unit * float(slopes[place]), z * unit * math.sqrt(max(0.0, float(covariance[place, place])))
        estimates[feature] = Estimate(
            estimate=slope,
            interval=(slope - reach, slope + reach),
            level=wanted,
            method="least squares on noisy sums, noise-aware covariance",
            coverage="asymptotic",
            target="clamped population",
            quantity=f"slope of {target} on {feature}",
            rows=max(0.0, size),
            privacy=privacy_of(release),
        )
    return estimates


def _of_model(model: Any, target: str | None, level: float) -> dict[str, Estimate]:
    """The coefficients of a fitted model without the shrinkage of its ridge, and the standard errors that it tells.

    The coefficients that predict are shrunk by about as much as they err: intervals about them hold too seldom.
    """
    if not hasattr(model, "standard_errors_") or not hasattr(model, "debiased_coef_"):
        raise UnprovenClaim(
            "a regression needs a release of statistics.covariance, or a fitted learning.LinearRegression: other "
            "models do not tell the error of their coefficients; see inference.bootstrap"
        )
    if target is not None:
        raise InvalidParameter("a model knows what it explains: leave target out")
    fitted = model.debiased_coef_, model.standard_errors_
    slopes, errors = (np.ravel(np.asarray(part, np.float64)) for part in fitted)
    names = [str(one) for one in getattr(model, "feature_names_in_", [f"x{place}" for place in range(slopes.size)])]
    z = float(special.ndtri((1 + level) / 2))
    return {
        feature: Estimate(
            estimate=float(slope),
            interval=(float(slope - z * error), float(slope + z * error)),
            level=level,
            method="least squares on noisy sums without the ridge, noise-aware standard errors of the model",
            coverage="asymptotic",
            target="clamped population",
            quantity=f"slope on {feature}",
            rows=math.nan,
            privacy=short_guarantee(model.guarantee_),
        )
        for feature, slope, error in zip(names, slopes, errors, strict=True)
    }


_Sums = dict[str, tuple[float, float]]


def _sums(release: Release, name: str) -> tuple[_Sums, dict[str, float]]:
    """Each released sum with the variance of its noise, and half the width of each column's bounds."""
    prefix = f"{name}.sum."
    sums = {}
    for column in release.outcome.columns:
        if isinstance(column, Measured) and column.name.startswith(prefix):
            variance = ReleaseNoise.of(column.mechanism, column.lattice.step).variance
            sums[column.name.removeprefix(prefix)] = (float(column.values[0]), variance)
    halves: dict[str, float] = {}
    for item in release.outcome.numbers:
        if isinstance(item.formula, Times) and isinstance(item.formula.left, Constant):
            pair = item.name.removeprefix(f"{name}(").removesuffix(")").split(", ")
            if len(pair) == 2 and pair[0] == pair[1]:
                halves[pair[0]] = math.sqrt(float(item.formula.left.number))
    if "count" not in sums or not halves or release.outcome.keys is not None:
        raise UnprovenClaim("a regression needs a release of statistics.covariance of all its columns, without keys")
    return sums, halves


def _solved(sums: _Sums, features: list[str], target: str) -> tuple[Floats, Floats]:
    """The coefficients (the intercept first), in halves of the bounds, and their covariance."""
    names = ["", *features]

    def entry(a: str, b: str) -> str:
        if not a or not b:
            return a or b or "count"
        return f"{a}*{b}" if f"{a}*{b}" in sums else f"{b}*{a}"

    A = np.array([[sums[entry(a, b)][0] for b in names] for a in names])
    c = np.array([sums[entry(a, target)][0] for a in names])
    if float(np.linalg.eigvalsh(A)[0]) <= 0:
        raise UnprovenClaim(
            "the noise is as large as the spread of the features: ask with a larger ε, or fewer columns"
        )
    beta = np.linalg.solve(A, c)
    residual = sums[entry(target, target)][0] - float(beta @ c)
    variance = max(0.0, residual) / max(1.0, sums["count"][0] - len(names))
    middle: Any = variance * A
    for i, a in enumerate(names):
        for j in range(i, len(names)):
            moved = np.zeros(len(names))
            moved[i] -= beta[j]
            if i != j:
                moved[j] -= beta[i]
            middle = middle + sums[entry(a, names[j])][1] * np.outer(moved, moved)
        middle[i, i] += sums[entry(a, target)][1]
    inverse = np.linalg.inv(A)
    return beta, np.asarray(inverse @ middle @ inverse)
