"""Choosing the event: candidates fitted on one half, judged on the other, by what they are predicted to certify."""

import importlib.util
import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dalenius.audit.certify import SHARE, Counts
from dalenius.audit.claim import Ceiling
from dalenius.audit.encode import Table
from dalenius.audit.features import features
from dalenius.audit.scores import Columns, Logistic, Nothing, Pair, Product, Ratios, Score, Tail, Trees

Floats = NDArray[np.float64]

_SURE = 4.0  # predicted deviations beyond which a rejection is as good as certain, so the largest ε decides
_HOPE = 1.0  # predicted deviations below which a rejection would be luck
_DOUBT, _CARE = 1.5, 0.6
_FINALISTS = 6
_WEIGHTS = (1.0, 1.7, 4.0)


@dataclass(frozen=True, slots=True)
class Event:
    """{score ≥ threshold}, claimed to be likelier on x than the claim allows, or, `reversed`, on x2."""

    score: Score
    threshold: float
    reversed: bool
    weight: float = 1.0
    margin: float = 0.0
    epsilon: float = 0.0
    shares: tuple[float, float] = (0.0, 0.0)

    def holds(self, columns: Columns) -> NDArray[np.bool_]:
        """Which draws lie in the event."""
        with np.errstate(invalid="ignore"):
            inside: NDArray[np.bool_] = self.score(columns) >= self.threshold
        return inside

    def __str__(self) -> str:
        return self.score.told(self.threshold)


@dataclass(frozen=True, slots=True)
class Goal:
    """What the certifying draws will be asked: a claim to reject at alpha, and an ε at delta."""

    claim: Ceiling
    delta: float
    alpha: float
    draws: int


def columns_of(table: Table) -> Columns:
    """All that scores look at."""
    found: Columns = dict(features(table))
    found |= {f"symbol of {name}": column for name, column in table.symbols.items()}
    found["the whole output"] = table.whole
    return found


def candidates(first: Columns, second: Columns) -> list[Score]:
    """Every score worth a look on these draws: constant columns tell nothing."""
    numeric, symbolic = [], []
    for name, column in first.items():
        both = np.concatenate([column, second[name]])
        finite = np.isfinite(both) if both.dtype.kind == "f" else np.ones(len(both), bool)
        if both.dtype.kind == "f" and (not finite.any() or (finite.all() and np.ptp(both) == 0)):
            continue
        if both.dtype.kind != "f" and (both == both[0]).all():
            continue
        (numeric if both.dtype.kind == "f" else symbolic).append(name)
    places = tuple(name for name in numeric if name == "output" or name.startswith(("[", ".")))
    found: list[Score] = [Tail(name) for name in numeric]
    found += [Ratios(name) for name in [*numeric, *symbolic]]
    symbols = tuple(name for name in symbolic if name != "the whole output")
    if len(places) + len(symbols) > 1:
        found.append(Product((*places, *symbols)[:96]))
    if len(places) > 1:
        found.append(Product(places[:96]))
        found.append(Logistic(places[:64]))
        found += [Pair(a, b) for a, b in itertools.combinations(places[:4], 2)]
    return found


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
        events += [replace(event, margin=event.margin - luck) for event in judge(model, model(a2), model(b2), goal)]
    event = best(events, goal)
    return event if event.score.fitted else replace(event, score=event.score.fit(first, second))


def has_trees() -> bool:
    """Whether scikit-learn is installed."""
    return importlib.util.find_spec("sklearn") is not None


def judge(score: Score, x: Floats, x2: Floats, goal: Goal) -> list[Event]:
    """The best thresholds of a score, both ways: by predicted margin and by predicted ε."""
    found = []
    thresholds = _thresholds(x, x2)
    if not len(thresholds):
        return []
    for reversed_, one, other in ((False, x, x2), (True, x2, x)):
        p, q = (_share_above(side, thresholds) for side in (one, other))
        margin = margins(p, len(one), q, len(other), goal)
        bound = bounds(p, len(one), q, len(other), goal)
        for k in {int(np.argmax(margin)), int(np.argmax(bound))}:
            shares = float(p[k]), float(q[k])
            found.append(Event(score, float(thresholds[k]), reversed_, 1.0, float(margin[k]), float(bound[k]), shares))
    return found


def margins(p: Floats, n: int, q: Floats, m: int, goal: Goal) -> Floats:
    """By how many deviations the certifying draws are predicted to exceed the claim.

    Counts are read with some doubt, the more the rarer the event: of many thresholds, the luckiest leads.
    """
    k, j = p * n, q * m
    p = np.clip(k - _CARE * np.sqrt(k * (1 - p)) - _CARE, 0, n) / n
    q = np.clip(j + _CARE * np.sqrt((j + 1) * (1 - q)) + _CARE, 0, m) / m
    slope = goal.claim.slope(q)
    gap = p - goal.claim(q)
    floor = 1 / goal.draws
    spread = (np.maximum(p * (1 - p), floor) + slope**2 * np.maximum(q * (1 - q), floor)) / goal.draws
    deviations: Floats = gap / np.sqrt(spread)
    return deviations


def bounds(p: Floats, n: int, q: Floats, m: int, goal: Goal) -> Floats:
    """The ε predicted to be certified at the goal's δ, by the event or its complement.

    Less what chance may have added here: a rare event whose ratio looks large is the likeliest to disappoint.
    """
    z = float(ndtri(1 - goal.alpha))
    p, q = (p * n + 0.5) / (n + 1), (q * m + 1) / (m + 2)
    found = np.zeros(len(p))
    for one, other in ((p, q), (1 - q, 1 - p)):
        excess = np.maximum(one - goal.delta, 1e-12)
        with np.errstate(divide="ignore"):
            spread = np.sqrt(one * (1 - one) / excess**2 + np.maximum(1 - other, 1e-9) / np.maximum(other, 1e-9))
            radius = spread * (z / math.sqrt(goal.draws) + _DOUBT / math.sqrt(n))
            found = np.maximum(found, np.log(excess / np.maximum(other, 1e-9)) - radius)
    return found


def best(events: list[Event], goal: Goal) -> Event:
    """The event to certify, with the weight of its statistic: by exact prediction among the few that lead."""
    if not events:
        return Event(Nothing(), math.inf, False)
    sure = [event for event in events if event.margin >= _SURE]
    if len(goal.claim.epsilons) == 1:  # on one line an event that is to cross it shows an ε not far below
        most = max(event.epsilon for event in events)
        events = [event for event in events if event.epsilon >= most / 2]
    leaders = sorted(events, key=lambda event: -event.margin)[:_FINALISTS]
    if sure or leaders[0].margin < _HOPE:  # sure of a rejection or without hope of one: certify as much as can be
        leader = max(sure or events, key=lambda event: event.epsilon)
        claim = goal.claim if sure else Ceiling.of_line(leader.epsilon, goal.delta)
        return _weighed(leader, claim, goal)[1]
    return min((_weighed(event, goal.claim, goal) for event in leaders), key=lambda each: each[0])[1]


def _weighed(event: Event, claim: Ceiling, goal: Goal) -> tuple[tuple[float, float], Event]:
    """((predicted p-value, −margin), the event with the weight that gives it)."""
    p, q = event.shares
    found = []
    for factor in _WEIGHTS:
        weight = factor * float(claim.slope(q + 0.5 / goal.draws))
        counts = Counts(int(p * goal.draws), goal.draws, math.ceil(q * goal.draws), goal.draws, weight)
        found.append(((counts.p_value(claim, goal.alpha * SHARE), -event.margin), replace(event, weight=weight)))
        if q * goal.draws > 60:  # plenty of both: the slope itself is the best weight
            break
    return min(found, key=lambda each: each[0])


def _part(columns: Columns, part: slice) -> Columns:
    return {name: column[part] for name, column in columns.items()}


def _thresholds(x: Floats, x2: Floats) -> Floats:
    """Where to cut: all values if few, else quantiles, dense towards both ends."""
    both = np.concatenate([x, x2])
    found = np.unique(both[np.isfinite(both)])
    if len(found) <= 200:
        return found
    ends = np.array([1, 2, 3, 5, 8, 12, 18, 26, 38, 55, 80, 120])
    middle = np.linspace(0, len(found) - 1, 160).astype(int)
    index = np.unique(np.concatenate([ends, middle, len(found) - 1 - ends]))
    chosen: Floats = found[index[index < len(found)]]
    return chosen


def _share_above(scores: Floats, thresholds: Floats) -> Floats:
    known = np.sort(scores[~np.isnan(scores)])
    shares: Floats = (len(known) - np.searchsorted(known, thresholds, side="left")) / max(1, len(scores))
    return shares
