"""Parametric bootstrap: what an estimate would have been on data drawn anew from the model that it names."""

from collections.abc import Callable, Sequence

import numpy as np

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.inference.noise import Floats
from dalenius.inference.result import Estimate, checked_level, checked_rows
from dalenius.inference.tables import uniform
from dalenius.noise import Bits
from dalenius.numerics import Number

Simulation = Callable[[Floats, Floats], Floats]
"""From parameters and a matrix of uniform numbers to what would have been released: a row for each row."""
Estimator = Callable[[Floats], Floats]
"""From released numbers, a row for each release, to parameters, a row for each."""


@named_arguments
def bootstrap(
    released: Sequence[float],
    model: Simulation,
    estimator: Estimator,
    level: Number = 0.95,
    *,
    seeds: int,
    rows: int,
    draws: int = 999,
    bits: Bits | None = None,
    names: Sequence[str] | None = None,
    privacy: str = "a mechanism that the model simulates",
) -> tuple[Estimate, ...]:
    """An interval for each parameter of a model that can be simulated, by drawing from it where it was estimated.

    released: the numbers that were released.
    model: from parameters and a matrix of uniform numbers, a row a draw, what would have been released: a row of
        numbers for each draw. It does all that was done to the data: drawing, clamping, summing, noise.
    estimator: from released numbers, a row for each release, the parameters, a row for each.
    level: how often each interval holds its parameter, as the sample grows.
    seeds: how many uniform numbers one draw of the model needs.
    rows: how many people there are, for the sentence.
    draws: how often the model is simulated.
    bits: where the randomness comes from.
    names: what the parameters are called.
    privacy: what the sentence says of the privacy of the data.

    θ̂ is the estimate, θ* that of data drawn at θ̂, the mechanism included: θ* − θ̂ has about the law of θ̂ − θ, so the
    ends are 2θ̂ − q₁₋ₐ/₂ and 2θ̂ − qₐ/₂ of the quantiles q of θ*  [FWS22]. What clamping moves the estimate by moves θ*
    as well, and is taken off to first order. The coverage is asymptotic; `repro_samples` has a guaranteed one.

    >>> import numpy as np
    >>> from scipy.special import ndtri
    >>> model = lambda m, u: (m + ndtri(u)).mean(axis=1, keepdims=True)
    >>> (estimate,) = bootstrap([0.3], model, lambda released: released, seeds=50, rows=50)
    >>> estimate.interval[0] < 0.3 < estimate.interval[1]
    True
    """
    wanted, n = float(checked_level(level)), checked_rows(rows)
    _check_draws(draws, seeds, wanted)
    given = np.atleast_1d(np.asarray(released, np.float64))
    estimates = _matrix(estimator(given[None, :]), 1, "the estimator")[0]
    uniforms = uniform(bits or Bits(), draws * seeds).reshape(draws, seeds)
    drawn = _matrix(model(estimates, uniforms), draws, "the model")
    if drawn.shape[1] != given.size:
        raise InvalidParameter(f"the model must release {given.size} numbers for each draw, as was done")
    again = _matrix(estimator(drawn), draws, "the estimator")
    if names is not None and len(names) != estimates.size:
        raise InvalidParameter(f"there must be {estimates.size} names, one for each parameter")
    low, high = (2 * estimates - _quantile(again, (1 + side * wanted) / 2) for side in (1, -1))
    return tuple(
        Estimate(
            estimate=float(estimates[place]),
            interval=(float(low[place]), float(high[place])),
            level=wanted,
            method=f"parametric bootstrap, {draws} draws",
            coverage="asymptotic",
            target="population",
            quantity="parameter" if names is None else names[place],
            rows=n,
            privacy=privacy,
            remark="It holds as far as the model does.",
        )
        for place in range(estimates.size)
    )


def _check_draws(draws: int, seeds: int, level: float) -> None:
    """Refuse numbers that are none, and fewer draws than the ends of the interval need."""
    for name, number in (("draws", draws), ("seeds", seeds)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InvalidParameter(f"{name} must be a whole number ≥ 1, got {number!r}")
    if (draws + 1) * (1 - level) / 2 < 1:
        raise InvalidParameter(f"a level of {level:g} needs {int(np.ceil(2 / (1 - level)))} draws or more")


def _quantile(values: Floats, q: float) -> Floats:
    """The order statistic of rank q(R + 1), outward."""
    ordered = np.sort(values, axis=0)
    rank = q * (len(values) + 1)
    place = int(np.ceil(rank - 1e-9)) if q > 0.5 else int(np.floor(rank + 1e-9))
    return np.asarray(ordered[min(max(place, 1), len(values)) - 1])


def _matrix(given: Floats, rows: int, what: str) -> Floats:
    values = np.asarray(given, np.float64)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or values.shape[0] != rows or not np.isfinite(values).all():
        raise InvalidParameter(f"{what} must give one row of finite numbers for each row that it is given")
    return values
