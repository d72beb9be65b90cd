"""A policy from SmartNoise's metadata: the terms that have a counterpart, and a list of what has none."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.escape import terminal
from dalenius.numerics import rational
from dalenius.sql.policy import toml as policy_file
from dalenius.sql.policy.policy import UNDECIDED, Policy
from dalenius.sql.policy.smartnoise_metadata import SmartNoiseTable, read_tables
from dalenius.sql.types.column_types import UNIT_TYPES

_TYPES = {"int": "BIGINT", "float": "DOUBLE", "string": "VARCHAR", "boolean": "BOOLEAN", "datetime": "TIMESTAMP"}
_NUMBERS = ("int", "float")
_MEANINGS = {
    (
        "sample_max_ids",
        True,
        True,
    ): "no rows are drawn; where a person owns more than contributions, each row weighs less",
    ("sample_max_ids", True, False): "not taken over, since contributions is enforced and never believed",
    (
        "censor_dims",
        True,
        True,
    ): "groups that [keys] do not list are named if enough people are in them, which needs a δ",
    ("censor_dims", True, False): "not taken over, since groups that [keys] do not list are never all named",
    ("use_dpsu", False, True): "not taken over, since finding groups has a plan of its own here",
    ("clamp_counts", False, True): "not taken over: a count may be below 0, so that sums of counts stay unbiased",
    ("clamp_columns", True, False): "not taken over, since values are always clamped to their bounds",
}
"""What a setting comes to, by its default there and the value that it has."""
_HEAD = "Read from SmartNoise's metadata; no row was looked at. What has another meaning here, or none:"


@dataclass(frozen=True, slots=True)
class ImportedPolicy:
    """A policy as TOML with comments, and what an owner should read before using it."""

    text: str
    notes: tuple[str, ...]


@named_arguments
def import_smartnoise(
    metadata: str | Path | Mapping[str, Any],
    *,
    table: str | None = None,
    sources: Mapping[str, str] | None = None,
) -> ImportedPolicy:
    """The policy that says what SmartNoise's metadata says.

    `private_id` is the unit, or the row with `row_privacy`; `max_ids` is `contributions`; `lower` and `upper` are
    bounds; `missing_value` of a number is `fill`. The terms are the owner's own words, so none is proposed.

    Args:
        metadata: the path of the YAML file, or what it holds as a dictionary.
        table: the table that the policy is about; by default the first that names people.
        sources: the files of tables, by their names; tables of the same people besides are kept if they have one.

    An example: `Path("policy.toml").write_text(import_smartnoise("metadata.yaml").text)`.
    """
    tables = read_tables(metadata)
    first = _first(tables, table)
    places = {name.lower(): place for name, place in (sources or {}).items()}
    if unknown := set(places) - {one.name.lower() for one in tables}:
        raise UnknownName(f"the metadata has no table {min(unknown)!r}")
    notes: list[str] = []
    terms = _terms_of_first(first, places.get(first.name.lower()), notes)
    beside = [one for one in tables if one is not first and _stands_beside(one, first, places, notes)]
    terms |= {"tables": {one.name: places[one.name.lower()] for one in beside}}
    terms["units"] = {one.name: unit for one in beside if (unit := one.private_ids[0]) != terms["unit"]}
    for one in (first, *beside):
        _add_columns(terms, one, "" if one is first else f"{one.name}.", notes)
        notes += _settings(one)
    notes.append("There is no budget in metadata: write [budget] with epsilon = …, for all answers together.")
    text = _written(terms, notes)
    return ImportedPolicy(text, tuple(terminal(note) for note in notes))


def _first(tables: tuple[SmartNoiseTable, ...], wanted: str | None) -> SmartNoiseTable:
    if wanted is None:
        return next((one for one in tables if one.private_ids and not one.is_set("row_privacy", False)), tables[0])
    named = [one for one in tables if one.name.lower() == wanted.lower()]
    if not named:
        raise UnknownName(f"the metadata has no table {wanted!r}; it has {', '.join(one.name for one in tables)}")
    return named[0]


def _terms_of_first(first: SmartNoiseTable, source: str | None, notes: list[str]) -> dict[str, Any]:
    unit, candidates = _unit(first, notes)
    terms: dict[str, Any] = {"table": first.name, "source": source, "unit": unit, "candidates": candidates}
    terms["contributions"] = None if unit == "row" else _contributions(first, notes)
    if first.schema:
        notes.append(f"Questions name the table without its schema: FROM {first.name}.")
    return terms | {"columns": {}, "bounds": {}, "fill": {}}


def _unit(table: SmartNoiseTable, notes: list[str]) -> tuple[str, list[str] | None]:
    """Who is protected; where the metadata does not say it, the owner has to."""
    ids = table.private_ids
    if table.is_set("row_privacy", False):
        if ids:
            notes.append(f"row_privacy protects each row; {ids[0]} is the unit to write if a person may own several.")
        return "row", None
    if len(ids) == 1:
        return ids[0], None
    others = [name for name, one in table.columns.items() if _TYPES.get(str(one.get("type"))) in UNIT_TYPES]
    notes.append("It does not say by one private_id, or row_privacy, who is protected: write it in place of the ?.")
    return UNDECIDED, list(ids or others)


def _contributions(table: SmartNoiseTable, notes: list[str]) -> int:
    given = [(name, table.settings[name]) for name in ("max_ids", "max_contrib") if name in table.settings]
    if not given:
        notes.append(
            "max_ids is left out, where it means 1: so contributions is 1. Strike it out to find it privately."
        )
        return 1
    name, most = given[0]
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InvalidParameter(f"{name} of {table.name!r} must be a whole number ≥ 1")
    return most


def _stands_beside(one: SmartNoiseTable, first: SmartNoiseTable, places: Mapping[str, str], notes: list[str]) -> bool:
    """Whether a table can be kept beside the first: it has rows of the same people and a file."""
    why = None
    if first.is_set("row_privacy", False) or one.is_set("row_privacy", False) or len(first.private_ids) != 1:
        why = "tables stand together only where each names people by one private_id"
    elif len(one.private_ids) != 1:
        why = "it does not say by one private_id whose its rows are"
    elif one.columns[one.private_ids[0]].get("type") != first.columns[first.private_ids[0]].get("type"):
        why = "its private_id is of another type"
    elif "." in one.name or any(name.lower().startswith(f"{one.name.lower()}.") for name in first.columns):
        why = "its name has a dot, or is a part of a column's"
    elif one.name.lower() not in places:
        why = f"no file is named for it (--source {one.name}=FILE)"
    if why is not None:
        notes.append(f"Table {one.name} is left out: {why}. It can have a policy of its own: --table {one.name}.")
    elif one.settings.get("max_ids", 1) != first.settings.get("max_ids", 1):
        notes.append(f"max_ids of {one.name} differs: contributions is that of {first.name}, for questions of each.")
    return why is None


def _add_columns(terms: dict[str, Any], table: SmartNoiseTable, prefix: str, notes: list[str]) -> None:
    for name, column in table.columns.items():
        kind, called = str(column["type"]).lower(), f"{prefix}{name}"
        if kind not in _TYPES:
            notes.append(f"Column {called} is left out: its type is {kind}.")
            continue
        names_people = name in table.private_ids and not table.is_set("row_privacy", False)
        if names_people and kind not in ("int", "string", "float"):
            raise InvalidParameter(f"private_id {called!r} is of type {kind}: it must name people exactly")
        if names_people and kind == "float":
            notes.append(
                f"private_id {called} is a float: of its values whole numbers below 2^53 count, others are NULL."
            )
        terms["columns"][called] = "BIGINT" if names_people and kind == "float" else _TYPES[kind]
        if not names_people:
            _add_bounds(terms, called, kind, column, notes)
        notes += _properties(called, kind, column)


def _add_bounds(terms: dict[str, Any], called: str, kind: str, column: Mapping[str, Any], notes: list[str]) -> None:
    ends = [column.get(end) for end in ("lower", "upper")]
    if kind in _NUMBERS and None not in ends:
        low, high = (_number(end, f"{word} of {called!r}") for end, word in zip(ends, ("lower", "upper"), strict=True))
        if low >= high:
            raise InvalidParameter(f"lower of {called!r} must be below its upper")
        terms["bounds"][called] = [low, high]
    elif ends != [None, None]:
        notes.append(f"Bounds of {called} are left out: they need a lower and an upper end, of a number.")
    if column.get("missing_value") is not None and kind in _NUMBERS:
        terms["fill"][called] = _number(column["missing_value"], f"missing_value of {called!r}")


def _number(value: Any, name: str) -> int | float:
    """A number; YAML reads 1e6 as a text, and so does its reader there."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InvalidParameter(f"{name} must be a number")
    exact = rational(value, name)
    return int(exact) if exact.denominator == 1 else float(exact)


def _properties(called: str, kind: str, column: Mapping[str, Any]) -> Iterator[str]:
    if column.get("sensitivity") is not None:
        yield f"sensitivity of {called} is not taken over: it follows from bounds and contributions."
    if column.get("missing_value") is not None and kind not in _NUMBERS:
        yield f"missing_value of {called} is not taken over: fill is for numbers. Ask with COALESCE."
    if column.get("cardinality"):
        yield f"cardinality of {called} is not taken over: list its values under [keys] if they are public."
    if column.get("nullable") is False:
        yield f"nullable of {called} is not taken over: NULL is passed over, as in SQL."
    known = {"type", "private_id", "lower", "upper", "missing_value", "sensitivity", "cardinality", "nullable", "name"}
    if odd := sorted(str(name) for name in column if name not in known and isinstance(name, str)):
        yield f"{', '.join(odd)} of {called} is unknown and not taken over."


def _settings(table: SmartNoiseTable) -> Iterator[str]:
    """What the settings of a table come to here."""
    for (setting, default, value), meaning in _MEANINGS.items():
        if table.is_set(setting, default) is value:
            yield f"{setting} = {value} of {table.name}: {meaning}."
    for setting in ("rows", "rows_exact"):
        if setting in table.settings:
            yield f"{setting} of {table.name} is not taken over: how many rows there are is no public fact here."


def _written(terms: dict[str, Any], notes: list[str]) -> str:
    """The terms as TOML, read back once: a policy that cannot be loaded is not written."""
    listed = "\n".join([_HEAD, *(f"- {terminal(note)}" for note in notes)])
    text = policy_file.write(terms, {"table": listed})
    if terms["unit"] != UNDECIDED:
        Policy.from_terms(policy_file.parsed(text, "the policy"))
    return text
