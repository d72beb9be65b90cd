"""Any hypothesis test, made private by asking it of random blocks and testing how many of them reject."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from numpy.typing import NDArray
from scipy import special
from scipy.optimize import brentq

from dalenius.calls import named_arguments
from dalenius.curator import Blocked, Curator, Measure, Result
from dalenius.errors import InvalidParameter
from dalenius.inference.result import HypothesisTest, checked_level
from dalenius.inference.tulap import power_of_proportion, test_proportion
from dalenius.neighbors import Relation, Unit
from dalenius.numerics import Number, positive
from dalenius.queries import Bins

Test = Callable[[dict[str, NDArray[Any]]], float]
"""From the columns of a block to a p-value."""
_REJECTED = "rejected"
_ANSWER = Unit.row(Relation.CHANGE_ONE)
_BLOCKS = (3, 4, 5, 6, 8, 10, 13, 18, 26, 40, 60, 90, 140, 210, 320, 500)
_POWER = 0.8
_THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.3)


@named_arguments
def test_any(
    data: Curator[Any],
    test: Test,
    columns: Sequence[str],
    *,
    epsilon: Number,
    version: str,
    blocks: int | None = None,
    threshold: Number | None = None,
    level: Number = 0.05,
) -> HypothesisTest:
    """Test any hypothesis for which there is a test on data that is not private: the test of tests  [KSGB23].

    data: the curator that holds the private rows; it is charged once.
    test: from a dict of the columns of some rows to a p-value; where it fails the block does not reject.
    columns: the columns that the test reads.
    epsilon: what the answer costs.
    version: a name for the test: change it when the test changes.
    blocks: into how many random blocks the people are divided; left out, the number that suits ε best.
    threshold: below which p-value a block rejects; left out, the one that suits ε best.
    level: the size for which blocks and threshold are chosen, if they are left out.

    Each person draws a block. If the hypothesis is true and people are independent, blocks reject independently of
    each other with a chance of at most the threshold each. So their number is at most binomial, and the most powerful
    private test that the chance is larger has a guaranteed size, whatever the test, if the test itself has [AS18].
    """
    wanted = float(checked_level(level))
    plan, parts, bar = plan_of_tests(
        test,
        columns,
        data.facts.unit,
        epsilon=epsilon,
        version=version,
        blocks=blocks,
        threshold=threshold,
        level=wanted,
    )
    release = data.release(plan)
    proportion = test_proportion(release, bar, "greater", rows=parts)
    return HypothesisTest(
        p_value=proportion.p_value,
        statistic=proportion.statistic,
        hypothesis=f"{version} holds",
        alternative="the alternative that more blocks reject than would by chance",
        method=f"test of tests, {parts} random blocks at {bar:g} each, most powerful count of them",
        size="guaranteed",
        privacy=proportion.privacy,
        remark="Guaranteed if the test itself keeps its size on a block, and people are independent.",
    )


test_any.__test__ = False  # type: ignore[attr-defined]  # a function of ours, not a test of pytest's


def plan_of_tests(
    test: Test,
    columns: Sequence[str],
    unit: Unit,
    *,
    epsilon: Number,
    version: str,
    blocks: int | None = None,
    threshold: Number | None = None,
    level: Number = 0.05,
) -> tuple[Blocked, int, float]:
    """The plan of the number of blocks that reject, that of blocks, and the threshold: all of it public."""
    if not callable(test):
        raise InvalidParameter("test must be a function from a dict of columns to a p-value")
    if isinstance(columns, str):
        raise InvalidParameter(f"columns must be a list of names, got {columns!r}")
    budget = positive(epsilon, "epsilon")
    if blocks is not None and (isinstance(blocks, bool) or not isinstance(blocks, int) or blocks < 1):
        raise InvalidParameter(f"blocks must be a whole number ≥ 1, got {blocks!r}")
    size, given = (
        float(checked_level(level)),
        None if threshold is None else float(checked_level(threshold, "threshold")),
    )
    if blocks is None or given is None:
        best = best_division(float(budget), size)
        blocks, given = blocks or best[0], given or best[1]
    parts, bar = blocks, given

    def rejects(block: dict[str, NDArray[Any]]) -> float:
        return float(float(test(block)) <= bar)

    counted = Measure.calibrated(Bins(_REJECTED, ("1/2", 1)), epsilon=budget, unit=_ANSWER, name="blocks that reject")
    result = Result(_REJECTED, Fraction(0), Fraction(1), Fraction(0))
    named = f"{version}, p-value at most {bar!r}"
    return Blocked(rejects, tuple(columns), parts, (result,), counted, unit, named), parts, bar


@lru_cache(maxsize=64)
def best_division(epsilon: float, level: float) -> tuple[int, float, float]:
    """The number of blocks and the threshold with which a z test needs the fewest people, and how many times as many.

    If z has the mean δ over all people it has δ/√m on each of m blocks, so a two-sided z test rejects there with the
    chance Φ(δ/√m − c) + Φ(−δ/√m − c), c = z₁₋ₜ/₂. Of a list of m and t, those with the least δ that has a power of 0.8;
    what comes third is the square of δ over that of the test without privacy: how many times as many people it takes.
    A test that looks at one side loses less, and would be better off with more blocks.
    """
    best = (math.inf, _BLOCKS[-1], _THRESHOLDS[0])
    for blocks in _BLOCKS:
        for threshold in _THRESHOLDS:
            best = min(best, (_needed(blocks, threshold, epsilon, level), blocks, threshold))
    plain = float(special.ndtri(1 - level / 2) + special.ndtri(_POWER))
    return best[1], best[2], (best[0] / plain) ** 2


def _needed(blocks: int, threshold: float, epsilon: float, level: float) -> float:
    """The least δ of power 0.8; ∞ if even blocks that surely reject have less."""

    def power(chance: float) -> float:
        return power_of_proportion(blocks, threshold, chance, epsilon=epsilon, level=level)[0]

    if power(1.0) < _POWER:
        return math.inf
    chance = float(brentq(lambda p: power(p) - _POWER, threshold, 1.0, xtol=1e-4))
    cut = float(special.ndtri(1 - threshold / 2))
    shift = brentq(lambda d: float(special.ndtr(d - cut) + special.ndtr(-d - cut)) - chance, 0.0, 40.0)
    return math.sqrt(blocks) * float(shift)
