"""What a statement in two storeys would cost, from the owner's terms alone, without a ledger."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from dalenius.errors import InvalidSyntax
from dalenius.numerics import Number, positive
from dalenius.sql.after.ask import explained, public_shapes, questions
from dalenius.sql.after.released_tables import TableShape
from dalenius.sql.after.split import SplitStatement, split
from dalenius.sql.planner.output import KeyColumn
from dalenius.sql.plans.choose_plan import choose_plan
from dalenius.sql.plans.sums import QueryExplanation
from dalenius.sql.policy.policy import Policy
from dalenius.sql.pricing.without_ledger import OwnersTerms, found_first
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.parse import parse
from dalenius.sql.text.quoted import quoting
from dalenius.sql.text.statement import Statement, read_statement


@quoting
def explain_statement(
    query: str,
    policy: Policy,
    tables: Mapping[str, QueryTable],
    *,
    epsilon: Number | None,
    delta: Number | None = None,
    groups: int | None = None,
    min_units: int = 1,
) -> QueryExplanation:
    """The explanation of a question, also of one that computes with the answers of its private SELECTs."""
    terms = OwnersTerms(policy, tables, delta, groups, min_units)
    said = read_statement(query)
    two = _split(said, terms)
    if two is None:
        return terms.explain(said, epsilon)
    whole = positive(said.price(epsilon), "epsilon")
    parts = [replace(said, select=part.select, view=None) for part in two.parts]
    requests = [terms.request(part) for part in parts]
    requests = [replace(request, delta=request.delta / len(parts)) for request in requests]
    compiled = [request.compiled(1, 1) for request in requests]
    counts = [questions(one) for one in compiled]
    prices = [whole * Fraction(count, sum(counts)) for count in counts]
    plans = [
        choose_plan(request.compiled(1), price, request.delta) for request, price in zip(requests, prices, strict=True)
    ]
    shapes = {part.name: TableShape.of(one) for part, one in zip(two.parts, compiled, strict=True)}
    shapes |= public_shapes(two, terms.tables)
    first = dict.fromkeys(line for request in requests for line in found_first(request))
    return explained(two, plans, prices, shapes, tuple(first))


def _split(said: Statement, terms: OwnersTerms) -> SplitStatement | None:
    """The statement in two storeys; None where it is one private SELECT, or is refused as one."""
    try:
        tree = parse(said.select)
    except InvalidSyntax:
        return None
    known = {terms.policy.table.lower(): QueryTable.first(terms.policy), **terms.tables}
    without_slack = OwnersTerms(terms.policy, terms.tables, delta=0)

    def declared_keys(select: str) -> tuple[KeyColumn, ...]:
        return without_slack.request(Statement(select)).compiled(1, 1).keys

    return split(tree, known, {}, declared_keys)
