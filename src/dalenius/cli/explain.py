"""`dalenius explain`: what a question would cost and how far off its answer would be, for free."""

import json as json_
from dataclasses import replace

import typer

from dalenius.cli import terms


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
    json: terms.Json = False,
) -> None:
    """What a question would cost, and the error of its answer: free, from the terms alone, without a ledger."""
    from dalenius.cli.render import explained
    from dalenius.sql.compile import compile_query
    from dalenius.sql.plan import QueryPlan
    from dalenius.sql.settled import tentative

    said = terms.terms_of(asked, policy, unit, contributions, bounds, keys, column, fill, table)
    declared, notes = tentative(said.declared())
    told = replace(QueryPlan(compile_query(said.question, declared), epsilon).explain(), notes=notes)
    typer.echo(json_.dumps(explained(told), indent=2, ensure_ascii=False) if json else str(told))
