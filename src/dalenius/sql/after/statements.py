"""The statements of a session: which are one private SELECT, and which compute with the answers of several."""

from dataclasses import dataclass

from dalenius.errors import InvalidSyntax
from dalenius.sql.after.ask import StatementPricing, Terms
from dalenius.sql.after.split import split
from dalenius.sql.planner.output import KeyColumn
from dalenius.sql.pricing.ask import Pricing
from dalenius.sql.pricing.request import PreparedCompiler
from dalenius.sql.tables.table import Table
from dalenius.sql.text.parse import parse
from dalenius.sql.text.statement import Statement
from dalenius.sql.views.private_views import Views


@dataclass(frozen=True, slots=True)
class Statements:
    """Who prices private SELECTs, and the views that are kept."""

    pricing: Pricing
    views: Views

    def read(self, said: Statement, terms: Terms, kept: PreparedCompiler) -> StatementPricing | None:
        """The statement in two storeys, what is private and what stands above; None where it is one private SELECT."""
        try:
            tree = parse(said.select)
        except InvalidSyntax:
            return None  # refused in the words of the language for tables
        if self.views.answers(tree):
            return None
        policy, views = self.pricing.policy, self.views.releases
        tables = {policy.table.lower(): Table.first(policy), **self.pricing.others}
        two = split(tree, tables, {name: view.columns for name, view in views.items()}, self._declared_keys)
        if two is None:
            return None
        return StatementPricing(two, self.pricing, {name: views[name] for name in two.views}, kept, said, terms)

    def _declared_keys(self, select: str) -> tuple[KeyColumn, ...]:
        return self.pricing.asked(Statement(select), 0, None, 1).compiled(1, 1).keys
