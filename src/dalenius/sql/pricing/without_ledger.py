"""What a question would cost, from the owner's terms alone: there is no ledger to ask what was found before."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from dalenius.numerics import Number, rational
from dalenius.sql.plans.choose_plan import choose_plan
from dalenius.sql.plans.sums import QueryExplanation
from dalenius.sql.policy.policy import Policy
from dalenius.sql.pricing.request import Request
from dalenius.sql.pricing.target_error import WantedPrice
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.statement import Statement

SLACK_SHARE = Fraction(1, 100)
"""The part of the budget's δ that one question may spend on keys that nobody declared, where it names no δ itself."""


@dataclass(frozen=True, slots=True)
class OwnersTerms:
    """The tables and the terms that a question is priced by, with what the asker adds to them."""

    policy: Policy
    tables: Mapping[str, QueryTable]
    delta: Number | None = None
    groups: int | None = None
    min_units: int = 1

    def explain(self, statement: Statement, epsilon: Number | None) -> QueryExplanation:
        """The explanation of one SELECT; where the owner left contributions out, for one row of each unit."""
        wanted = WantedPrice.read(statement, epsilon)
        request = self.request(statement)
        compiled = request.compiled(1)
        explanation = choose_plan(compiled, wanted.price(compiled), request.delta).explain()
        return replace(explanation, notes=found_first(request))

    def request(self, statement: Statement) -> Request:
        """The SELECT on these terms, where no ledger says what is left."""
        statement.check_unit(self.policy.unit)
        statement.check_delta()
        allowed = statement.delta if self.delta is None else self.delta
        granted = (self.policy.budget or {}).get("delta", 0)
        slack = rational(granted, "delta") * SLACK_SHARE if allowed is None else rational(allowed, "delta")
        spread = self.delta is not None and slack > 0
        groups = self.groups or 1
        return Request(statement.select, self.policy, self.tables, slack, groups, self.min_units, Fraction(0), spread)


def found_first(request: Request) -> tuple[str, ...]:
    """What is said of the histogram that the first answer will pay for; nothing where one row of each unit answers."""
    policy = request.policy
    if not request.is_silent or not request.compiled(1, 1).grows:
        return ()
    share = float(100 * rational(policy.bounding_share, "bounding_share"))
    return (
        f"first        how many rows each {policy.unit.column} has, for {share:g} % of the budget, paid once and kept",
        "             nothing if a profile was bought: that stands in the ledger, which is not opened here",
        "             the numbers above are for one row of each unit, and grow with what is found",
    )
