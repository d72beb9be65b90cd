"""Choosing the event: candidates fitted on one half, judged on the other, by what they are predicted to certify."""

import importlib.util
import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dalenius.audit.certify import SHARE, EventCounts
from dalenius.audit.claim import Ceiling
from dalenius.audit.directions import EVERYTHING, Coset, Direction, common_step, unit
from dalenius.audit.encode import OutcomeTable
from dalenius.audit.features import features
from dalenius.audit.scores import Columns, LogisticScore, Nothing, Product, Ratios, Score, ScorePair, Tail, Trees
from dalenius.escape import escaped

Floats = NDArray[np.float64]

_SURE = 4.0  # predicted deviations beyond which a rejection is as good as certain, so the largest ε decides
_HOPE = 1.8  # predicted deviations below which a rejection would be luck
_DOUBT, _CARE, _EXCESS, _NEAR = 3.0, 0.6, 0.2, 0.94
_NO_LUCK = 3.0  # deviations, and counts, that no luck of the best of some hundred thresholds adds
_WEIGHTS = (1.0, 1.7, 4.0)
_EACH = 8  # places whose lattice is looked at


@dataclass(frozen=True, slots=True)
class Event:
    """{score ≥ threshold}, claimed to be likelier on x than the claim allows, or, `reversed`, on x2."""

    score: Score
    threshold: float
    reversed: bool
    weight: float = 1.0
    margin: float = 0.0
    hope: float = 0.0
    epsilon: float = 0.0
    shares: tuple[float, float] = (0.0, 0.0)

    def holds(self, columns: Columns) -> NDArray[np.bool_]:
        """Which draws lie in the event."""
        with np.errstate(invalid="ignore"):
            inside: NDArray[np.bool_] = self.score(columns) >= self.threshold
        return inside

    @escaped
    def __str__(self) -> str:
        return self.score.event_text(self.threshold)


@dataclass(frozen=True, slots=True)
class Goal:
    """What the certifying draws will be asked: a claim to reject at alpha, and an ε at delta."""

    claim: Ceiling
    delta: float
    alpha: float
    draws: int


def columns_of(table: OutcomeTable) -> Columns:
    """All that scores look at."""
    columns: Columns = dict(features(table))
    columns |= {f"symbol of {name}": column for name, column in table.symbols.items()}
    columns["the whole output"] = table.whole
    if table.matrix is not None:
        columns[EVERYTHING] = table.matrix
    return columns


def candidates(first: Columns, second: Columns) -> list[Score]:
    """Every score worth a look on these draws: constant columns tell nothing."""
    numeric: list[str] = []
    symbolic: list[str] = []
    for name, column in first.items():
        if column.ndim > 1:
            continue
        both = np.concatenate([column, second[name]])
        finite = np.isfinite(both) if both.dtype.kind == "f" else np.ones(len(both), bool)
        if both.dtype.kind == "f" and (not finite.any() or (finite.all() and np.ptp(both) == 0)):
            continue
        if both.dtype.kind != "f" and (both == both[0]).all():
            continue
        (numeric if both.dtype.kind == "f" else symbolic).append(name)
    places = tuple(name for name in numeric if name.startswith(("output", "[", ".")))
    scores: list[Score] = [Tail(name) for name in numeric]
    scores += [Ratios(name) for name in [*numeric, *symbolic]]
    symbols = tuple(name for name in symbolic if name != "the whole output")
    if len(places) + len(symbols) > 1:
        scores.append(Product((*places, *symbols)[:96]))
    if len(places) > 1:
        scores.append(Product(places[:96]))
        scores.append(LogisticScore(places[:128]))
        scores += [ScorePair(a, b) for a, b in itertools.combinations(places[:4], 2)]
    if EVERYTHING in first:
        scores.append(Direction())
    scores += [Coset(name) for name in places[:_EACH] if in_steps(first[name], second[name])]
    return scores


def in_steps(first: Floats, second: Floats) -> bool:
    """Whether one side lies on a lattice on which both together do not."""
    scale = unit(np.concatenate([first, second]))
    if scale is None:
        return False
    steps = [common_step(side, scale) for side in (first, second, np.concatenate([first, second]))]
    return 0 < steps[2] < max(steps)


def choose(first: Columns, second: Columns, goal: Goal, trees: bool = True) -> Event:
    """The event predicted to certify most: fitted on each half and judged on the other, then fitted on both."""
    half = {name: len(first[name]) // 2 for name in first}["the whole output"]
    other = len(second["the whole output"]) // 2
    a1, a2 = _part(first, slice(None, half)), _part(first, slice(half, None))
    b1, b2 = _part(second, slice(None, other)), _part(second, slice(other, None))
    events: list[Event] = []
    scores = candidates(first, second)
    for score in scores:
        if score.fixed:
            events += judge(score, score(first), score(second), goal)
            continue
        one, two = score.fit(a1, b1), score.fit(a2, b2)
        x, x2 = (np.concatenate([two(p), one(q)]) for p, q in ((a1, a2), (b1, b2)))
        # a table of rare symbols fitted on twice the draws would have other scores than those judged here
        events += judge(one if score.sparse(first) else score, x, x2, goal)
    wide = tuple(score.name for score in scores if isinstance(score, Tail))
    if trees and len(wide) > 1 and any(isinstance(s, Product) for s in scores) and has_trees():
        model = Trees(wide[:80]).fit(a1, b1)
        # judged by half as many draws: what chance may have added to the margin is larger by that much
        luck = math.sqrt(goal.draws / half) * (1 - math.sqrt(0.5))
        events += [
            replace(event, margin=event.margin - luck, hope=event.hope - luck)
            for event in judge(model, model(a2), model(b2), goal)
        ]
    event = best(events, goal)
    return event if event.score.fitted else replace(event, score=event.score.fit(first, second))


def has_trees() -> bool:
    """Whether scikit-learn is installed."""
    return importlib.util.find_spec("sklearn") is not None


def judge(score: Score, x: Floats, x2: Floats, goal: Goal) -> list[Event]:
    """The best thresholds of a score, both ways: by predicted margin and by predicted ε."""
    events = []
    thresholds = _thresholds(x, x2)
    if not len(thresholds):
        return []
    for reversed_, one, other in ((False, x, x2), (True, x2, x)):
        p, q = (_share_above(side, thresholds) for side in (one, other))
        margin = margins(p, len(one), q, len(other), goal)
        bound = bounds(p, len(one), q, len(other), goal)
        hope = margin * trust(p, len(one), q, len(other), goal)
        hope = np.maximum(hope, margins(p, len(one), q, len(other), goal, _NO_LUCK))
        for k in {int(np.argmax(hope)), int(np.argmax(bound))}:
            shares, estimates = (float(p[k]), float(q[k])), (float(margin[k]), float(hope[k]), float(bound[k]))
            events.append(Event(score, float(thresholds[k]), reversed_, 1.0, *estimates, shares))
    return events


def margins(p: Floats, n: int, q: Floats, m: int, goal: Goal, care: float = _CARE) -> Floats:
    """By how many deviations the certifying draws are predicted to exceed the claim.

    Counts are read with some doubt, the more the rarer the event: of many thresholds, the luckiest leads. `care` is
    that doubt, in deviations and in counts.
    """
    k, j = p * n, q * m
    p = np.clip(k - care * np.sqrt(k * (1 - p)) - care, 0, n) / n
    q = np.clip(j + care * np.sqrt((j + 1) * (1 - q)) + care, 0, m) / m
    slope = goal.claim.slope(q)
    gap = p - goal.claim(q)
    floor = 1 / goal.draws
    spread = (np.maximum(p * (1 - p), floor) + slope**2 * np.maximum(q * (1 - q), floor)) / goal.draws
    deviations: Floats = gap / np.sqrt(spread)
    return deviations


def trust(p: Floats, n: int, q: Floats, m: int, goal: Goal) -> Floats:
    """How far to believe a margin: τ²/(τ² + s²), s the error of the log ratio seen here, τ the excess to expect.

    Deviations of all events are equally lucky, so the luckiest of many leads; in ratios the rare ones are the lucky
    ones, and this shrinks them.
    """
    p, q = (p * n + 1) / (n + 2), (q * m + 1) / (m + 2)
    slope = goal.claim.slope(q)
    event, excess = slope >= 1, _EXCESS * np.maximum(1, np.abs(np.log(slope)))
    error = np.where(event, (1 - p) / p + (1 - q) / q, p / (1 - p) + q / (1 - q)) / n
    weight: Floats = excess**2 / (excess**2 + error)
    return weight


def bounds(p: Floats, n: int, q: Floats, m: int, goal: Goal) -> Floats:
    """The ε predicted to be certified at the goal's δ, by the event or its complement.

    Less what chance may have added here: a rare event whose ratio looks large is the likeliest to disappoint. Limits of
    the two counts on the scale of square roots, where a Poisson count has one deviation, are joined by squares.
    """
    reach = (float(ndtri(1 - goal.alpha)) * math.sqrt(n / goal.draws) + _DOUBT) / 2
    log_ratios = np.zeros(len(p))
    for one, other in ((p, q), (1 - q, 1 - p)):
        k, j = one * n, other * m + 0.5
        excess = np.maximum(k / n - goal.delta, 1e-9)
        least = np.maximum(np.maximum(np.sqrt(k) - reach * np.sqrt(1 - one), 0) ** 2 / n - goal.delta, 1e-9)
        most = (np.sqrt(j) + reach * np.sqrt(1 - np.minimum(other, 1 - 1e-9))) ** 2
        radius = np.hypot(np.log(excess / least), np.log(most / j))
        log_ratios = np.maximum(log_ratios, np.log(excess * m / j) - radius)
    return log_ratios


def best(events: list[Event], goal: Goal) -> Event:
    """The event to certify, with the weight of its statistic: by exact prediction among the few that lead."""
    if not events:
        return Event(Nothing(), math.inf, False)
    sure = [event for event in events if event.margin >= _SURE and event.hope >= _SURE / 2]
    if sure:
        return _weighed(max(sure, key=lambda event: event.epsilon), goal.claim, goal)
    if len(goal.claim.epsilons) == 1:  # on one line an event that is to cross it shows an ε not far below the largest
        most = max(event.epsilon for event in events)
        events = [event for event in events if event.epsilon >= _NEAR * most]
    leader = max(events, key=lambda event: event.hope)
    if leader.hope >= _HOPE:
        return _weighed(leader, goal.claim, goal)
    leader = max(events, key=lambda event: event.epsilon)  # no hope of a rejection: certify as much as can be
    return _weighed(leader, Ceiling.of_line(leader.epsilon, goal.delta), goal)


def _weighed(event: Event, claim: Ceiling, goal: Goal) -> Event:
    """The event with the weight that gives the least predicted p-value."""
    p, q = event.shares
    by_weight = []
    for factor in _WEIGHTS:
        weight = factor * float(claim.slope(q + 0.5 / goal.draws))
        counts = EventCounts(int(p * goal.draws), goal.draws, math.ceil(q * goal.draws), goal.draws, weight)
        by_weight.append((counts.p_value(claim, goal.alpha * SHARE), weight))
        if q * goal.draws > 60:  # plenty of both: the slope itself is the best weight
            break
    return replace(event, weight=min(by_weight)[1])


def _part(columns: Columns, part: slice) -> Columns:
    return {name: column[part] for name, column in columns.items()}


def _thresholds(x: Floats, x2: Floats) -> Floats:
    """Where to cut: all values if few, else quantiles, dense towards both ends."""
    both = np.concatenate([x, x2])
    values = np.unique(both[np.isfinite(both)])
    if len(values) <= 200:
        return values
    ends = np.array([1, 2, 3, 5, 8, 12, 18, 26, 38, 55, 80, 120])
    middle = np.linspace(0, len(values) - 1, 160).astype(int)
    index = np.unique(np.concatenate([ends, middle, len(values) - 1 - ends]))
    chosen: Floats = values[index[index < len(values)]]
    return chosen


def _share_above(scores: Floats, thresholds: Floats) -> Floats:
    known = np.sort(scores[~np.isnan(scores)])
    shares: Floats = (len(known) - np.searchsorted(known, thresholds, side="left")) / max(1, len(scores))
    return shares
