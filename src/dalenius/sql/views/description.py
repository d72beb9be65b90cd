"""What analysts may know of tables, for nothing: names, types, bounds and keys, as the owner has declared them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from dalenius.calls import named_arguments
from dalenius.curator import Outcome, Release, key_text
from dalenius.curator.answer.receipts import receipt_from_dict, receipt_to_dict
from dalenius.errors import UnknownName, UnprovenClaim
from dalenius.escape import escaped, html_table, terminal
from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.numerics import Number
from dalenius.queries import Keys
from dalenius.sql.policy.policy import Policy
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.types.column_types import kind_of
from dalenius.sql.types.kinds import Kind
from dalenius.sql.views.declared_keys import declared_keys

_DESCRIBE = re.compile(r'\s*(?:DESCRIBE|DESC)\s+(?:TABLE\s+)?("(?:[^"]|"")+"|[\w.]+)\s*;?\s*', re.IGNORECASE)
_SHOW = re.compile(r"\s*SHOW\s+(?:ALL\s+)?TABLES\s*;?\s*", re.IGNORECASE)
_MOST_KEYS = 8


@dataclass(frozen=True, slots=True, repr=False)
class Description(Release):
    """A table of what was declared. No row was read, so nothing was charged and there is no error.

    Bounds and keys are the owner's statements: values outside of them are clamped, or not shown.
    """

    form: ClassVar[str] = "description"

    table: dict[str, list[Any]]

    @classmethod
    def of(cls, table: dict[str, list[Any]], policy: Policy) -> "Description":
        """The table as an answer that cost nothing."""
        receipt = Receipt(policy.population, PureDP(0, policy.unit.relation), policy.unit, "", 0)
        return cls(Outcome(()), receipt, table)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it; `from_dict` gives it back."""
        return {"described": self.table, "receipt": receipt_to_dict(self.receipt)}

    @staticmethod
    def from_dict(stored: dict[str, Any]) -> "Description":
        """A description that was written down."""
        return Description(Outcome(()), receipt_from_dict(stored["receipt"]), stored["described"])

    def told(self, level: Number) -> Mapping[str, Sequence[Any]]:
        """Columns by name; there is nothing that has ends."""
        return self.table

    @property
    def columns(self) -> tuple[str, ...]:
        """Names, in the order shown."""
        return tuple(self.table)

    @property
    def value(self) -> dict[str, list[Any]]:
        return self.table

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """One tuple for each row."""
        return list(zip(*self.table.values(), strict=True))

    def accuracy(self, beta: Number) -> int:
        """There is no noise  [A Prop 3.1]."""
        return 0

    def interval(self, level: Number, joint: bool = False) -> Any:
        """Refused: nothing was measured."""
        raise UnprovenClaim("a description holds what was declared: it has no interval")

    @property
    def bias(self) -> None:
        """Nothing was bounded."""
        return None

    def table_of(self, intervals: bool = False, level: Any = 0.95) -> Mapping[str, Sequence[Any]]:
        return self.table

    def _repr_html_(self) -> str:
        return html_table(list(self.table), zip(*map(_texts, self.table.values()), strict=True))

    @escaped
    def __repr__(self) -> str:
        texts = [[name, *_texts(column)] for name, column in self.table.items()]
        widths = [max(map(len, column)) for column in texts]
        lines = [
            "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
            for row in zip(*texts, strict=True)
        ]
        return "\n".join(lines)


def _texts(column: Sequence[Any]) -> list[str]:
    """A column as people read it; where NULL is among its values, they are keys."""
    return [key_text(value) if None in column else terminal(str(value)) for value in column]


@named_arguments
def describe(policy: Policy | str | Path, table: str | None = None) -> tuple[Description, ...]:
    """What analysts may know of the tables of a policy, from its file alone: the tables, then the columns of each.

    With `table`, the columns of that one. Of a table whose columns the policy does not declare there are none.
    """
    terms = policy if isinstance(policy, Policy) else Policy.load(policy)
    others = {name.lower(): _declared_table(name, terms) for name in terms.beside.tables}
    if table is not None:
        return (columns_of(table, terms, others),)
    return (
        tables_of(terms, others),
        *(columns_of(name, terms, others) for name in (terms.table, *terms.beside.tables)),
    )


def _declared_table(name: str, terms: Policy) -> QueryTable:
    """A table beside the first as the policy's file tells of it."""
    said, start = terms.beside, f"{name}."
    columns = {column[len(start) :]: kind for column, kind in said.columns.items() if column.startswith(start)}
    declared = said.declared.of(name)
    keys = {column: Keys(column, values) for column, values in declared.keys.items()}
    people = (said.units.get(name) or terms.unit.column or "").lower()
    unit = next((column for column in columns if column.lower() == people), None)
    declarations = (keys, declared.bounds, declared.fill)
    return QueryTable(
        name,
        "",
        columns,
        unit,
        *declarations,
        attributes=frozenset(declared.attributes),
        owned=True,
        null_keys=frozenset(declared.null_keys),
    )


def asked_description(
    query: str, policy: Policy, others: Mapping[str, QueryTable], views: Sequence[str] = ()
) -> Description | None:
    """The answer to DESCRIBE, SHOW TABLES or SELECT DISTINCT of declared keys; None for any other text."""
    if not isinstance(query, str):  # the parser says what a question is
        return None
    if _SHOW.fullmatch(query):
        return tables_of(policy, others, views)
    if (listed := declared_keys(query, policy, others)) is not None:
        return Description.of(listed, policy)
    asked = _DESCRIBE.fullmatch(query)
    if asked is None:
        return None
    name = asked[1]
    plain = name[1:-1].replace('""', '"') if name.startswith('"') else name
    return columns_of(plain, policy, others)


def tables_of(policy: Policy, others: Mapping[str, QueryTable], views: Sequence[str] = ()) -> Description:
    """Each table, whose rows it holds and how many columns it has."""
    first = QueryTable.first(policy)
    listed = [first, *others.values()]
    return Description.of(
        {
            "table": [*(one.name for one in listed), *views],
            "rows of": [*(_whose(one, policy) for one in listed), *("a released answer" for _ in views)],
            "columns": [*(", ".join(one.columns) for one in listed), *("" for _ in views)],
        },
        policy,
    )


def columns_of(name: str, policy: Policy, others: Mapping[str, QueryTable]) -> Description:
    """Each column of a table: its type, what bounds its values, which keys it may be grouped by."""
    first = QueryTable.first(policy)
    listed = {first.name.lower(): first, **others}
    if not isinstance(name, str):
        raise UnknownName(f"a table is described by its name: {', '.join(one.name for one in listed.values())}")
    described = listed.get(name.lower())
    if described is None:
        raise UnknownName(f"there is no table {name!r}; there is {', '.join(one.name for one in listed.values())}")
    said = policy.descriptions if described is first else {}
    return Description.of(
        {
            "column": list(described.columns),
            "type": list(described.columns.values()),
            "bounds": [_bounds(described, column) for column in described.columns],
            "keys": [_keys(described, column) for column in described.columns],
            "about": [
                "; ".join(filter(None, (said.get(column), _about(described, column)))) for column in described.columns
            ],
        },
        policy,
    )


def _whose(table: QueryTable, policy: Policy) -> str:
    if table.unit is not None:
        return f"each {table.unit}"
    if table.owned and policy.unit.column is not None and table.reference is None:
        return "whom its rows refer to"
    if table.reference is not None:
        return f"whom {table.reference.column} refers to in {table.reference.table}"
    return "each row is a person's" if table.owned and policy.unit.column is None else "nobody: public"


def _bounds(table: QueryTable, column: str) -> str:
    ends = table.bounds.get(column)
    return "" if ends is None else f"{ends[0]} to {ends[1]}"


def _keys(table: QueryTable, column: str) -> str:
    keys, nulls = table.keys.get(column), ["NULL"] if column in table.null_keys else []
    if keys is None:
        is_boolean = bool(nulls) and kind_of(table.columns[column]) is Kind.BOOLEAN
        return ", ".join([*(map(key_text, (False, True)) if is_boolean else ()), *nulls])
    values = [key_text(value) for value in keys.values[:_MOST_KEYS]]
    more = len(keys.values) - len(values)
    return ", ".join([*values, *nulls]) + (f" and {more} more" if more else "")


def _about(table: QueryTable, column: str) -> str:
    words = [
        *(["who is protected"] if column == table.unit else []),
        *(["one value a person"] if column in table.attributes else []),
        *([f"NULL counts as {table.fill[column]}"] if column in table.fill else []),
        *(
            [f"survey weight, held from 0 to {table.weight.most}"]
            if table.weight is not None and table.weight.column == column
            else []
        ),
        *([f"SUM of a person: {table.sum_bounds[column]}"] if column in table.sum_bounds else []),
    ]
    return ", ".join(words)
