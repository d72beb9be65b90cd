"""The share of a population that has a property, from a noisy count."""

from typing import Any

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.inference.arguments import NoisyNumber, privacy_of
from dalenius.inference.cells import cells_of
from dalenius.inference.convolution import NoisyBinomial, first_where, last_where
from dalenius.inference.noise import ReleaseNoise
from dalenius.inference.private_size import share_ends
from dalenius.inference.result import Estimate, checked_level, checked_rows
from dalenius.mechanisms import AdditiveMechanism
from dalenius.numerics import Number


@named_arguments
def proportion(
    release: Any,
    level: Number = 0.95,
    *,
    rows: int | None = None,
    key: Any = None,
    mechanism: AdditiveMechanism | None = None,
) -> Estimate:
    """The share of a population that has a property, with an interval that is guaranteed at every sample size.

    release: a release of one noisy count together with `rows`; or one of the counts of every public key (a GROUP BY),
        where the number of rows is private too; or, in place of a release, the number (or the numbers, the one asked
        for first) with its `mechanism`.
    level: how often the interval holds the population's share, over draws of people and noise.
    rows: the number of rows, where that is public.
    key: which of the keys the share is of, (None,) where it is NULL; of two keys the first, unless told.
    mechanism: what made the number, where no release is given.

    With public n the law of count + noise is summed exactly and both tails are inverted, as Clopper and Pearson do
    without noise; at p fixed this holds p with probability ≥ `level`. With n private see `share_ends`.

    >>> from dalenius.mechanisms import Geometric
    >>> proportion(33, rows=100, mechanism=Geometric(1)).interval
    (0.23557872473..., 0.43498418434...)
    """
    wanted = float(checked_level(level))
    if rows is not None:
        return _public(release, wanted, checked_rows(rows), key, mechanism)
    cells = cells_of(release, mechanism, key)
    low, high = share_ends(cells, wanted)
    share = cells.share
    return Estimate(
        estimate=share,
        interval=(low, high),
        level=wanted,
        method="exact inversion over the cells, Berger–Boos set for n",
        coverage="guaranteed",
        target="population",
        quantity="proportion" if cells.name is None else f"proportion of {cells.name!r}",
        rows=max(0.0, cells.total),
        privacy=privacy_of(release, *(() if mechanism is None else (mechanism,))),
        limits=(0.0, 1.0),
    )


def _public(release: Any, level: float, rows: int, key: Any, mechanism: AdditiveMechanism | None) -> Estimate:
    counted = _one_count(release, mechanism, key)
    low, high = binomial_ends(counted.value, rows, counted.noise, level)
    return Estimate(
        estimate=min(1.0, max(0.0, counted.value / rows)),
        interval=(low, high),
        level=level,
        method="exact convolution of the binomial law and the noise, inverted",
        coverage="guaranteed",
        target="population",
        quantity="proportion",
        rows=rows,
        privacy=privacy_of(release, *(() if mechanism is None else (mechanism,))),
        limits=(0.0, 1.0),
    )


def _one_count(release: Any, mechanism: AdditiveMechanism | None, key: Any) -> NoisyNumber:
    cells = cells_of(release, mechanism, key, alone=True)
    if len(cells.others) and key is None:
        raise InvalidParameter("with rows= the share is of one count: say which with key=, or leave rows= out")
    return cells.one


def binomial_ends(y: float, n: int, noise: ReleaseNoise, level: float) -> tuple[float, float]:
    """Ends for p, y = Binomial(n, p) + noise: where either tail at y is ≥ (1 − level)/2  [CP34].

    Both tails are monotone in p, since the binomial law is; where no p is as extreme as y the nearest end is given.
    """
    half = (1 - level) / 2
    law = NoisyBinomial(y, n, noise)
    middle = min(1.0, max(0.0, y / n))
    high = last_where(law.lower_tail, half, middle if law.lower_tail(middle) >= half else 0.0, 1.0)
    low = first_where(law.upper_tail, half, 0.0, middle if law.upper_tail(middle) >= half else 1.0)
    return low, max(low, high)
