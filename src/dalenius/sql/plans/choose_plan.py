"""The plan of a compiled query: for keys that are to be found, for the largest cells, or for noise on every cell."""

from dalenius.numerics import Number
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.plans.sums import QueryPlan
from dalenius.sql.plans.top_k import TopPlan, plan_for
from dalenius.sql.plans.unknown_keys import UnknownKeysPlan

AnyPlan = QueryPlan | UnknownKeysPlan | TopPlan


def choose_plan(compiled: Compiled, epsilon: Number, delta: Number = 0) -> AnyPlan:
    """The plan at a price; what was compiled and the price decide which, all of it public."""
    return UnknownKeysPlan(compiled, epsilon, delta) if compiled.named else plan_for(compiled, epsilon, delta)
