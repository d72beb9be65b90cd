"""A first policy for one or several tables, made for their owner from one look at the data.

Everything proposed here comes from rows, so it is marked as proposed until the owner confirms it. What was seen on the
way goes to a file of its own, for the owner alone: a policy is copied, committed and shown.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.sql.engine import GuessedFile, OwnerLook, guess_file, source_of
from dalenius.sql.engine.file_format import PLAIN, FileFormat
from dalenius.sql.policy.person_names import is_number, person_of
from dalenius.sql.surveys.person import Decision, Identity, find_person
from dalenius.sql.surveys.relations import Relations, relate
from dalenius.sql.surveys.table import SurveyedTable
from dalenius.sql.types.column_types import REALS, is_read

_INDEX = re.compile(r"__index_level_\d+__|Unnamed: ?\d+")


@dataclass(frozen=True, slots=True)
class Survey:
    """Tables as they are, who is protected in them, and how they hang together."""

    tables: tuple[SurveyedTable, ...]
    decision: Decision
    relations: Relations | None
    identities: tuple[Identity, ...] = ()

    def table(self, name: str) -> SurveyedTable:
        """One of them."""
        return next(one for one in self.tables if one.name == name)


@named_arguments
def survey(
    places: Mapping[str, str | Path],
    *,
    columns: Mapping[str, Mapping[str, str]] | None = None,
    unit: str | None = None,
) -> Survey:
    """Look at tables once, for their owner: files by the names that the tables shall have.

    `columns` are types that the owner declares instead of those that would be guessed, by table. `unit` is the owner's
    word on who is protected: a column, `table.column`, or "row".
    """
    guesses = {name: None if name in (columns or {}) else guess_file(place) for name, place in places.items()}
    sources = {}
    for name, place in places.items():
        types, written = _declared(guesses[name], (columns or {}).get(name))
        sources[name] = source_of(place, types, name, written=written)
    with OwnerLook(sources) as look:
        tables = tuple(_table(look, name, str(places[name]), guesses[name]) for name in places)
        decision = find_person(tables, look.contained) if unit is None else _said(unit, tables, look)
        related = relate(tables, decision, look) if not decision.asks else None
    return Survey(tables, decision, related)


def _declared(
    guess: GuessedFile | None, types: Mapping[str, str] | None
) -> tuple[Mapping[str, str] | None, FileFormat]:
    if types is not None:
        return types, PLAIN
    return (None, PLAIN) if guess is None else (guess.columns, guess.written)


def _table(look: OwnerLook, name: str, place: str, guess: GuessedFile | None) -> SurveyedTable:
    held = look.columns(name)
    dirt: dict[str, list[str]] = dict(guess.dirt) if guess is not None else {}
    columns = {}
    for column, kind in held.items():
        if _INDEX.fullmatch(column):
            dirt.setdefault(column, []).append("an index column of pandas: left out")
        elif not is_read(kind):
            dirt.setdefault(column, []).append(f"a column of {kind}, which no question can read: left out")
        else:
            columns[column] = kind
    facts = look.facts(name, list(columns))
    if guess is None:
        texts = [column for column, kind in columns.items() if kind == "VARCHAR" and not is_number(column)]
        guessed = look.guess(name, texts)
        columns |= guessed.columns
        for column, remarks in guessed.dirt.items():
            dirt.setdefault(column, []).extend(remarks)
    for column, kind in columns.items():
        if kind in REALS and facts[column].whole and (is_number(column) or person_of(column)):
            columns[column] = "BIGINT"
            dirt.setdefault(column, []).append(f"whole numbers in a column of {kind}: declared as BIGINT")
    rows = next((one.rows for one in facts.values()), 0)
    for column, one in facts.items():
        if one.nulls:
            dirt.setdefault(column, []).append(f"{one.nulls / max(rows, 1):.2%} of rows are NULL")
    return SurveyedTable(name, place, rows, columns, facts, guess.written if guess else PLAIN, guess is not None, dirt)


def _said(unit: str, tables: Sequence[SurveyedTable], look: OwnerLook) -> Decision:
    """The owner's own word."""
    if unit == "row":
        return Decision(rows=True, why="the owner says so")
    named, _, column = unit.rpartition(".")
    having = {
        table.name: next((name for name in table.columns if name.lower() == column.lower()), None)
        for table in tables
        if not named or table.name == named
    }
    columns = {table: name for table, name in having.items() if name is not None}
    if not columns:
        listed = ", ".join(name for table in tables for name in table.columns)
        raise InvalidParameter(f"no table has a column {unit!r}; there is {listed}")
    known = find_person(tables, look.contained)
    for identity in (*([known.chosen] if known.chosen else []), *known.candidates):
        if any(identity.columns.get(table) == name for table, name in columns.items()):
            return Decision(identity, why="the owner says so")
    facts = {table.name: table.facts for table in tables}
    repeats = any(not facts[table][name].unique for table, name in columns.items())
    return Decision(Identity(columns, person_of(column), repeats), why="the owner says so")
