"""Finding the person: which columns of several tables name the people whose rows they hold.

A column that names people is called like a person (`patient_id`), or refers to a table that has one row for each
(`orders.buyer` to `people.id`), or has the name of such a column. Columns that name the same people are one *identity*.
One that repeats is whom several rows belong to; a number that is new in every row is the row's own. Where several
identities could be the person, or none is called like one, nothing is chosen: the owner is asked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dalenius.sql.engine import ColumnFacts
from dalenius.sql.policy.person_names import (
    Person,
    is_attribute,
    is_durable,
    is_event,
    is_number,
    is_paired,
    is_table_of_people,
    may_be_text,
    may_serve,
    names_role,
    person_of,
    same_thing,
    words_of,
)
from dalenius.sql.surveys.table import SurveyedTable
from dalenius.sql.types.column_types import UNIT_TYPES, is_whole

REFERS = 0.95
"""The share of a column's values that must stand in a key for it to be a reference: real data has orphans."""
FEWEST = 8
"""Values that a column has at least if it names people, unless there are few rows."""
_BOTH = 0.5
_SPREAD = 4
_ATTRIBUTES = 2
Contained = Callable[[str, str, str, str], float]


@dataclass(frozen=True, slots=True)
class Identity:
    """Columns that name the same people, or things: at most one of each table."""

    columns: dict[str, str]
    """The column, by table."""
    person: Person
    repeats: bool
    values: int = 0
    """The most values that one of the columns has."""
    keyed: bool = False
    """Whether one of the columns is new in every row of a table: the key that the others refer to."""

    @property
    def name(self) -> str:
        """What to call it: by the column that several rows share, where there is one."""
        return next(iter(self.columns.values()))

    def described(self) -> str:
        """For the owner."""
        where = ", ".join(f"{table}.{column}" for table, column in self.columns.items())
        return f"{where}: {'repeats' if self.repeats else 'is new in every row'}"


@dataclass(frozen=True, slots=True)
class Decision:
    """Who is protected: an identity, each row, or nobody that could be told, with those it may be."""

    chosen: Identity | None = None
    rows: bool = False
    why: str = ""
    candidates: tuple[Identity, ...] = field(default=())

    @property
    def asks(self) -> bool:
        """Whether the owner must decide."""
        return self.chosen is None and not self.rows


def find_person(tables: Sequence[SurveyedTable], contained: Contained) -> Decision:
    """Decide who is protected, or whom to ask about."""
    identities = sorted(_identities(tables, contained), key=lambda one: (-one.person, not one.repeats))
    decision = _decide(identities, tables)
    if decision.chosen is None:
        return decision
    if _is_row_beside_person(decision.chosen, identities):
        return Decision(candidates=tuple(identities), why="a number of rows stands beside one that repeats")
    if (
        pair := _other_side(decision.chosen, identities, {table.name: table for table in tables}, contained)
    ) is not None:
        why = f"each row of {pair[0]} is between two people, {pair[1]} and {pair[2]}, and a unit is one of them"
        return Decision(candidates=tuple(identities), why=why)
    return decision


def _decide(identities: list[Identity], tables: Sequence[SurveyedTable]) -> Decision:
    people = [one for one in identities if one.person is Person.PERSON]
    if people:
        return _among_people(people)
    for level, what in ((Person.ROLE, "a role"), (Person.TRACE, "what people leave behind")):
        named = [one for one in identities if one.person is level]
        repeating = [one for one in named if one.repeats]
        others = [one for one in identities if one.repeats and one.person is Person.NUMBER]
        lasting = [one for one in repeating if is_durable(one.name)] if len(repeating) > 1 else repeating
        if len(lasting) == 1 and level is Person.TRACE:
            return Decision(lasting[0], why=f"the one column that names {what} and stays the same, and it repeats")
        if len(named) == 1 and not repeating and not others and _about_people(named[0], tables):
            return Decision(named[0], why=f"the one column that names {what}, in a table with a row for each person")
        if named:
            return Decision(candidates=tuple(identities), why="no column is surely one of the people")
    if any(one.repeats for one in identities):
        return Decision(candidates=tuple(identities), why="ids repeat, and their name does not tell whose they are")
    attributes = sum(is_attribute(name) for table in tables for name in table.columns)
    if identities and (attributes >= _ATTRIBUTES or any(is_table_of_people(table.name) for table in tables)):
        return Decision(identities[0], why="a number of its own in every row of a table about people")
    if not identities and len(tables) == 1 and attributes >= _ATTRIBUTES:
        return Decision(rows=True, why="no column names people, and the columns are what a survey asks of one")
    return Decision(candidates=tuple(identities), why="no column is called like a person")


def _among_people(people: list[Identity]) -> Decision:
    if len(people) > 1:  # the second member of a household, or the subject of a letter, is not whom rows belong to
        people = [one for one in people if one.values >= FEWEST and not may_be_text(one.name)] or people
    repeating = [one for one in people if one.repeats]
    if len(people) == 1:
        return Decision(people[0], why="the one column that is called like a person")
    if len(repeating) == 1:
        return Decision(repeating[0], why="called like a person, and the one of these that repeats")
    if not repeating:
        return Decision(people[0], why="called like a person, as others are that are new in every row too")
    served = [one for one in repeating if not may_serve(one.name)]
    if len(served) == 1:
        return Decision(served[0], why="called like a person, and the others that repeat may serve them")
    widest = sorted(repeating, key=lambda one: -len(one.columns))
    if len(widest[0].columns) > len(widest[1].columns):
        return Decision(widest[0], why="called like a person, and found in more tables than others that are")
    return Decision(candidates=tuple(people), why="several columns are called like people, and repeat")


def _is_row_beside_person(chosen: Identity, identities: list[Identity]) -> bool:
    """The rule that is never broken: not a number that is new in every row while another, like a person, repeats."""
    if chosen.repeats:
        return False
    beside = [one for one in identities if one is not chosen and one.repeats and set(one.columns) & set(chosen.columns)]
    surer = Person.PERSON if chosen.person is Person.PERSON else Person.NUMBER
    return any(one.person >= surer for one in beside)


def _other_side(
    chosen: Identity, identities: list[Identity], tables: Mapping[str, SurveyedTable], contained: Contained
) -> tuple[str, str, str] | None:
    """A table whose rows belong to two of the people: another column of it holds the same people as the chosen one."""
    for table, mine in chosen.columns.items():
        for other in identities:
            its = other.columns.get(table)
            if its is None or other is chosen or (other.person < Person.ROLE and not is_paired(mine)):
                continue
            if tables[table].facts[mine].unique or tables[table].facts[its].unique:
                continue
            keys = [one for one in _keys(chosen, tables) + _keys(other, tables) if one[0] != table]
            serves = (may_serve(its) or other.person is Person.ROLE) and not is_paired(its)
            apart = (chosen.keyed and other.keyed) or (serves and not keys)
            known = not keys or any(
                min(contained(table, mine, *key), contained(table, its, *key)) >= REFERS for key in keys
            )
            overlap = min(contained(table, mine, table, its), contained(table, its, table, mine))
            if not apart and known and overlap >= _BOTH:
                return table, mine, its
    return None


def _keys(identity: Identity, tables: Mapping[str, SurveyedTable]) -> list[tuple[str, str]]:
    return [(name, column) for name, column in identity.columns.items() if tables[name].facts[column].unique]


def _about_people(identity: Identity, tables: Sequence[SurveyedTable]) -> bool:
    return any(_is_about_people(table) for table in tables if table.name in identity.columns)


def _is_about_people(table: SurveyedTable) -> bool:
    attributes = sum(is_attribute(name) for name in table.columns)
    return not is_event(table.name) and (is_table_of_people(table.name) or attributes >= _ATTRIBUTES)


def _identities(tables: Sequence[SurveyedTable], contained: Contained) -> Iterator[Identity]:
    """Columns that may name people or things, those that name the same put together."""
    likely = [(table, facts) for table in tables for facts in table.facts.values() if is_candidate(facts, table)]
    groups: list[list[tuple[SurveyedTable, ColumnFacts]]] = []
    for table, facts in likely:
        mine = (table, facts)
        same = [group for group in groups if any(_names_the_same(mine, other, contained) for other in group)]
        free = [group for group in same if all(there.name != table.name for there, _ in group)]
        if free:
            merged = [one for group in _one_each_table(free) for one in group]
            groups = [group for group in groups if not any(one in merged for one in group)]
            groups.append([*merged, mine])
        else:
            groups.append([mine])
    for group in groups:
        group.sort(key=lambda one: (one[1].unique, -one[0].rows))
        repeats = any(not facts.unique for _, facts in group)
        values, keyed = max(facts.distinct for _, facts in group), len(group) > 1 and group[-1][1].unique
        yield Identity({table.name: facts.name for table, facts in group}, _person(group), repeats, values, keyed)


def _one_each_table(
    groups: list[list[tuple[SurveyedTable, ColumnFacts]]],
) -> list[list[tuple[SurveyedTable, ColumnFacts]]]:
    """Groups that may become one: no two columns of a table name the same people."""
    kept: list[list[tuple[SurveyedTable, ColumnFacts]]] = []
    for group in groups:
        taken = {table.name for one in kept for table, _ in one}
        if not any(table.name in taken for table, _ in group):
            kept.append(group)
    return kept


def is_candidate(facts: ColumnFacts, table: SurveyedTable) -> bool:
    """Whether a column's name and values allow that it names people, or rows that refer to them."""
    person = person_of(facts.name)
    exact = (facts.kind in UNIT_TYPES and facts.kind != "DATE") or facts.whole
    if not exact or facts.distinct < 2 or not (person is not Person.NO or is_number(facts.name)):
        return False
    if person < Person.TRACE and is_event(facts.name) and facts.unique:
        return False  # the row's own number
    if not facts.identifier and person is not Person.TRACE and (person is not Person.PERSON or may_be_text(facts.name)):
        return False
    few = person is Person.PERSON and is_number(facts.name)
    return facts.unique or facts.distinct >= min(FEWEST, table.rows / 4) or few


def _names_the_same(
    mine: tuple[SurveyedTable, ColumnFacts], other: tuple[SurveyedTable, ColumnFacts], contained: Contained
) -> bool:
    (table, facts), (there, its) = mine, other
    if table.name == there.name:
        return False
    if words_of(facts.name) == words_of(its.name) and person_of(facts.name) >= Person.TRACE:
        return True
    for (one, column), (two, key) in ((mine, other), (other, mine)):
        # of two tables that each call their own number id, neither refers to the other
        alike = words_of(column.name) == words_of(key.name) and not column.unique
        own = person_of(key.name) is Person.NUMBER or same_thing(key.name, two.name)
        called = alike or (own and (same_thing(column.name, two.name) or _may_refer(column, key, two)))
        if called and key.unique and contained(one.name, column.name, two.name, key.name) >= REFERS:
            return True
    return False


def _may_refer(column: ColumnFacts, key: ColumnFacts, people: SurveyedTable) -> bool:
    """Whether a column may name rows of a table of people under another name: author_id the users, buyer the people.

    A name of its own is needed where the key's numbers are small: 1, 2, 3 … are found among any numbers.
    """
    if not is_table_of_people(people.name) or may_serve(people.name) or column.unique:
        return False
    if person_of(column.name) >= Person.ROLE:
        return not names_role(people.name)
    return is_number(column.name) and is_telling(key)


def is_telling(key: ColumnFacts) -> bool:
    """Whether values of this key are not found elsewhere by chance: texts, or numbers far apart or far from 0."""
    if not is_whole(key.kind) or not key.quantiles:
        return key.kind in ("VARCHAR", "UUID")
    least, largest = float(key.quantiles[0]), float(key.quantiles[-1])
    return largest - least > _SPREAD * key.distinct or least > _SPREAD * key.distinct


def _person(group: list[tuple[SurveyedTable, ColumnFacts]]) -> Person:
    """By the surest name among the columns, or by a table of people whose key one of them is."""
    named = max(person_of(facts.name) for _, facts in group)
    if named is Person.PERSON or (named is Person.ROLE and not any(_is_key_of_people(*one) for one in group)):
        return named
    shared = len(group) > 1
    for table, facts in group:
        key = facts.unique and not is_event(facts.name) and _is_about_people(table)
        own = is_table_of_people(table.name) and (
            person_of(facts.name) is Person.NUMBER or same_thing(facts.name, table.name)
        )
        if key and (own or shared):
            return Person.PERSON
    return named if named is not Person.NO else Person.NUMBER


def _is_key_of_people(table: SurveyedTable, facts: ColumnFacts) -> bool:
    """Whether a column numbers the rows of a table of the people themselves, not of those who serve them."""
    return facts.unique and is_table_of_people(table.name) and not names_role(table.name) and not may_serve(table.name)
