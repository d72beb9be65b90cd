"""Repro samples: intervals for any model that can be simulated, with the mechanism inside."""

from collections.abc import Callable, Iterable

import numpy as np

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.inference.noise import Floats
from dalenius.inference.result import Estimate, checked_level
from dalenius.inference.tables import uniform
from dalenius.noise import Bits
from dalenius.numerics import Number

Model = Callable[[float, Floats], Floats]


@named_arguments
def repro_samples(
    released: float,
    model: Model,
    parameters: Iterable[float],
    level: Number = 0.95,
    *,
    seeds: int,
    draws: int = 199,
    bits: Bits | None = None,
    privacy: str = "a mechanism that the model simulates",
) -> Estimate:
    """An interval for the parameter of any model that can be simulated, noise, clamping and all.

    released: the number that was released.
    model: from a parameter and a matrix of uniform numbers, a row a draw, what would have been released: one number
        for each row. It does all that was done to the data: drawing, clamping, summing, noise.
    parameters: the values that are tried, in order; the interval is the hull of those that stay in, one value outward.
    level: how often the interval holds the parameter.
    seeds: how many uniform numbers one draw of the model needs.
    draws: how many draws there are for each parameter.
    bits: where their randomness comes from.
    privacy: what the sentence says of the privacy of the data.

    At the true parameter the released number and the simulated ones are exchangeable, so the chance that it is among
    the α(R + 1) farthest from their common middle is at most α: coverage holds at every R and n, Monte Carlo error
    included  [AW25]. The same uniform numbers serve all parameters.

    >>> import numpy as np
    >>> from scipy.special import ndtri
    >>> estimate = repro_samples(0.3, lambda m, u: m + ndtri(u[:, 0]), np.linspace(-5, 5, 101), seeds=1)
    >>> estimate.interval[0] < 0.3 < estimate.interval[1]
    True
    """
    wanted = float(checked_level(level))
    grid = np.array(list(parameters), np.float64)
    if grid.size < 2 or np.any(np.diff(grid) <= 0):
        raise InvalidParameter("parameters must be two values or more, each larger than the one before")
    for name, number in (("draws", draws), ("seeds", seeds)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InvalidParameter(f"{name} must be a whole number ≥ 1, got {number!r}")
    uniforms = uniform(bits or Bits(), draws * seeds).reshape(draws, seeds)
    ranks = np.array([_rank(released, np.asarray(model(float(value), uniforms), np.float64)) for value in grid])
    least = int(np.floor((1 - wanted) * (draws + 1) + 1e-9)) + 1
    kept = np.flatnonzero(ranks >= least)
    best = int(np.argmax(ranks))
    first, last = (int(kept[0]), int(kept[-1])) if kept.size else (best, best)
    ends = float(grid[max(0, first - 1)]), float(grid[min(grid.size - 1, last + 1)])
    return Estimate(
        estimate=float(grid[best]),
        interval=ends,
        level=wanted,
        method=f"repro samples, {draws} draws for each of {grid.size} values",
        coverage="guaranteed",
        target="population",
        quantity="parameter",
        rows=float(seeds),
        privacy=privacy,
        limits=(float(grid[0]), float(grid[-1])),
        remark="Guaranteed if the model holds and the parameter is within the values that were tried.",
    )


def _rank(released: float, simulated: Floats) -> int:
    """How many of all numbers, the released one among them, are at least as far from their middle as it is."""
    if simulated.ndim != 1 or not np.isfinite(simulated).all():
        raise InvalidParameter("the model must give one finite number for each row of uniform numbers")
    every = np.append(simulated, released)
    far = np.abs(every - np.median(every))
    return int(np.count_nonzero(far >= far[-1]))
