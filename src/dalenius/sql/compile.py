"""From an analyst's text to one pushed-down aggregation with proven sensitivities."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dalenius.neighbors import Unit
from dalenius.queries import Key
from dalenius.sql.draft import Draft
from dalenius.sql.group import Group
from dalenius.sql.join import join_tables
from dalenius.sql.others import Other
from dalenius.sql.output import KeyColumn, Output
from dalenius.sql.parse import parse
from dalenius.sql.policy import Policy
from dalenius.sql.rules import RULES


@dataclass(frozen=True, slots=True)
class Compiled:
    """A query before it is priced.

    `scan` gives, for each cell (combination of `keys`, numbered with the last key fastest), one integer per part.
    `groups` say which parts are measured together and how far one unit can move them; `output` what is made of them.
    """

    scan: str
    unit: Unit
    keys: tuple[KeyColumn, ...]
    cells: int
    groups: tuple[Group, ...]
    output: Output

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts in the order of the scan's columns."""
        return tuple(name for group in self.groups for name in group.parts)

    @property
    def paid_only_to_sift(self) -> tuple[str, ...]:
        """Questions that no column of the answer shows: HAVING or ORDER BY asks them, and they are paid too."""
        shown = frozenset().union(*(c.of.names for c in self.output.columns if not isinstance(c.of, int)))
        return tuple(group.question for group in self.groups if not shown & frozenset(group.parts))

    def labels(self, cell: int) -> tuple[Key, ...]:
        """The keys of a cell."""
        found = []
        for key in reversed(self.keys):
            cell, place = divmod(cell, len(key.values))
            found.append(key.values[place])
        return tuple(reversed(found))

    def facts(self) -> dict[str, Any]:
        """All that the answer depends on but the data, for fingerprints."""
        return {
            "scan": self.scan,
            "unit": self.unit.column,
            "keys": [[key.name, list(key.values)] for key in self.keys],
            "groups": [group.facts() for group in self.groups],
            "output": self.output.facts(),
        }


def compile_query(text: str, policy: Policy, others: Mapping[str, Other] | None = None) -> Compiled:
    """What a text asks for; refused before anything is charged or read. `others` are the tables that may be joined."""
    joined = join_tables(parse(text), policy, others or {})
    draft, policy = Draft(joined.tree), joined.policy
    for rule in RULES:
        draft = rule(draft, policy)
    assert draft.statement is not None
    assert draft.output is not None
    statement = joined.placed(draft.statement).sql(dialect="duckdb")
    return Compiled(statement, policy.unit, draft.keys, draft.cells, draft.groups, draft.output)
