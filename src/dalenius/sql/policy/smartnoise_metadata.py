"""SmartNoise's metadata as it stands in its YAML: collection, schema, table, and columns with their properties."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dalenius.errors import InvalidParameter

LARGEST = 2**20
"""Bytes of a file that is read; real ones have some thousand."""
SETTINGS = frozenset(
    {
        *("rows", "rows_exact", "row_privacy", "max_ids", "max_contrib", "sample_max_ids"),
        *("censor_dims", "clamp_counts", "clamp_columns", "use_dpsu"),
    }
)
_DEEPEST = 2  # collection and schema; older files have no schema


@dataclass(frozen=True, slots=True)
class SmartNoiseTable:
    """A table: its name, what is said of it as a whole, and the properties of each column."""

    name: str
    schema: str
    settings: Mapping[str, Any]
    columns: Mapping[str, Mapping[str, Any]]

    def is_set(self, setting: str, default: bool) -> bool:
        """A setting that is yes or no."""
        value = self.settings.get(setting, default)
        if not isinstance(value, bool):
            raise InvalidParameter(f"{setting} of {self.name!r} must be True or False")
        return value

    @property
    def private_ids(self) -> tuple[str, ...]:
        """The columns that name people."""
        return tuple(name for name, column in self.columns.items() if column.get("private_id") is True)


def read_tables(metadata: str | Path | Mapping[str, Any]) -> tuple[SmartNoiseTable, ...]:
    """The tables of a YAML file, or of what it holds as a dictionary."""
    whole = metadata if isinstance(metadata, Mapping) else _loaded(Path(metadata))
    if not isinstance(whole, Mapping):
        raise InvalidParameter("the metadata must be a YAML mapping: collection, schema, table, columns")
    collections = {name: one for name, one in whole.items() if name != "engine"}
    if len(collections) != 1:
        raise InvalidParameter(f"the metadata must hold one collection, got {len(collections)}")
    tables = tuple(_tables(next(iter(collections.values())), "", _DEEPEST))
    if not tables:
        raise InvalidParameter("the metadata names no table with columns that have a type")
    if len({table.name.lower() for table in tables}) < len(tables):
        raise InvalidParameter("two tables of the metadata have one name: keep one of them in the file")
    return tables


def _loaded(path: Path) -> Any:
    """What a file holds; only plain values are made of it, never objects."""
    try:
        import yaml
    except ImportError:
        raise InvalidParameter("metadata is read with PyYAML: pip install 'dalenius[smartnoise]'") from None
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError:
        raise InvalidParameter(f"there is no metadata to read at {str(path)!r}") from None
    if len(content) > LARGEST:
        raise InvalidParameter(f"{str(path)!r} is larger than {LARGEST} bytes: it is no metadata")
    try:
        return yaml.safe_load(content)
    except yaml.MarkedYAMLError as wrong:
        line = "" if wrong.problem_mark is None else f" at line {wrong.problem_mark.line + 1}"
        raise InvalidParameter(f"{str(path)!r} is not a YAML file{line}") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise InvalidParameter(f"{str(path)!r} is not a YAML file that can be read") from None


def _tables(holder: Any, schema: str, depth: int) -> Iterator[SmartNoiseTable]:
    if not isinstance(holder, Mapping):
        raise InvalidParameter("a collection or a schema of the metadata must hold tables by name")
    for name, one in holder.items():
        if _is_table(one):
            yield _table(_text(name, "table"), schema, one)
        elif depth > 1:
            yield from _tables(one, _text(name, "schema", empty=True), depth - 1)
        else:
            raise InvalidParameter(f"table {_text(name, 'table')!r} has no column with a type")


def _is_table(one: Any) -> bool:
    return isinstance(one, Mapping) and any(_is_column(inner) for inner in one.values())


def _is_column(one: Any) -> bool:
    return isinstance(one, Mapping) and isinstance(one.get("type"), str)


def _table(name: str, schema: str, held: Mapping[Any, Any]) -> SmartNoiseTable:
    columns = {_text(key, "column"): one for key, one in held.items() if _is_column(one)}
    settings = {key: value for key, value in held.items() if not _is_column(value)}
    if unknown := [key for key in settings if key not in SETTINGS]:
        word = _text(unknown[0], "column")
        raise InvalidParameter(
            f"{word!r} of table {name!r} is neither a setting of SmartNoise nor a column with a type"
        )
    for column, one in columns.items():
        if not isinstance(one.get("private_id", False), bool):
            raise InvalidParameter(f"private_id of {column!r} must be True or False")
    return SmartNoiseTable(name, schema, settings, columns)


def _text(name: Any, what: str, *, empty: bool = False) -> str:
    """A name; YAML takes words such as yes and no, and numbers, for other things unless they are in quotes."""
    if not isinstance(name, str) or not (name or empty):
        raise InvalidParameter(f"the name of a {what} is no text in YAML's eyes: put it in quotes")
    return name
