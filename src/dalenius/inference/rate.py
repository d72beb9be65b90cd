"""The rate of events behind a noisy count."""

from typing import Any

from dalenius.calls import named_arguments
from dalenius.inference.arguments import noisy_number, privacy_of
from dalenius.inference.convolution import NoisyPoisson, first_where, last_where
from dalenius.inference.result import Estimate, checked_level
from dalenius.mechanisms import AdditiveMechanism
from dalenius.numerics import Number


@named_arguments
def rate(release: Any, level: Number = 0.95, *, mechanism: AdditiveMechanism | None = None) -> Estimate:
    """The expected number of people or events behind a count, if it is drawn from a Poisson law.

    release: a release of one noisy count, or the number with its `mechanism`.
    level: how often the interval holds the rate, over draws of the count and the noise.
    mechanism: what made the number, where no release is given.

    Both tails of Poisson(λ) + noise at the released number are inverted, as Garwood does without noise  [Gar36].

    >>> from dalenius.mechanisms import Geometric
    >>> rate(52, mechanism=Geometric(2)).interval
    (37.844174622..., 69.27944734...)
    """
    wanted = float(checked_level(level))
    counted = noisy_number(release, mechanism, "a rate")
    half = (1 - wanted) / 2
    law = NoisyPoisson(counted.value, counted.noise)
    spread = max(counted.value, 0.0) ** 0.5 + counted.noise.variance**0.5
    reach = max(counted.value, 0.0) + 20 + 60 * spread
    high = last_where(law.lower_tail, half, 0.0, reach)
    low = first_where(law.upper_tail, half, 0.0, reach)
    return Estimate(
        estimate=max(0.0, counted.value),
        interval=(low, max(low, high)),
        level=wanted,
        method="exact convolution of the Poisson law and the noise, inverted",
        coverage="guaranteed",
        target="population",
        quantity="rate",
        rows=max(0.0, counted.value),
        privacy=privacy_of(release, *(() if mechanism is None else (mechanism,))),
        limits=(0.0, float("inf")),
    )
