"""Answers that are kept: paid for once, then asked again and again for nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from dalenius.curator import Arrangement, Chosen, Computed, Release, Shown, ShownKey, TableRelease
from dalenius.curator.answer.outcome import Outcome, Told
from dalenius.curator.answer.shown import Item
from dalenius.curator.formula import Formula
from dalenius.errors import DaleniusError, InvalidParameter, InvalidSyntax, UnknownName, UnsupportedQuery
from dalenius.sql.planner.formulas import FormulaReader
from dalenius.sql.planner.rules import refuse_unsupported
from dalenius.sql.planner.rules.bind_aggregates import whole_number
from dalenius.sql.planner.stages import Question
from dalenius.sql.plans.choose_plan import AnyPlan
from dalenius.sql.policy.policy import Policy
from dalenius.sql.text.parse import parse
from dalenius.sql.text.statement import Statement
from dalenius.sql.text.words import word
from dalenius.sql.types.kinds import Kind
from dalenius.sql.views.row_language import ReleasedRow, column_name, kind_of_values, read_row

_LANGUAGE = "ask SELECT columns FROM view WHERE … ORDER BY … LIMIT n"


class Views:
    """The private views of a session, by name.

    Whatever is made of a released table costs nothing  [A Prop 3.1, D Thm 1.4]; the engine that holds the data is
    never asked. A view lives as long as its session: made again from the same SELECT at the same price, it is the
    ledger's stored answer, for nothing.
    """

    def __init__(self, policy: Policy, others: Iterable[str] = ()) -> None:
        self._policy = policy
        self._tables = {policy.table.lower(), *others}
        self._kept: dict[str, TableRelease] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The views that there are, in the order they were made."""
        return tuple(self._kept)

    @property
    def releases(self) -> Mapping[str, TableRelease]:
        """The answers that are kept, by name in lower case."""
        return self._kept

    def answers(self, tree: exp.Expr) -> bool:
        """Whether the language for one view answers a question: it carries the error of every number along."""
        if self._view_of(tree) is None:
            return False
        assert isinstance(tree, exp.Select)
        try:
            _selected(tree, self._kept[str(self._view_of(tree))], self._policy)
        except UnsupportedQuery:
            return False
        except DaleniusError:
            return True  # it is refused there, in the words of that language
        return True

    def _view_of(self, tree: exp.Expr) -> str | None:
        """The one view that a SELECT is from."""
        source = tree.args.get("from_") if isinstance(tree, exp.Select) else None
        name = source.this.name.lower() if source is not None and isinstance(source.this, exp.Table) else ""
        return name if name in self._kept else None

    def answer(self, asked: Statement) -> TableRelease | None:
        """What a view answers, for nothing; None if the question is not about a view."""
        if not self._kept:
            return None
        try:
            tree = parse(asked.select)
        except InvalidSyntax:
            return None  # refused in the words of the language for tables
        name = self._view_of(tree)
        if name is None:
            return None
        assert isinstance(tree, exp.Select)
        return _selected(tree, self._kept[name], self._policy)

    def check_name(self, asked: Statement) -> None:
        """Refuse a name that is taken, before anything is paid."""
        if asked.view is None:
            return
        name = asked.view.lower()
        if name in self._tables:
            raise InvalidParameter(f"{asked.view!r} is a table: give the view a name of its own")
        if name in self._kept and not asked.replaces:
            raise InvalidParameter(f"there is a view {asked.view!r}: write CREATE OR REPLACE, or take another name")

    def check_plan(self, asked: Statement, plan: AnyPlan) -> None:
        """A view is a table, so its SELECT has keys."""
        if asked.view is not None and not (plan.compiled.keys or plan.compiled.named):
            raise UnsupportedQuery("a view is a table: its SELECT needs GROUP BY (a number asked again is free anyway)")

    def keep(self, asked: Statement, release: Release) -> Release:
        """Keep an answer under the name that was given, if any."""
        if asked.view is not None and isinstance(release, TableRelease):
            self._kept[asked.view.lower()] = release
        return release


def _selected(tree: exp.Select, release: TableRelease, policy: Policy) -> TableRelease:
    """The rows and columns of a released table that a SELECT names, each with the error that it was released with."""
    refuse_unsupported(Question(_without_star(tree)), policy)
    for clause in ("group", "having"):
        if tree.args.get(clause):
            raise UnsupportedQuery(f"{clause.upper()} is not understood over a view; {_LANGUAGE}")
    _check_tables(tree)
    outcome = release.outcome
    table: dict[str, tuple[Told, ...]] = {item.name.lower(): outcome.column(item) for item in outcome.shown}
    kinds = {name: kind_of_values(column) for name, column in table.items()}
    drawn = frozenset(column.name for column in outcome.columns if isinstance(column, Chosen | Computed))
    layout = _layout(tree, dict(zip(table, outcome.shown, strict=True)), kinds, drawn)
    rows: list[ReleasedRow] = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    kept = _arranged(tree, rows, kinds)
    cells = outcome.rows().tolist()
    arrangement = replace(_noise(tree, outcome), rows=tuple(cells[row] for row in kept))
    return TableRelease(replace(outcome, layout=layout, arrangement=arrangement), release.receipt)


def _noise(tree: exp.Select, outcome: Outcome) -> Arrangement:
    """Whether noisy numbers picked the rows of a SELECT from a view, or put them into their order, here or in the view.

    Rows are chosen by keys alone where WHERE, and ORDER BY if rows are cut off, read nothing but keys. Everything else
    counts as a number: then the interval of each row holds together with those of all cells that could have been there.
    """
    keys = {item.name.lower() for item in outcome.shown if isinstance(item, ShownKey)}

    def reads_numbers(nodes: Iterable[exp.Expr]) -> bool:
        return any(column.name.lower() not in keys for node in nodes for column in node.find_all(exp.Column))

    where, order = tree.args.get("where"), tree.args.get("order")
    terms = () if order is None else order.expressions
    ordered = outcome.ordered_by_noise or reads_numbers(_sorted_by(term, tree) for term in terms)
    cut = any(tree.args.get(clause) is not None for clause in ("limit", "offset"))
    picked = outcome.picked_by_noise or (where is not None and reads_numbers([where])) or (ordered and cut)
    return Arrangement(rows=(), picked_by_noise=picked, ordered_by_noise=ordered)


def _without_star(tree: exp.Select) -> exp.Select:
    """The tree with a column in the place of SELECT *, which a table has no rule for and a view has."""
    plain = tree.copy()
    for term in plain.expressions:
        if isinstance(term, exp.Star) and not any(term.args.values()):
            term.replace(exp.column("every"))
    return plain


def _check_tables(tree: exp.Select) -> None:
    known = tree.args["from_"].this.alias_or_name.lower()
    for column in tree.find_all(exp.Column):
        if column.table and column.table.lower() != known:
            raise UnknownName(f"there is no table {column.table!r} in this query; there is {known!r}")


def _layout(
    tree: exp.Select, items: Mapping[str, Item], kinds: Mapping[str, Kind], drawn: frozenset[str]
) -> tuple[Item, ...]:
    layout: list[Item] = []
    for place, term in enumerate(tree.expressions, 1):
        node = term.unalias()
        if isinstance(term, exp.Star):
            layout += items.values()
        elif isinstance(node, exp.Column):
            item = items[column_name(node, kinds)]
            layout.append(replace(item, name=term.alias or item.name))
        else:
            formula = _computed(node, tree, items, kinds)
            if formula.names & drawn:
                raise UnsupportedQuery(
                    "a quantile is shown as it is: its error, told in ranks, cannot be carried along"
                )
            layout.append(Shown(term.alias or f"column_{place}", formula))
    if len({item.name.lower() for item in layout}) != len(layout):
        raise UnsupportedQuery("the columns of an answer need names that differ; give one another name with AS")
    return tuple(layout)


def _computed(node: exp.Expr, tree: exp.Select, items: Mapping[str, Item], kinds: Mapping[str, Kind]) -> Formula:
    """Arithmetic on a view's numbers: a formula over what was released, which carries its error along."""

    def column(inner: exp.Column) -> Formula:
        item = items[column_name(inner, kinds)]
        if isinstance(item, ShownKey):
            raise UnsupportedQuery(
                f"{inner.name} is a key: compute with numbers of a view, or take it with to_pandas()"
            )
        return item.formula

    return FormulaReader(tree, _no_aggregate, column).formula(node)


def _no_aggregate(node: exp.Expr) -> Formula:
    raise UnsupportedQuery(
        f"{word(node)} is not understood over a view: its rows are released, so take them with to_pandas()"
    )


def _arranged(tree: exp.Select, rows: Sequence[ReleasedRow], kinds: Mapping[str, Kind]) -> list[int]:
    """The numbers of the rows that WHERE keeps, in the order and as many as asked for."""
    kept = list(range(len(rows)))
    if (where := tree.args.get("where")) is not None:
        condition = read_row(where.this, kinds)
        if condition.kind not in (Kind.BOOLEAN, Kind.NULL):
            raise UnsupportedQuery("WHERE takes a condition")
        kept = [row for row in kept if condition.of(rows[row]) is True]
    order = tree.args.get("order")
    for term in reversed(order.expressions if order is not None else ()):
        kept = _sorted(kept, rows, term, tree, kinds)
    start = whole_number(tree, "offset") or 0
    most = whole_number(tree, "limit")
    return kept[start : None if most is None else start + most]


def _sorted(kept: list[int], rows: Sequence[ReleasedRow], term: exp.Expr, tree: exp.Select, kinds: Any) -> list[int]:
    """Stable; what is absent comes last, or first if asked for."""
    if isinstance(term.this, exp.Literal):
        raise UnsupportedQuery("ORDER BY over a view takes its columns by name")
    value = read_row(_sorted_by(term, tree), kinds)
    values = {row: value.of(rows[row]) for row in kept}
    present = [row for row in kept if values[row] is not None]
    absent = [row for row in kept if values[row] is None]
    present.sort(key=lambda row: values[row], reverse=bool(term.args.get("desc")))
    return absent + present if term.args.get("nulls_first") else present + absent


def _sorted_by(term: exp.Expr, tree: exp.Select) -> exp.Expr:
    """What a term of ORDER BY means: a name of the SELECT's own goes before one of the view's."""
    named = {one.alias.lower(): one.this for one in tree.expressions if isinstance(one, exp.Alias)}
    node: exp.Expr = term.this
    return named.get(node.name.lower(), node) if isinstance(node, exp.Column) and not node.table else node
