"""Tests that groups have the same mean."""

import numpy as np
from scipy import special

from dalenius.calls import named_arguments
from dalenius.curator import Release
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.arguments import check_same_people, privacy_of
from dalenius.inference.noise import Floats
from dalenius.inference.result import HypothesisTest
from dalenius.inference.summary import Summary, summaries
from dalenius.inference.tables import uniform
from dalenius.noise import Bits


@named_arguments
def test_means(
    *releases: Release, column: str | None = None, draws: int = 999, bits: Bits | None = None
) -> HypothesisTest:
    """Test that two groups or more have the same mean: of two, a noise-aware t test; of more, an analysis of variance.

    releases: one answer with a mean for each key, or several releases with a mean each, of different people.
    column: which mean, where an answer shows several.
    draws: how many draws of sampling errors and noise the null law is simulated with.
    bits: where their randomness comes from.

    Σ(mean − common mean)²/variance over the groups, each variance that of sampling and noise together at the common
    mean, compared with normal sampling errors plus noise of the mechanism's own law  [Wel51].
    """
    groups = _groups(releases, column)
    weights, errors = _errors(groups)
    means = np.array([group.sum / group.size for group in groups])
    observed = _spread(means[None, :], weights)[0]
    source = bits or Bits()
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 19:
        raise InvalidParameter(f"draws must be a whole number ≥ 19, got {draws!r}")
    drawn = np.stack([_drawn(group, error, draws, source) for group, error in zip(groups, errors, strict=True)], axis=1)
    null = _spread(drawn, weights)
    p_value = (1 + int(np.count_nonzero(null >= observed))) / (1 + draws)
    return HypothesisTest(
        p_value=p_value,
        statistic=float(observed),
        hypothesis=f"all {len(groups)} groups have the same mean",
        alternative="the alternative that some differ",
        method="weighted squares of means, null simulated with the mechanism inside",
        size="asymptotic",
        privacy=privacy_of(releases[0]),
    )


test_means.__test__ = False  # type: ignore[attr-defined]  # a function of ours, not a test of pytest's


def _groups(releases: tuple[Release, ...], column: str | None) -> list[Summary]:
    if not releases:
        raise InvalidParameter("test_means needs an answer with a mean for each key, or several releases")
    check_same_people(*releases)
    if len({release.receipt.head for release in releases}) != len(releases):
        raise InvalidParameter("the same release stands twice: its noise is one draw, not two")
    groups = [one for release in releases for one in summaries(release, column, "a test of means").values()]
    if len(groups) < 2:
        raise InvalidParameter("there must be two groups or more")
    if any(group.contributions > 1 for group in groups):
        raise UnprovenClaim("one person may be in several groups: ask with contributions=1")
    if any(group.size < 2 for group in groups):
        raise UnprovenClaim("a group has fewer than two people by its noisy count: nothing can be said of its mean")
    return groups


def _errors(groups: list[Summary]) -> tuple[Floats, Floats]:
    """The inverse variance of each mean, and the sampling error of each sum, at the common mean."""
    at = float(np.average([g.estimate for g in groups], weights=[max(g.size, 1.0) for g in groups]))
    m = np.array([min(max(at, max(g.low for g in groups)), min(g.high for g in groups))])
    spreads = np.array([float(group.spread(m)[0]) for group in groups])
    noise = np.array([float(group.noise_variance(m)[0]) for group in groups])
    sizes = np.array([group.size for group in groups])
    return sizes**2 / (spreads + noise), np.sqrt(spreads)


def _drawn(group: Summary, error: float, draws: int, bits: Bits) -> Floats:
    """Errors of a mean: normal sampling errors and draws of the noise itself."""
    total = error * special.ndtri(uniform(bits, draws))
    weights = group.weights(np.array([group.estimate]))[:, 0]
    for weight, noise in zip(weights.tolist(), group.noises, strict=True):
        total = total + weight * noise.draw(bits, draws)
    return np.asarray(total / group.size)


def _spread(means: Floats, weights: Floats) -> Floats:
    middle = (means * weights).sum(axis=1, keepdims=True) / weights.sum()
    return np.asarray((weights * (means - middle) ** 2).sum(axis=1))
