"""The statements of a session: which are one private SELECT, and which compute with the answers of several."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dalenius.errors import InvalidSyntax, UnboundedQuery, UnknownName, UnsupportedQuery
from dalenius.sql.after.ask import AskTerms, StatementPricing
from dalenius.sql.after.choice import as_choice
from dalenius.sql.after.plain import is_one_select
from dalenius.sql.after.split import SplitStatement, split
from dalenius.sql.planner.output import KeyColumn
from dalenius.sql.pricing.ask import Pricing
from dalenius.sql.pricing.request import PreparedCompiler
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.parse import parse_once
from dalenius.sql.text.statement import Statement
from dalenius.sql.views.private_views import Views

_REMEMBERED = 256
_Storeys = tuple[SplitStatement | None, SplitStatement | None]


@dataclass(frozen=True, slots=True)
class Statements:
    """Who prices private SELECTs, and the views that are kept.

    How a statement splits follows from its text, the owner's terms, the day and the columns of the views, all of them
    public: it is remembered under just these. A refusal is not remembered.
    """

    pricing: Pricing
    views: Views
    _known: OrderedDict[tuple[object, ...], _Storeys] = field(default_factory=OrderedDict, compare=False, repr=False)

    def read(self, said: Statement, terms: AskTerms, kept: PreparedCompiler) -> StatementPricing | None:
        """The statement in two storeys, what is private and what stands above; None where it is one private SELECT."""
        try:
            tree = parse_once(said.select)
        except InvalidSyntax:
            return None  # refused in the words of the language for tables
        policy, views = self.pricing.policy, self.views.releases
        tables = {policy.table.lower(): QueryTable.first(policy), **self.pricing.others}
        if is_one_select(tree, tables) or self.views.answers(tree):
            return None
        two, chosen = self._storeys(said.select, tree, tables)
        if two is None:
            return None
        above = StatementPricing(two, self.pricing, {name: views[name] for name in two.views}, kept, said, terms)
        if chosen is None or _is_known(above):  # then the same answers it for nothing
            return above
        return replace(above, split=chosen)

    def _storeys(self, text: str, tree: exp.Expr, tables: Mapping[str, QueryTable]) -> _Storeys:
        """The statement in two storeys, and as a choice among keys; None where it is not such a statement."""
        columns = {name: tuple(view.columns) for name, view in self.views.releases.items()}
        key = (text, self.pricing.policy.today, *columns.items())
        storeys = self._known.pop(key, None)
        if storeys is None:
            two = split(tree, tables, columns, self._declared_keys)
            reads = (self._is_choice, self._declared_keys)
            storeys = two, None if two is None else as_choice(tree, tables, columns, *reads)
        self._known[key] = storeys
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return storeys

    def _is_choice(self, select: str) -> bool:
        try:
            return self.pricing.asked(Statement(select), 0, None, 1).compiled(1, 1).top is not None
        except (UnsupportedQuery, UnboundedQuery, UnknownName):
            return False  # the statement as it was written is refused in its own words, or finds keys for a δ

    def _declared_keys(self, select: str) -> tuple[KeyColumn, ...]:
        return self.pricing.asked(Statement(select), 0, None, 1).compiled(1, 1).keys


def _is_known(statement: StatementPricing) -> bool:
    """Whether a statement was answered; not so of one that is refused unless it is a choice."""
    try:
        return statement.is_known()
    except (UnsupportedQuery, UnboundedQuery, UnknownName):
        return False
