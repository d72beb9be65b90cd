"""Two groups of one answer: the difference or the ratio of their shares or means."""

import math
from typing import Any, Literal

from dalenius.calls import named_arguments
from dalenius.curator import Release
from dalenius.errors import InvalidParameter, UnknownName, UnprovenClaim
from dalenius.inference.arguments import check_same_people, key_words, privacy_of
from dalenius.inference.mean import chernoff_ends, score_ends
from dalenius.inference.result import Estimate, checked_level
from dalenius.inference.summary import Summary, summaries
from dalenius.numerics import Number

Kind = Literal["difference", "ratio"]


@named_arguments
def compare(
    release: Release,
    a: Any,
    b: Any,
    level: Number = 0.95,
    *,
    kind: Kind = "difference",
    column: str | None = None,
    guaranteed: bool = False,
) -> Estimate:
    """The difference or the ratio of the means of two groups, sampling and noise of both together.

    release: an answer with a mean or a share for each key: AVG(x), or AVG of a condition, with GROUP BY.
    a, b: the two keys, None for the group whose key is NULL; the difference is that of a less that of b.
    level: how often the interval holds the population's difference or ratio.
    kind: "difference" or "ratio".
    column: which mean, where the answer shows several.
    guaranteed: True for an interval that is proved at every sample size, and wider.

    The distances of each group's own ends from its estimate are added as squares, since the groups are different people
    with noise of their own [New98; DZ12]. If one person may be in both groups, they are added as they are. With
    `guaranteed` each group's own guaranteed interval fails with half of what may fail.
    """
    by_key = summaries(release, column, "a comparison")
    for key in (a, b):
        if key not in by_key:
            raise UnknownName(
                f"there is no key {key_words(key)} in the answer; there are {', '.join(map(key_words, by_key))}"
            )
    return compare_summaries(by_key[a], by_key[b], (a, b), level, kind, privacy_of(release), guaranteed)


@named_arguments
def compare_releases(
    one: Release, other: Release, level: Number = 0.95, *, kind: Kind = "difference", guaranteed: bool = False
) -> Estimate:
    """The difference or the ratio of the means of two releases, of different people under the same unit.

    one, other: two releases of a mean each.
    level, kind, guaranteed: as for `compare`.
    """
    check_same_people(one, other)
    if one.receipt.head == other.receipt.head:
        raise InvalidParameter("both are the same release: its noise is one draw, not two")
    (left,) = _single(one)
    (right,) = _single(other)
    privacy = privacy_of(one)
    return compare_summaries(left, right, ("the first", "the second"), level, kind, privacy, guaranteed)


def _single(release: Release) -> tuple[Summary]:
    by_key = summaries(release, None, "a comparison")
    if len(by_key) != 1:
        raise UnprovenClaim("each release must have one mean: for the keys of one answer use compare(release, a, b)")
    return (next(iter(by_key.values())),)


def compare_summaries(
    one: Summary, other: Summary, names: tuple[Any, Any], level: Number, kind: Kind, privacy: str, guaranteed: bool
) -> Estimate:
    """What is said of two groups."""
    wanted = float(checked_level(level))
    if kind not in ("difference", "ratio"):
        raise InvalidParameter(f'kind must be "difference" or "ratio", got {kind!r}')
    each = 1 - (1 - wanted) / 2 if guaranteed else wanted
    ends = chernoff_ends if guaranteed else score_ends
    together = max(one.contributions, other.contributions) > 1
    left, right = (one.estimate, *ends(one, each)), (other.estimate, *ends(other, each))
    join = _box if guaranteed or together else _squares
    if kind == "difference":
        estimate, low, high = join(left, right)
        limits = (one.low - other.high, one.high - other.low)
        low, high = max(low, limits[0]), min(high, limits[1])
    else:
        if one.low < 0 or other.low < 0:
            raise InvalidParameter("a ratio needs values that cannot be below 0: ask for the difference")
        estimate, low, high = _ratio(left, right, guaranteed or together)
        limits = (0.0, math.inf)
    return Estimate(
        estimate=estimate,
        interval=(low, high),
        level=wanted,
        method="both guaranteed intervals at once" if guaranteed else "noise-aware score intervals, distances squared",
        coverage="guaranteed" if guaranteed else "asymptotic",
        target="clamped population",
        quantity=f"{kind} of the means of {key_words(names[0])} and {key_words(names[1])}",
        rows=max(0.0, one.size) + max(0.0, other.size),
        privacy=privacy,
        limits=limits,
        remark="One person may be in both groups." if together else "",
    )


_Ends = tuple[float, float, float]


def _squares(one: _Ends, other: _Ends) -> _Ends:
    """D ∓ √((a − l₁)² + (u₂ − b)²): the distances of the ends are independent errors  [New98, method 10]."""
    (a, l1, u1), (b, l2, u2) = one, other
    return a - b, a - b - math.hypot(a - l1, u2 - b), a - b + math.hypot(u1 - a, b - l2)


def _box(one: _Ends, other: _Ends) -> _Ends:
    """The range of the difference over both intervals."""
    (a, l1, u1), (b, l2, u2) = one, other
    return a - b, l1 - u2, u1 - l2


def _ratio(one: _Ends, other: _Ends, box: bool) -> _Ends:
    """The ratios r at which the interval of a − r·b, made as `_squares` makes it, holds 0  [DZ12]."""
    (a, l1, u1), (b, l2, u2) = one, other
    estimate = a / b if b > 0 else math.inf
    if box or b <= 0 or l2 <= 0:
        return estimate, (l1 / u2 if u2 > 0 else 0.0), (u1 / l2 if l2 > 0 else math.inf)
    low = _end(a, b, l1, u2, -1.0)
    high = _end(a, b, u1, l2, 1.0)
    return estimate, max(0.0, low), high


def _end(a: float, b: float, near: float, far: float, side: float) -> float:
    """The root of (a − r·b)² = (a − near)² + r²(far − b)² on one side."""
    inner = (a * b) ** 2 - near * (2 * a - near) * far * (2 * b - far)
    divisor = far * (2 * b - far)
    if divisor <= 0 or inner < 0:
        return math.inf if side > 0 else 0.0
    return (a * b + side * math.sqrt(inner)) / divisor
