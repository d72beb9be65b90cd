"""The mean of a normal population, from data without bounds."""

import math
from typing import Any

from scipy import special

from dalenius.calls import named_arguments
from dalenius.curator import Curator, Facts, Measured, Release
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.inference.arguments import privacy_of
from dalenius.inference.noise import ReleaseNoise
from dalenius.inference.normal_plan import NOTE, NormalMean
from dalenius.inference.normal_range import radius
from dalenius.inference.result import Estimate, checked_level
from dalenius.numerics import Number, positive, rational

_T_SHARE, _SUM_SHARE = 0.7, 0.25
"""What the t quantile and the noise of the sum may fail of what is left; the noise of the squares has the rest."""


@named_arguments
def plan_normal_mean(
    column: str,
    *,
    mean_within: tuple[Number, Number],
    deviation: Number | tuple[Number, Number],
    epsilon: Number,
    about: Facts | Curator[Any],
    level: Number = 0.95,
    name: str = "mean",
) -> NormalMean:
    """The plan for the mean of normal data that has no bounds, of which `normal_mean` makes a guaranteed interval.

    column: the column that is asked about; its values may be any.
    mean_within: (lowest, highest) that the population's mean may be, from public knowledge; it may be very wide.
    deviation: the population's standard deviation, or (least, largest) that it may be.
    epsilon: what the answer costs.
    about: declared facts, or a curator that has them: change-one rows, and their number, which is public.
    level: how often the interval shall hold the mean; the steps are laid out for it.
    name: what the released number is called.
    """
    facts = about.facts if isinstance(about, Curator) else about
    if not isinstance(facts, Facts) or facts.rows is None:
        raise UnprovenClaim(
            "a normal mean needs the number of rows: declare unit=Unit.row(Relation.CHANGE_ONE) and rows=, "
            "or use inference.mean with bounds"
        )
    low, high = (rational(end, "mean_within") for end in mean_within)
    both = deviation if isinstance(deviation, tuple) else (deviation, deviation)
    least, most = (positive(end, "deviation") for end in both)
    if not low < high or least > most:
        raise InvalidParameter("mean_within and deviation must be (lowest, highest), the lower one first")
    plan = NormalMean(
        column, facts.rows, (low, high), (least, most), positive(epsilon, "epsilon"), checked_level(level), name
    )
    assert plan.design  # too few people are refused here, before anything is charged
    return plan


@named_arguments
def normal_mean(release: Release) -> Estimate:
    """The mean of a normal population, with an interval that is guaranteed at every sample size  [KV18].

    release: a release of `plan_normal_mean`.

    If the values are independent and normal the interval holds their mean at the level that the plan was made for: what
    may fail is shared between the bins that noise may misname, a value so far out that it was moved, and the sums. With
    σ public these err by a normal and a Laplace number together; else by the t quantile times the largest standard
    deviation that the noisy sums leave possible, and by the noise.
    """
    note = release.notes.get(NOTE)
    if note is None:
        raise UnprovenClaim("a normal mean needs a release of inference.plan_normal_mean")
    n, half, left = note["rows"], note["half"], 1 - float(rational(note["level"], "level")) - note["failed"]
    columns = [column for column in release.outcome.columns if isinstance(column, Measured)]
    sums = [float(column.values[0]) for column in columns]
    laplace = ReleaseNoise.of(columns[0].mechanism, columns[0].lattice.step)
    scale = 1 / laplace.largest_rate
    rounding = half * (n + 2) * laplace.spacing / n  # each row is cut to the lattice, and noise lives on it
    if note["deviation"] is not None:
        reach = radius(note["deviation"] / math.sqrt(n), half * scale / n, left) + rounding
        method = "normal range by a noisy histogram, then normal and Laplace errors together"
    else:
        reach = _studentized(sums, n, half, scale, left) + rounding
        method = "normal range by two noisy histograms, then Student's t and the noise"
    estimate = note["centre"] + half * sums[0] / n
    lowest, highest = note["within"]
    low, high = max(lowest, estimate - reach), min(highest, estimate + reach)
    held = min(highest, max(lowest, estimate))
    return Estimate(
        estimate=held,
        interval=(min(low, held), max(high, held)),
        level=float(rational(note["level"], "level")),
        method=method,
        coverage="guaranteed",
        target="population",
        quantity="mean",
        rows=n,
        privacy=privacy_of(release),
        limits=(lowest, highest),
        remark="Guaranteed if the values are independent and normal, and what was declared of them is true.",
    )


def _studentized(sums: list[float], n: int, half: float, scale: float, left: float) -> float:
    """t·S/√n with the largest S that the noise leaves possible, and the noise of the sum."""
    first = scale * math.log(1 / (left * _SUM_SHARE))
    second = scale * math.log(1 / (2 * left * (1 - _T_SHARE - _SUM_SHARE)))
    squares = sums[1] + second - max(0.0, abs(sums[0]) - first) ** 2 / n
    deviation = half * math.sqrt(max(0.0, squares) / (n - 1))
    t = float(special.stdtrit(n - 1, 1 - left * _T_SHARE / 2))
    return t * deviation / math.sqrt(n) + half * first / n
