"""From an analyst's text to one pushed-down aggregation with proven sensitivities."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.neighbors import Metric, Unit
from dalenius.queries import Key, Keys
from dalenius.sql.draft import Draft
from dalenius.sql.group import Group
from dalenius.sql.mode import Mode
from dalenius.sql.named import NamedKey, Unknown
from dalenius.sql.output import KeyColumn, Output
from dalenius.sql.parse import parse
from dalenius.sql.policy import Policy
from dalenius.sql.rank import Rank
from dalenius.sql.rules import RULES
from dalenius.sql.subquery import resolve
from dalenius.sql.table import Table
from dalenius.sql.top import Top


@dataclass(frozen=True, slots=True)
class Compiled:
    """A query before it is priced.

    `scan` gives, for each cell (combination of `keys`, numbered with the last key fastest), one integer per part.
    `keys` are those that were declared; of a combination of `named` keys the scan has a row for each cell, with the
    number of its units. `groups` say which parts are measured together and how far one unit can move them; `output`
    what is made of them.
    """

    scan: str
    unit: Unit
    keys: tuple[KeyColumn, ...]
    cells: int
    groups: tuple[Group, ...]
    output: Output
    unknown: Unknown | None = None
    named: tuple[NamedKey, ...] = ()
    ranks: tuple[Rank, ...] = ()
    modes: tuple[Mode, ...] = ()
    top: Top | None = None
    prepared: bool = False
    """Whether `scan` and `ranks` read the prepared table; the groups' own scans read the source."""

    @property
    def naming(self) -> Fraction:
        """The share of ε that is left for finding keys."""
        choices = [*(rank.share for rank in self.ranks), *(mode.share for mode in self.modes)]
        return 1 - sum((*(group.weight for group in self.groups), *choices), Fraction(0))

    @property
    def single(self) -> bool:
        """Whether there is one cell in all."""
        return self.cells == 1 and not self.named

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts in the order of the scan's columns; groups with a scan of their own come after."""
        return tuple(name for group in self.groups if not group.scan for name in group.parts)

    @property
    def paid_only_to_sift(self) -> tuple[str, ...]:
        """Questions that no column of the answer shows: HAVING or ORDER BY asks them, and they are paid too."""
        shown = frozenset().union(*(c.of.names for c in self.output.columns if not isinstance(c.of, int)))
        paid = [
            *((one.question, one.parts) for one in self.groups),
            *((one.question, one.parts) for one in self.ranks),
            *((one.question, (one.part,)) for one in self.modes),
        ]
        return tuple(question for question, parts in paid if not shown & frozenset(parts))

    def labels(self, cell: int) -> tuple[Key, ...]:
        """The keys of a cell."""
        found = []
        for key in reversed(self.keys):
            cell, place = divmod(cell, len(key.values))
            found.append(key.values[place])
        return tuple(reversed(found))

    @property
    def cell_keys(self) -> Keys | None:
        """The cells, by names of their own: what the answer calls them stands in its layout."""
        if not self.keys:
            return None
        columns = [f"key {number}" for number in range(len(self.keys))]
        return Keys.among(columns, map(self.labels, range(self.cells)))

    def facts(self) -> dict[str, Any]:
        """All that the answer depends on but the data, for fingerprints."""
        found: dict[str, Any] = {"ranks": [rank.facts() for rank in self.ranks]} if self.ranks else {}
        if self.modes:
            found["modes"] = [mode.facts() for mode in self.modes]
        if self.top is not None:
            found["top"] = self.top.facts()
        if self.prepared:
            found["prepared"] = True
        if self.named:
            found["named"] = [[key.name, key.place, key.kind.value] for key in self.named]
        return found | {
            "scan": self.scan,
            "unit": self.unit.column,
            "keys": [[key.name, list(key.values)] for key in self.keys],
            "groups": [group.facts() for group in self.groups],
            "output": self.output.facts(),
        }


def compile_query(
    text: str,
    policy: Policy,
    unknown: Unknown | None = None,
    others: Mapping[str, Table] | None = None,
    norm: Metric = Metric.L1,
) -> Compiled:
    """What a text asks for; refused before anything is charged or read.

    Without `unknown` keys must be declared; `others` are the tables that may be joined. In ℓ2, the `norm` of Gaussian
    noise, a unit whose rows are spread over cells counts for more of them.
    """
    joined = resolve(parse(text), policy, others or {})
    draft, terms = Draft(joined.tree, unknown=unknown, norm=norm, source=joined.rows), joined.policy
    for rule in RULES:
        draft = rule(draft, terms)
    assert draft.output is not None
    statement = "" if draft.statement is None else draft.statement.sql(dialect="duckdb")
    found = unknown if draft.named else None
    return Compiled(
        statement,
        policy.unit,
        draft.keys,
        draft.cells,
        draft.groups,
        draft.output,
        found,
        draft.named,
        draft.ranks,
        draft.modes,
        draft.top,
    )
