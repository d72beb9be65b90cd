"""A quantile of a population, bracketed by the edges of a noisy histogram."""

import itertools
import math
import re

import numpy as np
from scipy import special

from dalenius.calls import named_arguments
from dalenius.curator import Release
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.arguments import noisy_numbers, privacy_of
from dalenius.inference.noise import Floats
from dalenius.inference.result import Estimate, checked_level
from dalenius.inference.sampling import check_one_draw
from dalenius.numerics import Number

_BIN = re.compile(r"\[([^,]+), ([^\])]+)[\])]")


@named_arguments
def quantile(release: Release, q: Number = 0.5, level: Number = 0.95) -> Estimate:
    """A quantile of a population whose values lie between the edges of a histogram.

    release: a histogram over `edges`, from `statistics.histogram`.
    q: which quantile; a half is the median.
    level: how often the interval holds the population's quantile.

    An edge c stays in if (1 − q)·below − q·above, noise included, is within z standard errors of 0, those of the draw
    of people, nq(1 − q), and of the noise of all bins. The ends are the edges around those that stay in: whatever the
    law of the values is, their quantile lies between. Sums of many noises are taken as normal.
    """
    check_one_draw(release)
    wanted, share = float(checked_level(level)), float(checked_level(q, "q"))
    numbers = noisy_numbers(release, None, "a quantile")
    edges, counts = edges_of(release), np.array([number.value for number in numbers])
    if edges.size != counts.size + 1:
        raise UnprovenClaim("a quantile needs a histogram over edges that meet: statistics.histogram(column, edges=…)")
    z, v = float(special.ndtri((1 + wanted) / 2)), numbers[0].noise.variance
    below = np.concatenate([[0.0], np.cumsum(counts)])
    above = counts.sum() - below
    bins = np.arange(edges.size)
    noise = v * ((1 - share) ** 2 * bins + share**2 * (counts.size - bins))
    reach = z * np.sqrt(max(0.0, float(counts.sum())) * share * (1 - share) + noise)
    excess = (1 - share) * below - share * above
    kept = np.flatnonzero(np.abs(excess) <= reach)
    nearest = int(np.argmin(np.abs(excess)))
    first, last = (int(kept[0]), int(kept[-1])) if kept.size else (nearest, nearest)
    return Estimate(
        estimate=_between(edges, excess),
        interval=(float(edges[max(0, first - 1)]), float(edges[min(edges.size - 1, last + 1)])),
        level=wanted,
        method="edges of a noisy histogram, order statistics and noise together",
        coverage="asymptotic",
        target="clamped population",
        quantity=f"{share:g} quantile",
        rows=max(0.0, float(counts.sum())),
        privacy=privacy_of(release),
        limits=(float(edges[0]), float(edges[-1])),
    )


def edges_of(release: Release) -> Floats:
    """The edges of a released histogram over bins that meet."""
    keys = release.outcome.keys
    if keys is None or len(release.outcome.rows()) != len(keys.rows):
        raise UnprovenClaim("a quantile needs the whole histogram: statistics.histogram(column, edges=…)")
    ends = []
    for (label,) in keys.rows:
        bin_ends = _BIN.fullmatch(str(label))
        if bin_ends is None:
            raise InvalidParameter("the release is over keys, not over bins: ask for a histogram with edges=")
        ends.append((float(bin_ends[1]), float(bin_ends[2])))
    if any(one[1] != other[0] for one, other in itertools.pairwise(ends)):
        raise InvalidParameter("the bins do not meet")
    return np.array([ends[0][0], *(end for _, end in ends)])


def _between(edges: Floats, excess: Floats) -> float:
    """Where the excess crosses 0, along a straight line in its bin."""
    rising = np.maximum.accumulate(excess)
    place = int(np.searchsorted(rising, 0.0))
    if place == 0 or place >= edges.size:
        return float(edges[min(place, edges.size - 1)])
    low, high = rising[place - 1], rising[place]
    part = 0.5 if high == low or not math.isfinite(high - low) else -low / (high - low)
    return float(edges[place - 1] + part * (edges[place] - edges[place - 1]))
