"""`dalenius explain`: what a question would cost and how far off its answer would be, for free."""

import json as json_
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from dalenius.cli import terms
from dalenius.numerics import rational

if TYPE_CHECKING:
    from dalenius.sql import Policy
    from dalenius.sql.named_plan import NamedPlan
    from dalenius.sql.plan import QueryPlan
    from dalenius.sql.top_plan import TopPlan


def explain(
    asked: terms.Asked,
    epsilon: terms.Epsilon,
    policy: terms.PolicyFile = None,
    unit: terms.Owner = None,
    contributions: terms.Contributions = None,
    bounds: terms.Bounds = None,
    keys: terms.Keys = None,
    column: terms.Columns = None,
    fill: terms.Fill = None,
    table: terms.Table = None,
    delta: terms.Delta = None,
    groups: terms.Groups = None,
    min_units: terms.MinUnits = 1,
    json: terms.Json = False,
) -> None:
    """What a question would cost, and the error of its answer: free, from the terms alone, without a ledger."""
    from dalenius.cli.render import explained
    from dalenius.sql.settled import tentative

    said = terms.terms_of(asked, policy, unit, contributions, bounds, keys, column, fill, table)
    declared, notes = tentative(said.declared())
    plan = planned(said.question, declared, epsilon, delta, groups, min_units)
    told = replace(plan.explain(), notes=notes)
    typer.echo(json_.dumps(explained(told), indent=2, ensure_ascii=False) if json else str(told))


def planned(
    question: str, policy: "Policy", epsilon: str, delta: str | None, groups: int | None, min_units: int
) -> "QueryPlan | NamedPlan | TopPlan":
    """The plan of a question; δ is that given, or a hundredth of the policy's budget: there is no ledger to ask."""
    from dalenius.sql.compile import compile_query
    from dalenius.sql.named import Unknown
    from dalenius.sql.named_plan import NamedPlan
    from dalenius.sql.settled import norm_for
    from dalenius.sql.top_plan import plan_for

    granted = (policy.budget or {}).get("delta", 0)
    slack = rational(granted, "delta") / 100 if delta is None else rational(delta, "delta")
    norm = norm_for(policy, delta is not None and slack > 0)
    compiled = compile_query(question, policy, Unknown(groups or 1, min_units) if slack else None, norm=norm)
    return NamedPlan(compiled, epsilon, slack) if compiled.named else plan_for(compiled, epsilon, slack)
