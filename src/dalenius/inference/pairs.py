"""Two means of the same people in one answer: their ratio or their difference, and a count over another."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from dalenius.curator import Measured, Release
from dalenius.curator.formula import Formula, Held, Minus, Over
from dalenius.errors import UnprovenClaim
from dalenius.inference.arguments import NoisyNumber, privacy_of
from dalenius.inference.cells import ReleasedCells
from dalenius.inference.mean import hull
from dalenius.inference.noise import Floats, ReleaseNoise
from dalenius.inference.private_size import share_ends
from dalenius.inference.result import Estimate
from dalenius.inference.sampling import check_one_draw, person_question
from dalenius.inference.summary import Summary, labelled_rows, mean_form, summary_of


def pair_estimates(release: Release, formula: Formula, level: float) -> dict[Any, Estimate] | None:
    """What an answer says, for each key, of AVG(a)/AVG(b), of AVG(a) − AVG(b) or of COUNT_IF(a)/COUNT(*); else None."""
    if isinstance(formula, Held):
        formula = formula.of
    if isinstance(formula, Over) and (share := _share(formula)) is not None:
        return _shares(release, *share, level)
    if isinstance(formula, Over | Minus) and mean_form(formula.left) and mean_form(formula.right):
        return _means(release, formula, level)
    if isinstance(formula, Over) and formula.left.linear() and formula.right.linear():
        raise UnprovenClaim(
            "a ratio of sums does not carry the spread of people: ask for AVG(a)/AVG(b), which is the same ratio; "
            "a share COUNT_IF(…)/COUNT(*) in a question without means, whose counts then add up"
        )
    return None


def _share(formula: Over) -> tuple[str, tuple[str, ...], float] | None:
    """The part, the rest, and the factor of k·a/(a + b + …)."""
    part, whole = formula.left.linear(), formula.right.linear()
    if part is None or whole is None or part.constant or whole.constant or len(part.terms) != 1:
        return None
    (name, factor), others = part.terms[0], dict(whole.terms)
    if factor <= 0 or others.pop(name, 0) != 1 or not others or any(times != 1 for times in others.values()):
        return None
    return name, tuple(others), float(factor)


def _shares(release: Release, name: str, others: tuple[str, ...], factor: float, level: float) -> dict[Any, Estimate]:
    remark, estimates = check_one_draw(release), {}
    columns = {c.name: c for c in release.outcome.columns if isinstance(c, Measured)}
    if not all(columns[each].counts for each in (name, *others)):
        raise UnprovenClaim("a share needs counts of people: ask for COUNT_IF(…) / COUNT(*), or for AVG")
    for label, row in labelled_rows(release):
        one, *rest = (
            NoisyNumber(float(c.values[row]), ReleaseNoise.of(c.mechanism, c.lattice.step))
            for c in (columns[each] for each in (name, *others))
        )
        cells = ReleasedCells(one, tuple(rest), label)
        low, high = share_ends(cells, level)
        estimates[label] = Estimate(
            estimate=factor * cells.share,
            interval=(factor * low, factor * high),
            level=level,
            method="exact inversion over the cells, Berger–Boos set for n",
            coverage="guaranteed",
            target="population",
            quantity="proportion" if factor == 1 else f"proportion times {factor:g}",
            rows=max(0.0, cells.total),
            privacy=privacy_of(release),
            limits=(0.0, factor),
            remark=remark,
        )
    return estimates


def _means(release: Release, formula: Over | Minus, level: float) -> dict[Any, Estimate]:
    if formula.left.names & formula.right.names:
        raise UnprovenClaim("both means are made of the same noisy numbers: ask for one of them")
    ratio, estimates = isinstance(formula, Over), {}
    for label, row in labelled_rows(release):
        pair = AnswerPair(summary_of(release, formula.left, row), summary_of(release, formula.right, row))
        if ratio and min(pair.one.low, pair.other.low) < 0:
            raise UnprovenClaim("a ratio needs values that cannot be below 0: ask for the difference")
        estimate, ends, limits = pair.ratio(level) if ratio else pair.difference(level)
        several = max(pair.one.contributions, pair.other.contributions)
        estimates[label] = Estimate(
            estimate=estimate,
            interval=ends,
            level=level,
            method="noise-aware score of the residuals of people",
            coverage="asymptotic",
            target="clamped population",
            quantity="ratio of two means" if ratio else "difference of two means",
            rows=max(0.0, pair.size),
            privacy=privacy_of(release),
            limits=limits,
            remark=person_question(release, several) if several > 1 else "",
        )
    return estimates


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Two means of the same people, with noise of their own."""

    one: Summary
    other: Summary

    @property
    def size(self) -> float:
        """The noisy number of people, from both."""
        return (self.one.size + self.other.size) / 2

    def ratio(self, level: float) -> tuple[float, tuple[float, float], tuple[float, float]]:
        """The ratio, the hull of the r whose residuals a − r·b have a mean near 0, and its limits  [Fie54].

        With both columns in units of their upper bounds r is the tangent of an angle from 0 to a right one: then the
        divisor may be 0 too, and the upper end ∞.
        """
        a, b = self.one.high or 1.0, self.other.high or 1.0
        x, y = self.one.estimate / a, self.other.estimate / b

        def margin(angle: Floats) -> Floats:
            c, s = np.cos(angle), np.sin(angle)
            along = np.clip(x * s + y * c, 0.0, None)  # means that have this very ratio, nearest to the estimates
            return self._margin(level, c / a, -s / b, np.zeros_like(angle), along * s * a, along * c * b)

        start = math.atan2(x, y) if x > 0 or y > 0 else math.pi / 4
        low, high = hull(margin, 0.0, math.pi / 2, start)
        ends = tuple(math.inf if angle >= math.pi / 2 - 1e-12 else a / b * math.tan(angle) for angle in (low, high))
        return a / b * x / y if y > 0 else math.inf, (ends[0], ends[1]), (0.0, math.inf)

    def difference(self, level: float) -> tuple[float, tuple[float, float], tuple[float, float]]:
        """The difference, the hull of the d whose residuals a − b − d have a mean near 0, and its limits."""
        x, y = self.one.estimate, self.other.estimate
        limits = self.one.low - self.other.high, self.one.high - self.other.low

        def margin(d: Floats) -> Floats:
            off = (x - y - d) / 2  # means that have this very difference, nearest to the estimates
            ones = np.ones_like(d)
            return self._margin(level, ones, -ones, -d, x - off, y + off)

        return x - y, hull(margin, *limits, x - y), limits

    def _margin(self, level: float, p: Floats, q: Floats, shift: Floats, m: Floats, k: Floats) -> Floats:
        """z²·variance − (p·mean + q·mean' + shift)², the true means being m and k.

        The variance of one person's residual e = p·a + q·b + shift, whose mean is 0, is at most −min e · max e [BD00]
        and at most (|p|·sd a + |q|·sd b)², whichever is less.
        """
        one, other, n = self.one, self.other, max(self.size, 1.0)
        if self.size < 2:
            return np.ones_like(p)
        held = np.clip(m, one.low, one.high), np.clip(k, other.low, other.high)
        corners = [p * a + q * b + shift for a in (one.low, one.high) for b in (other.low, other.high)]
        range_bound = np.maximum(-np.min(corners, axis=0), 0.0) * np.maximum(np.max(corners, axis=0), 0.0)
        people = max(one.contributions, other.contributions) * range_bound / n
        apart = np.abs(p) * np.sqrt(np.maximum(one.spread(held[0]), 0)) / max(one.size, 1.0)
        apart = apart + np.abs(q) * np.sqrt(np.maximum(other.spread(held[1]), 0)) / max(other.size, 1.0)
        sizes = max(one.size, 1.0), max(other.size, 1.0)
        noise = (p / sizes[0]) ** 2 * one.noise_variance(held[0]) + (q / sizes[1]) ** 2 * other.noise_variance(held[1])
        fourth = (p / sizes[0]) ** 4 * one.noise_cumulant(held[0])
        fourth = fourth + (q / sizes[1]) ** 4 * other.noise_cumulant(held[1])
        variance = np.minimum(people, apart**2) + noise
        z = float(special.ndtri((1 + level) / 2))
        reach = z + (z**3 - 3 * z) * np.minimum(fourth / np.maximum(variance, 1e-300) ** 2, 3.0) / 24
        means = one.sum / sizes[0], other.sum / sizes[1]
        return np.asarray(reach**2 * variance - (p * means[0] + q * means[1] + shift) ** 2)
