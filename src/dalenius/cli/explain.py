"""`dalenius explain`: what a question would cost and how far off its answer would be, for free."""

from dalenius.cli import terms
from dalenius.cli.output import say, say_json


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
    from dalenius import sql

    given = terms.terms_of(asked, policy, unit, contributions, bounds, keys, column, fill, table)
    explanation = sql.explain(
        given.question,
        policy=given.declared(),
        epsilon=epsilon,
        delta=delta,
        groups=groups,
        min_units=min_units,
        data=given.file,
    )
    if json:
        say_json(explanation.to_dict())
    else:
        say(str(explanation))
