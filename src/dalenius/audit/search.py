"""Looking for the worst pair of neighbors: data from a hypothesis strategy, a cheap screen, then certification."""

import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dalenius.audit.bound import goal_of, lower_bound, report_on
from dalenius.audit.draw import as_callable, draw_pair
from dalenius.audit.neighboring import rows_of
from dalenius.audit.parts import canonical, flat
from dalenius.audit.report import Report
from dalenius.calls import named_arguments
from dalenius.errors import AuditFailed, InvalidParameter
from dalenius.guarantees import Guarantee
from dalenius.neighbors import Relation
from dalenius.noise import Bits

SCREEN = 300
"""Draws on each data set of a pair that is only screened."""
FINALISTS = 3
FEWEST_PAIRS = 20
"""Pairs that are screened even if that takes longer than the budget says."""


@dataclass(frozen=True, slots=True)
class Found:
    """The worst pair that a search found, certified with draws of its own."""

    x: Any
    x2: Any
    report: Report
    tried: int
    """How many pairs were screened."""

    @property
    def rejects(self) -> bool:
        """Whether the claim is refuted, at the level of the whole search."""
        return self.report.rejects


@named_arguments
def search(
    mechanism: Any,
    *,
    data: Any,
    relation: Relation = Relation.ADD_REMOVE,
    claim: Guarantee,
    budget: str | float = "60s",
    examples: int = 200,
    draws: int = 20_000,
    alpha: float = 0.05,
    bits: Bits | None = None,
) -> Found:
    """The worst pair of neighbors among those that a hypothesis strategy of data sets (lists of rows) gives.

    Hypothesis brings odd values of its own: empty lists, ties, NaN, ±inf, −0.0, huge numbers. Neighbors take a row
    out, put in one that another example has, or change one for such. Half of the time screens pairs by few draws; the
    best few are then certified with new draws at α over their number, so the level of the whole is alpha.
    """
    wanted = Relation.of(relation)
    allowed = seconds_of(budget)
    made = _examples(data, examples)
    until = time.monotonic() + allowed / 2
    run = as_callable(mechanism, bits)
    goal = goal_of(claim, None, alpha, SCREEN)
    screened: list[tuple[float, float, int, Any, Any]] = []
    for x, x2 in neighbor_pairs(made, wanted):
        if time.monotonic() > until and len(screened) >= FEWEST_PAIRS:
            break
        try:
            first, second = draw_pair(run, x, x2, SCREEN, seconds=max(1.0, allowed), bits=bits)
            screening = report_on(first, second, claim, goal, trees=False)
        except AuditFailed:
            continue
        screened.append((screening.p_value, -screening.epsilon, len(screened), x, x2))
    if not screened:
        raise AuditFailed("no pair of neighbors could be run: widen the strategy, or see whether the mechanism runs")
    best = sorted(screened, key=lambda each: each[:3])[:FINALISTS]
    reports = [
        (lower_bound(run, x, x2, claim=claim, draws=draws, alpha=alpha / len(best)), x, x2) for *_, x, x2 in best
    ]
    report, x, x2 = min(reports, key=lambda each: (each[0].p_value, -each[0].epsilon))
    return Found(x, x2, report, len(screened))


def neighbor_pairs(examples: list[list[Any]], relation: Relation) -> Iterator[tuple[list[Any], list[Any]]]:
    """Pairs of neighbors made from examples: in turn over examples, so that few of each are seen before the next."""
    examples = sorted(examples, key=_oddness, reverse=True)
    pool = sorted((row for example in examples for row in example[:4]), key=_row_oddness, reverse=True)[:200]
    for turn in range(6):
        for place, example in enumerate(examples):
            row = pool[(place + turn * 31) % len(pool)] if pool else None
            # the oddest row first, then the others in turn
            order = sorted(range(len(example)), key=lambda k: -_row_oddness(example[k]))
            index = order[turn // 2 % len(example)] if example else 0
            without = example[:index] + example[index + 1 :]
            if relation is Relation.ADD_REMOVE:
                if turn % 2 == 0 and example:
                    yield example, without
                elif pool:
                    yield example, [*example, row]
            elif example and pool:
                yield example, [*example[:index], row, *example[index + 1 :]]


def _oddness(example: list[Any]) -> int:
    """How much an example has of what breaks mechanisms: no rows, one, ties, and odd numbers."""
    tied = len(example) > len({canonical(row) for row in example})
    return 2 * (len(example) <= 1) + tied + 3 * max(map(_row_oddness, example), default=0)


def _row_oddness(row: Any) -> int:
    values = [leaf for _, leaf in flat(row) if isinstance(leaf, float)]
    return max(
        (3 if math.isnan(v) else 2 if math.isinf(v) else int(abs(v) > 1e30 or v == 0) for v in values), default=0
    )


def seconds_of(budget: str | float) -> float:
    """60.0 from "60s", "1m" or 60."""
    if isinstance(budget, int | float) and not isinstance(budget, bool) and budget > 0:
        return float(budget)
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|m|h)\s*", str(budget))
    if match is None or float(match[1]) <= 0:
        raise InvalidParameter(f"budget must be like '60s', '5m' or a number of seconds > 0, got {budget!r}")
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2]]


def _examples(strategy: Any, count: int) -> list[list[Any]]:
    """Data sets that hypothesis makes of a strategy, as lists of rows."""
    try:
        from hypothesis import HealthCheck, Phase, given, settings
    except ImportError:
        raise InvalidParameter("a search draws data from hypothesis strategies: install hypothesis") from None
    examples: list[list[Any]] = []

    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(strategy)
    def keep(example: Any) -> None:
        rows = rows_of(example)
        if rows is None:
            raise InvalidParameter("the strategy must make data sets with rows: lists, arrays or frames")
        examples.append(rows)

    keep()
    return examples
