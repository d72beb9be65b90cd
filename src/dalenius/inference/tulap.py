"""Most powerful tests of a proportion, from a count with Tulap noise."""

import hashlib
import math
from typing import Any, Literal

import numpy as np
from scipy import special
from scipy.optimize import brentq

from dalenius.calls import named_arguments
from dalenius.curator import Release
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.arguments import noisy_number, privacy_of
from dalenius.inference.cells import cells_of
from dalenius.inference.noise import Floats, tulap_below
from dalenius.inference.private_size import share_tails
from dalenius.inference.result import HypothesisTest, checked_level, checked_rows
from dalenius.mechanisms import AdditiveMechanism, TulapLaw
from dalenius.noise import DiscreteLaplace
from dalenius.numerics import Number, positive, probability

Alternative = Literal["greater", "less", "two-sided"]
_WORDS = {"greater": "it is greater", "less": "it is less", "two-sided": "it is another"}
_SPREADS = 9


@named_arguments
def test_proportion(
    release: Any,
    p0: Number,
    alternative: Alternative = "two-sided",
    *,
    rows: int | None = None,
    key: Any = None,
    mechanism: AdditiveMechanism | None = None,
) -> HypothesisTest:
    """Test that the share of a population is p0, with the most power that the release's privacy allows.

    release: a release of one noisy count together with `rows`, the counts of every public key where the number of rows
        is private, or numbers with their `mechanism`.
    p0: the share under the hypothesis.
    alternative: "greater", "less" or "two-sided".
    rows: the number of rows, where that is public.
    key: which of the keys the share is of.
    mechanism: what made the number, where no release is given: Tulap(1, ε), or Geometric.

    With public n, Z = X + Tulap noise: the one-sided p-value Σⱼ P[X = j] F(j − Z) belongs to the uniformly most
    powerful test among all private ones [AS18], the two-sided one is P[|X + N − np₀| ≥ |Z − np₀|]  [AS20].
    A count with geometric noise becomes one with Tulap noise by adding a uniform number: that is post-processing, and
    is drawn from the hash of the receipt, so that asking twice gives the same p-value. With n private the p-value is
    the largest over a set for n, plus what may fail of that set  [BB94].

    >>> from dalenius.mechanisms import Tulap
    >>> test_proportion(18.3, "0.5", "greater", rows=30, mechanism=Tulap(1, 1)).p_value
    0.1397964482899...
    """
    null = float(probability(p0, "p0"))
    if alternative not in _WORDS:
        raise InvalidParameter(f'alternative must be "greater", "less" or "two-sided", got {alternative!r}')
    if rows is None:
        cells = cells_of(release, mechanism, key)
        p_value, method = share_tails(cells, null, alternative), "exact tails over the cells, Berger–Boos set for n"
        statistic = cells.share
    else:
        statistic, noise, slack = _tulap_number(release, mechanism, key)
        p_value = tulap_p_value(statistic, checked_rows(rows), null, noise, alternative, slack)
        method = "most powerful private test, Tulap noise"
    return HypothesisTest(
        p_value=p_value,
        statistic=statistic,
        hypothesis=f"the proportion is {null:g}",
        alternative=f"the alternative that {_WORDS[alternative]}",
        method=method,
        size="guaranteed",
        privacy=privacy_of(release, *(() if mechanism is None else (mechanism,))),
    )


test_proportion.__test__ = False  # type: ignore[attr-defined]  # a function of ours, not a test of pytest's


def tulap_p_value(
    z: float, n: int, p0: float, noise: tuple[float, float], alternative: Alternative, slack: float = 0.0
) -> float:
    """The p-value of Z = X + Tulap(ε, δ), X ~ Binomial(n, p0), if z is Z rounded by at most `slack`  [AS18]."""
    x, masses = _binomial(n, p0)
    if alternative == "greater":
        return _held(masses @ tulap_below(x - z + slack, *noise))
    if alternative == "less":
        return _held(masses @ tulap_below(z + slack - x, *noise))
    gap = abs(z - n * p0) - slack
    return _held(masses @ (tulap_below(x - n * p0 - gap, *noise) + tulap_below(n * p0 - gap - x, *noise)))


@named_arguments
def power_of_proportion(
    rows: int, p0: Number, p1: Number, *, epsilon: Number, delta: Number = 0, level: Number = 0.05
) -> tuple[float, float]:
    """The power of the most powerful private one-sided test of p0 against p1, and the Z from which it rejects.

    rows: the number of people, which is public.
    p0, p1: the share under the hypothesis and under the alternative.
    epsilon, delta: the privacy of the count with Tulap noise.
    level: the size of the test.

    E φ under p0 is the level, where φ(x) = F(x − m): no (ε, δ)-private test of this size has more power [AS18]. It
    rejects above m for p1 > p0, below m for p1 < p0.

    >>> power_of_proportion(100, "0.5", "0.6", epsilon=1)
    (0.6176206787..., 58.509349080...)
    """
    n, size = checked_rows(rows), float(checked_level(level))
    null, other = float(probability(p0, "p0")), float(probability(p1, "p1"))
    noise = float(positive(epsilon, "epsilon")), float(probability(delta, "delta"))
    side: Alternative = "less" if other < null else "greater"
    reach = n + 40 * (1 + 1 / noise[0])
    threshold = float(
        brentq(lambda m: tulap_p_value(m, n, null, noise, side) - size, -reach, n + reach, xtol=1e-13, rtol=1e-15)
    )
    return tulap_p_value(threshold, n, other, noise, side), threshold


def _tulap_number(
    release: Any, mechanism: AdditiveMechanism | None, key: Any
) -> tuple[float, tuple[float, float], float]:
    """Z, (ε, δ) and how far Z was rounded: a count with Tulap noise, or a geometric one with a uniform number added."""
    counted = noisy_number(release, mechanism, "a test") if key is None else cells_of(release, mechanism, key, True).one
    noise = counted.noise
    if isinstance(noise.law, TulapLaw) and noise.law.width * noise.step == 1:
        slack = noise.spacing / 2 if noise.rounded else 0.0
        return counted.value, (float(noise.law.epsilon), float(noise.law.delta)), slack
    if isinstance(noise.law, DiscreteLaplace) and noise.integral:
        return counted.value + _uniform(release, counted.value), (float(1 / noise.law.scale), 0.0), 0.0
    raise UnprovenClaim(
        "the most powerful test is proved for a whole count with Tulap or geometric noise: ask for COUNT(*), or leave "
        "rows= out"
    )


def _uniform(release: Any, value: float) -> float:
    """A number in (−½, ½) that is independent of data and noise: of the receipt, which was written before them."""
    seed = release.receipt.head if isinstance(release, Release) else f"number {value}"
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:6], "big") / 2**48 - 0.5


def _binomial(n: int, p: float) -> tuple[Floats, Floats]:
    """The x that matter and their masses."""
    spread = _SPREADS * math.sqrt(n * p * (1 - p)) + 40
    x = np.arange(max(0, math.floor(n * p - spread)), min(n, math.ceil(n * p + spread)) + 1, dtype=np.float64)
    if p in (0.0, 1.0):
        return x, (x == n * p).astype(np.float64)
    logs = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    masses = np.exp(logs + x * math.log(p) + (n - x) * math.log1p(-p))
    return x, masses / masses.sum()


def _held(p_value: Any) -> float:
    return float(min(1.0, max(0.0, p_value)))
