"""How surveyed tables hang together: which is asked first, whose rows the others hold, and what refers to what."""

from collections.abc import Sequence
from dataclasses import dataclass

from dalenius.sql.engine import OwnerLook
from dalenius.sql.policy.person_names import Person, is_number, may_be_text, person_of, same_thing, words_of
from dalenius.sql.surveys.person import FEWEST, REFERS, Decision, is_candidate, is_telling
from dalenius.sql.surveys.table import SurveyedTable
from dalenius.sql.types.column_types import KEY_TYPES, REALS, UNIT_TYPES, is_whole


@dataclass(frozen=True, slots=True)
class Relations:
    """The first table and its unit; the others by how their rows are somebody's; and tables that are left out."""

    first: str
    unit: str
    rows_per_unit: str
    units: dict[str, str]
    """The column of people in other tables."""
    references: dict[str, str]
    """`table.column` to `table.key`."""
    attributes: tuple[tuple[str, str], ...]
    left_out: dict[str, str]
    rows_of_units: tuple[int, ...] = ()
    unprotected: tuple[str, ...] = ()
    """Columns that name other people, `table.column`: whoever they name is not protected."""
    one_row: tuple[str, ...] = ()
    """Of the other tables those with one row of a person at most, where the first has many."""


def relate(tables: Sequence[SurveyedTable], decision: Decision, look: OwnerLook) -> Relations:
    """Put the tables together around the person that was found."""
    if decision.rows:
        first = max(tables, key=lambda table: table.rows)
        others = {
            table.name: "each row is a unit, so no other table is joined" for table in tables if table is not first
        }
        return Relations(first.name, "row", "one", {}, {}, (), others)
    assert decision.chosen is not None
    by_name = {table.name: table for table in tables}
    people = dict(decision.chosen.columns)
    first = max((by_name[name] for name in people), key=lambda table: (not _unique(table, people), table.rows))
    unit, left_out = people.pop(first.name), {}
    for name, column in list(people.items()):
        mine, its = first.columns[unit], by_name[name].columns[column]
        if mine != its and not (is_whole(mine) and is_whole(its)):
            left_out[name] = f"its {column!r} is of {its}, and {first.name}.{unit} is of {mine}: make them one type"
            people.pop(name)
    references = _references(tables, {first.name, *people}, look)
    reached = {first.name, *people, *(here.partition(".")[0] for here in references)}
    left_out |= {
        table.name: _why_left_out(table) for table in tables if table.name not in reached and table.name not in left_out
    }
    unprotected = tuple(
        f"{name}.{column}"
        for name in sorted(reached)
        for column in _other_people(by_name[name], {first.name: unit, **people}.get(name), look)
    )
    attributes = tuple(
        (name, column)
        for name, mine in {first.name: unit, **people}.items()
        for column in _attributes(by_name[name], mine, look)
    )
    rows = look.rows_of_units(first.name, unit)
    repeats = "many" if decision.chosen.repeats else "one"
    one_row = tuple(name for name in people if repeats == "many" and _unique(by_name[name], people))
    return Relations(first.name, unit, repeats, people, references, attributes, left_out, rows, unprotected, one_row)


def _why_left_out(table: SurveyedTable) -> str:
    people = [name for name in table.columns if person_of(name) >= Person.TRACE]
    if people:
        return (
            f"it refers to no table of those who are protected, and its {people[0]!r} may name people: it must not be "
            "public; name it with --unit if its people are the ones to protect"
        )
    return "it names no people and refers to no table that does: [public] if its rows are no secret"


def _other_people(table: SurveyedTable, unit: str | None, look: OwnerLook) -> list[str]:
    """Columns that name people who are not the units, nor each of them one unit's own, as a member is a household's."""
    named = [
        name
        for name, facts in table.facts.items()
        if name != unit and person_of(name) >= Person.ROLE and not may_be_text(name)
        if facts.distinct >= FEWEST and is_candidate(facts, table)
    ]
    return [name for name in named if unit is None or not look.constant(table.name, name, [unit])]


def _unique(table: SurveyedTable, people: dict[str, str]) -> bool:
    return table.facts[people[table.name]].unique


def _references(tables: Sequence[SurveyedTable], reached: set[str], look: OwnerLook) -> dict[str, str]:
    """Foreign keys by which further tables reach the people, step by step."""
    references: dict[str, str] = {}
    names = set(reached)
    rest = [table for table in tables if table.name not in names]
    while True:
        step = next(
            ((here, there) for here in rest for there in tables if there.name in names and _key(here, there, look)),
            None,
        )
        if step is None:
            return references
        here, there = step
        column, key = _key(here, there, look) or ("", "")
        references[f"{here.name}.{column}"] = f"{there.name}.{key}"
        names.add(here.name)
        rest.remove(here)


def _key(here: SurveyedTable, there: SurveyedTable, look: OwnerLook) -> tuple[str, str] | None:
    """A column that refers to another table's key: by its name, its type, and nearly all of its values."""
    for column, facts in here.facts.items():
        kind = here.columns.get(column)
        for key, its in there.facts.items():
            other = there.columns.get(key)
            typed = kind in UNIT_TYPES and (kind == other or (is_whole(str(kind)) and is_whole(str(other))))
            called = words_of(column) == words_of(key) or (
                same_thing(column, there.name) and (person_of(key) is Person.NUMBER or same_thing(key, there.name))
            )
            numbered = is_number(column) or is_number(key) or is_telling(its)
            likely = typed and called and numbered and its.unique and facts.distinct
            if likely and look.contained(here.name, column, there.name, key) >= REFERS:
                return column, key
    return None


def _attributes(table: SurveyedTable, unit: str, look: OwnerLook) -> list[str]:
    """Columns of which each person has one value: texts, whole numbers, booleans and dates."""
    kinds = (KEY_TYPES - REALS) | {"DATE"}
    likely = [
        name
        for name, kind in table.columns.items()
        if name != unit and kind in kinds and kind == table.facts[name].kind and not table.facts[name].unique
    ]
    return look.constant(table.name, unit, likely)
