"""A survey as two files: the policy with proposed terms, and what was seen, for the owner alone."""

from collections.abc import Callable
from typing import Any

from dalenius.calls import named_arguments
from dalenius.sql.engine import ColumnFacts
from dalenius.sql.policy import toml as policy_file
from dalenius.sql.policy.person_names import is_event, is_number
from dalenius.sql.policy.policy import UNDECIDED
from dalenius.sql.surveys.propose import bounds_of, cut_off, keys_of
from dalenius.sql.surveys.relations import Relations
from dalenius.sql.surveys.survey import Survey
from dalenius.sql.surveys.table import SurveyedTable
from dalenius.sql.types.column_types import is_whole, kind_of
from dalenius.sql.types.kinds import Kind

_NOTES = {
    "table": "A first policy, written by a look at the data. Terms that were taken from rows are listed under\n"
    "`proposed`: read them, change them to what may be public, and run `dalenius policy confirm`.",
    "unit": "Who is protected: a column that names people, or row if each person owns one row.",
    "candidates": "Nobody could tell who is protected. Write one of these as the unit; nothing is served before.",
    "rows_per_unit": '"one" or "many" rows of a person. How many of many count is found privately, for a small part\n'
    "of the budget; or state it: contributions = 20.",
    "infinity": "NaN is NULL; an infinite number is clamped to the bounds, or null.",
    "attributes": "Columns of which a person has one value; of several the least is taken.",
    "proposed": "Terms that were taken from rows and that nobody has confirmed yet.",
    "budget": "What may be spent on all questions together.",
    "bounds": "Lowest and highest value that counts in full. Take what you know without the data.",
    "null_keys": "Columns whose NULL is a group of its own, shown whether a row is NULL or not.",
    "keys": "Groups that may be shown, present in the data or not. Remove what only the data could have told.",
    "tables": "More tables of the same people.",
    "units": "What the column of people is called in other tables.",
    "references": "Whose the rows of a table are, by what they refer to.",
    "formats": "How files are written.",
}
_BY_TABLE = (
    '"one" or "many" rows of a person in each table. How many of many count is found privately, for a small\n'
    "part of the budget; or state it before the first line in brackets: contributions = 20."
)
_CLOCK = (
    "Times are read on the clock of UTC, whatever zone the file names. For another clock, say so under\n"
    '[formats]: visits = {zones = {arrived = "Europe/Berlin"}}, with your names of table and column.'
)
_SURVEY = (
    "What a look at the data has found, for its owner alone. It tells of rows: it is not part of the policy, nothing\n"
    "reads it, and it may be deleted.\n"
)


@named_arguments
def policy_text(surveyed: Survey, relative: Callable[[str], str] = str, *, confirmed_unit: bool = False) -> str:
    """The policy as TOML with comments; `relative` says where a file lies, seen from the policy."""
    related = surveyed.relations
    first = surveyed.table(related.first) if related is not None else max(surveyed.tables, key=lambda table: table.rows)
    unit = related.unit if related is not None else UNDECIDED
    beside = [table for table in surveyed.tables if related is not None and table.name in _beside(surveyed)]
    tables = [first, *beside]
    bounds, keys = _bounds(surveyed, tables, first), _keys(surveyed, tables, first)
    nulls = _null_keys(surveyed, tables, first, keys)
    attributes = [] if related is None else [_called(table, name, first.name) for table, name in related.attributes]
    guessed = any(table.guessed for table in tables)
    formats = {table.name: table.written.to_terms() for table in tables if table.written.to_terms()}
    terms: dict[str, Any] = {
        **{"table": first.name, "source": relative(first.place), "unit": unit},
        "candidates": None if related is not None else [one.name for one in surveyed.decision.candidates],
        "rows_per_unit": None if related is None else _rows_per_unit(related),
        **{"infinity": "clamp", "attributes": attributes or None, "null_keys": nulls or None},
        "proposed": [
            *_proposed(surveyed, confirmed_unit, guessed, bool(formats), bool(attributes), bounds, keys),
            *(("null_keys",) if nulls else ()),
        ],
        "budget": {"epsilon": 1, "delta": 0},
        "columns": {_called(t.name, name, first.name): kind for t in tables for name, kind in t.columns.items()},
        **{"bounds": bounds, "keys": keys},
        "tables": {table.name: relative(table.place) for table in beside},
        "units": {} if related is None else {name: one for name, one in related.units.items() if one != unit},
        **{"references": {} if related is None else related.references, "formats": formats},
    }
    has_times = "TIMESTAMP" in terms["columns"].values()
    by_table = {"rows_per_unit": _BY_TABLE} if isinstance(terms["rows_per_unit"], dict) else {}
    return policy_file.write(terms, _NOTES | by_table | ({"columns": _CLOCK} if has_times else {}))


def _rows_per_unit(related: Relations) -> str | dict[str, str]:
    """One word, or where some tables beside the first hold one row of a person, a word for each that has people."""
    if not related.one_row:
        return related.rows_per_unit
    others = {name: "one" if name in related.one_row else related.rows_per_unit for name in related.units}
    return {related.first: related.rows_per_unit, **others}


def _proposed(
    surveyed: Survey, confirmed: bool, guessed: bool, formats: bool, attributes: bool, bounds: Any, keys: Any
) -> list[str]:
    related = surveyed.relations
    whole = [
        *(("unit",) if related is not None and not confirmed else ()),
        *(("rows_per_unit",) if related is not None and not (confirmed and related.unit == "row") else ()),
        *(("columns",) if guessed else ()),
        *(("formats",) if formats else ()),
        *(("attributes",) if attributes else ()),
        *(("references",) if related is not None and related.references else ()),
    ]
    return [*whole, *(f"bounds.{name}" for name in bounds), *(f"keys.{name}" for name in keys)]


def _beside(surveyed: Survey) -> set[str]:
    assert surveyed.relations is not None
    return {*surveyed.relations.units, *(here.partition(".")[0] for here in surveyed.relations.references)}


def _called(table: str, column: str, first: str) -> str:
    return column if table == first else f"{table}.{column}"


def _is_key(surveyed: Survey, table: SurveyedTable, name: str) -> bool:
    """Whether a column names people or rows that are referred to: of such there are neither bounds nor keys."""
    related = surveyed.relations
    if related is None:
        return any(one.columns.get(table.name) == name for one in surveyed.decision.candidates)
    mine = related.unit if table.name == related.first else related.units.get(table.name)
    linked = {*related.references, *related.references.values()}
    return name == mine or f"{table.name}.{name}" in linked


def _is_row_number(facts: ColumnFacts) -> bool:
    """Whether a column is new in every row: a number of rows, of which bounds and keys mean nothing."""
    called = is_number(facts.name) or is_event(facts.name)
    return (
        facts.unique and facts.rows > 20 and (not facts.quantiles or (called and (facts.whole or is_whole(facts.kind))))
    )


def _terms(surveyed: Survey, tables: list[SurveyedTable], first: SurveyedTable) -> list[tuple[str, ColumnFacts, str]]:
    return [
        (_called(table.name, name, first.name), table.facts[name], kind)
        for table in tables
        for name, kind in table.columns.items()
        if not _is_key(surveyed, table, name) and not _is_row_number(table.facts[name])
    ]


def _bounds(surveyed: Survey, tables: list[SurveyedTable], first: SurveyedTable) -> dict[str, Any]:
    terms = _terms(surveyed, tables, first)
    return {name: ends for name, facts, kind in terms if (ends := bounds_of(facts, kind)) is not None}


def _keys(surveyed: Survey, tables: list[SurveyedTable], first: SurveyedTable) -> dict[str, Any]:
    return {
        name: values
        for name, facts, kind in _terms(surveyed, tables, first)
        if kind == facts.kind and (values := keys_of(facts, kind)[0])
    }


def _null_keys(surveyed: Survey, tables: list[SurveyedTable], first: SurveyedTable, keys: Any) -> list[str]:
    """Columns to group by, of keys, yes and no, or dates, that are NULL in some row."""
    return [
        name
        for name, facts, kind in _terms(surveyed, tables, first)
        if facts.nulls and (name in keys or kind_of(kind) in (Kind.BOOLEAN, Kind.DATE, Kind.TIMESTAMP))
    ]


@named_arguments
def survey_text(surveyed: Survey) -> str:
    """What was seen, as TOML: it tells of rows."""
    people: dict[str, Any] = {"why": surveyed.decision.why}
    people |= {f"candidate {place}": one.described() for place, one in enumerate(surveyed.decision.candidates, 1)}
    if surveyed.relations is not None and surveyed.relations.rows_of_units:
        people["rows of a person, quantiles 0 to 100 %"] = list(surveyed.relations.rows_of_units)
    if surveyed.relations is not None:
        people |= {f"left out: {name}": why for name, why in surveyed.relations.left_out.items()}
    sections: dict[str, Any] = {"person": people}
    for table in surveyed.tables:
        sections[f"table {table.name}"] = {"rows": table.rows, **{n: _column(table, n) for n in table.facts}}
        if odd := {name or "(no name)": remarks for name, remarks in table.dirt.items()}:
            sections[f"odd in {table.name}"] = odd
    lines = [f"# {line}" for line in _SURVEY.splitlines()]
    for name, section in sections.items():
        lines += ["", f"[{policy_file.name_of(name)}]"]
        lines += [f"{policy_file.name_of(key)} = {policy_file.literal(value)}" for key, value in section.items()]
    return "\n".join(lines) + "\n"


def _column(table: SurveyedTable, name: str) -> dict[str, Any]:
    facts, kind = table.facts[name], table.columns.get(name, table.facts[name].kind)
    lines: dict[str, Any] = {"type": kind, "nulls": facts.nulls, "values": facts.distinct}
    if facts.quantiles:
        lines["quantiles"] = [value if isinstance(value, int | float) else str(value) for value in facts.quantiles]
        ends = bounds_of(facts, kind)
        if ends is not None and cut_off(facts, ends):
            lines["bounds"] = "the proposed bounds cut off the farthest values"
    values, why = keys_of(facts, kind)
    if why is not None:
        lines["no keys proposed"] = why
    elif values and facts.rare:
        lines["rare keys"] = (
            f"{facts.rare} of {len(values)} keys {'stands' if facts.rare == 1 else 'stand'} in fewer than 10 rows"
        )
    return lines
