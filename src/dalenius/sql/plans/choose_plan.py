"""The plan of a compiled query: for keys that are to be found, for the largest cells, or for noise on every cell."""

from collections.abc import Mapping
from typing import Any

from dalenius.curator import SeveralTables
from dalenius.curator.answer.outcome import shown_above
from dalenius.mechanisms import DiscreteGaussian, Gaussian, discrete_gaussians, lone_discrete_gaussian
from dalenius.numerics import Number, float_above, positive
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.plans.counted_keys import CountedKeysPlan
from dalenius.sql.plans.sums import QueryPlan
from dalenius.sql.plans.top_k import MOST_LOOKS, TopPlan, missed_by_noise, rounds_of
from dalenius.sql.plans.unknown_keys import UnknownKeysPlan

AnyPlan = QueryPlan | UnknownKeysPlan | CountedKeysPlan | TopPlan


def choose_plan(compiled: Compiled, epsilon: Number, delta: Number = 0) -> AnyPlan:
    """The plan at a price; what was compiled and the price decide which, all of it public."""
    if not compiled.named:
        return plan_for(compiled, epsilon, delta)
    by_naming = UnknownKeysPlan(compiled, epsilon, delta)
    if compiled.counted is None:
        return by_naming
    by_threshold = CountedKeysPlan(compiled, epsilon, delta)
    return by_threshold if by_threshold.missed < by_naming.missed else by_naming


def earlier_forms(plan: AnyPlan, epsilon: Number, delta: Number = 0) -> tuple[AnyPlan, ...]:
    """The plans that answered the same question before there was one like this: what they answered stays answered.

    Gaussian noise was discrete; a count by keys that nobody declared was released apart from them.
    """
    before = [with_discrete_noise(plan, epsilon, delta)]
    if isinstance(plan, CountedKeysPlan) and isinstance(before[0], CountedKeysPlan):
        before.append(UnknownKeysPlan(plan.compiled, epsilon, delta))
    return tuple(one for one in before if one is not plan)


def with_discrete_noise(plan: AnyPlan, epsilon: Number, delta: Number = 0) -> AnyPlan:
    """The plan that was chosen at this price when Gaussian noise was discrete; `plan` itself where that is the same.

    Discrete noise of counts that name their keys had a scale found by another search, and so another fingerprint.
    """
    if isinstance(plan, QueryPlan) and plan.is_rounded:
        return QueryPlan(plan.compiled, epsilon, delta, plan.remark, discrete_gaussians)
    if isinstance(plan, CountedKeysPlan) and isinstance(plan.mechanism.noise, Gaussian | DiscreteGaussian):
        by_threshold = CountedKeysPlan(plan.compiled, epsilon, delta, lone_discrete_gaussian)
        by_naming = UnknownKeysPlan(plan.compiled, epsilon, delta)
        return by_threshold if by_threshold.missed < by_naming.missed else by_naming
    return plan


def types_read(plan: Any) -> Mapping[str, str]:
    """The types of the columns that a plan reads, by table and column; none of what is no question in SQL."""
    if isinstance(plan, SeveralTables):
        return dict(item for part in plan.plans for item in types_read(part).items())
    return plan.compiled.types_read if isinstance(plan, AnyPlan) else {}


def plan_for(compiled: Compiled, epsilon: Number, delta: Number = 0) -> QueryPlan | TopPlan:
    """The plan for public keys: the k largest by a choice where that misses by less than noise on all cells would.

    Cells, k, ε and what bounds a unit decide it: all of them public.
    """
    top = compiled.top
    if top is None or top.k * compiled.cells > MOST_LOOKS:
        return QueryPlan(compiled, epsilon, delta)
    plan = TopPlan(compiled, epsilon)
    if plan.missed < missed_by_noise(compiled, positive(epsilon, "epsilon")):
        return plan
    other = shown_above(float_above(plan.missed))
    remark = f"noise on all cells: report noisy max in {rounds_of(top.k)} would be ± {other}"
    return QueryPlan(compiled, epsilon, delta, remark)
