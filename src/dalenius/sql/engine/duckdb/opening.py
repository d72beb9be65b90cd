"""Opening a DuckDB that reaches its sources and nothing else, and reads each row by itself."""

from collections.abc import Mapping
from contextlib import suppress

import duckdb

from dalenius.errors import InvalidParameter
from dalenius.sql.engine.duckdb.declared_types import read_typed
from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.engine.source import COARSE_TIME, Source
from dalenius.sql.types.column_types import is_read, type_name

_BY_COLLATION = {"VARCHAR": "{0} COLLATE C"}
_OF_PARQUET = {
    "VARCHAR": "CASE WHEN {0} IS NULL THEN NULL ELSE CONCAT({0}, '') END",
    **dict.fromkeys(("DOUBLE", "FLOAT"), "TRY({0})"),
}
"""The same values, written so that the engine concludes nothing of them; it sees through x || '' and x * 1."""
_EXACT_UNIT = """CASE WHEN NOT CONTAINS({0}, '?') OR (file_index, file_row_number, {0}) IN
    (SELECT (file_index, file_row_number, {0}) FROM ({dropped}) WHERE CONTAINS({0}, '?')) THEN CONCAT({0}, '') END"""
_PLACES = frozenset({"file_index", "file_row_number"})


def opened(sources: Mapping[str, Source], settings: Mapping[str, str | int]) -> duckdb.DuckDBPyConnection:
    """A database in memory with each source under its place; no file, network or setting beyond them."""
    connection = in_memory(settings)
    set_up(connection)
    for place, source in sources.items():
        create(connection, place, source)
    paths = (path for source in sources.values() for path in source.paths)
    listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    for statement in (
        f"SET allowed_paths = [{listed}]",
        "SET enable_external_access = false",
        "SET lock_configuration = true",
    ):
        connection.execute(statement)
    return connection


def in_memory(settings: Mapping[str, str | int]) -> duckdb.DuckDBPyConnection:
    """A database in memory without a progress bar: it would be printed among answers, and tell how long rows take.

    In a notebook without ipywidgets the engine refuses to set that, and has no bar there.
    """
    try:
        connection = duckdb.connect(":memory:", config=dict(settings))
    except (duckdb.Error, TypeError) as refused:  # no table is open yet: the engine's words are about settings alone
        told = str(refused).partition("\n")[0]
        raise InvalidParameter(f"settings= are refused by the engine: {told}") from None
    with suppress(duckdb.Error):
        connection.execute("SET enable_progress_bar = false")
    return connection


def set_up(connection: duckdb.DuckDBPyConnection) -> None:
    """What holds for every statement, on every cursor: what is set for one connection alone is not."""
    for statement in (
        "SET autoinstall_known_extensions = false",
        "SET autoload_known_extensions = false",
        "SET GLOBAL ieee_floating_point_ops = true",  # 1e308 · 10 is ∞, not an error
        "SET default_collation = ''",  # 'a' is not 'A': a row must equal one key at most
        "SET GLOBAL perfect_ht_threshold = 20",  # whole numbers in a range of 2²⁰ are grouped without a hash
    ):
        connection.execute(statement)
    with suppress(duckdb.Error):  # an engine without zones has none of the machine's either
        connection.execute("SET GLOBAL TimeZone = 'UTC'")


def create(connection: duckdb.DuckDBPyConnection, place: str, source: Source) -> None:
    """The source as a table or view of that name."""
    for statement in source.before:
        connection.execute(statement)
    if source.before:
        _check_table(connection, source)
    for name, held in source.tables.items():
        connection.register(name, held)
    # a frame is copied, so that whoever holds it cannot change it between two questions
    connection.execute(
        f"CREATE OR REPLACE {'TABLE' if source.tables else 'VIEW'} {_quoted(place)} AS {_plain(connection, source)}"
    )
    for name in source.tables:
        connection.unregister(name)


def schema(connection: duckdb.DuckDBPyConnection, place: str, source: Source) -> dict[str, str]:
    """Names and types of a source's columns, from what stands outside of its rows; a type without its parentheses."""
    types = _types(connection, _quoted(place) if source.tables else source.select, source)
    if source.declared:  # read in another type than the file's
        viewed = {
            name: type_name(kind) for name, kind, *_ in connection.execute(f"DESCRIBE {_quoted(place)}").fetchall()
        }
        types = {name: viewed.get(name, kind) for name, kind in types.items()}
    return {**types, **{name: kind for name, kind in source.unread.items() if name not in types}}


def _types(connection: duckdb.DuckDBPyConnection, selected: str, source: Source) -> dict[str, str]:
    types = {name: type_name(kind) for name, kind, *_ in connection.execute(f"DESCRIBE {selected}").fetchall()}
    schemas = set()
    for path in source.parquet:
        rows = connection.execute(
            "SELECT name, type, converted_type, logical_type, num_children FROM parquet_schema(?)", [path]
        ).fetchall()
        schemas.add(tuple(rows))
        for name, _, converted, logical, _ in rows:
            if name in types and "milli" in f"{converted} {logical}".lower().replace("millis=<null>", ""):
                types[name] = COARSE_TIME
    if len(schemas) > 1:  # the engine would cast one file's rows to the other's types, and may fail at one
        raise duckdb.InvalidInputException("schemas differ")
    return types


def _check_table(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    """A name in a database file is that of a table; a view may let rows change each other, so its owner answers.

    Names are compared as the engine does, by letters of ASCII alone: 'Ä' and 'ä' are two tables.
    """
    kinds = ("table", "view") if source.rowwise_view else ("table",)
    names = {
        name.encode().lower()
        for kind in kinds
        for (name,) in connection.execute(
            f"SELECT {kind}_name FROM duckdb_{kind}s WHERE database_name = 'owned' AND schema_name = 'main'"
        ).fetchall()
    }
    is_table = source.inner.encode(errors="replace").lower() in names
    if not is_table:
        raise InvalidParameter(
            f"the file has no table {source.inner!r}; of a view, whose rows may change each other, the owner makes a "
            "table, or states by rowwise_view=True that each of its rows is made of one row"
        )


def _plain(connection: duckdb.DuckDBPyConnection, source: Source) -> str:
    """The source's rows, each of which is what it is whatever other rows there are.

    A database may give its texts a collation: under NOCASE one row would equal the keys 'a' and 'A', and be counted in
    both cells at the price of one. A Parquet file keeps the least and the largest value of many rows, from which the
    engine concludes what holds of each; but NaN is left out of them, and a text that is not UTF-8 stands there as it
    was written and not as it is read. So whether such rows met a condition would hang on rows of *other* people.
    Of what is computed in these ways the engine knows no least and largest.

    Columns of a type that no question reads are left out. The engine may fetch more columns than a statement names, as
    it does beside the units of a Parquet file, and one far time or broken JSON in any of them would fail every answer.
    """
    rules = _BY_COLLATION if source.before else _OF_PARQUET if source.parquet else {}
    columns = connection.execute(f"DESCRIBE {source.select}").fetchall() if rules else []
    declared = {name.lower(): kind for name, kind in source.declared.items()}
    types = _types(connection, source.select, source) if rules else {}
    shadowed = bool({name.lower() for name, *_ in columns} & _PLACES)
    listed, plain = [], True
    for name, kind, *_ in columns:
        quoted, wanted = _quoted(name), declared.get(name.lower(), kind)
        if not is_read(types[name]):
            plain = False
        elif _is_unit(name, kind, source):
            listed.append(f"{_exact(quoted, source, shadowed=shadowed)} AS {quoted}")
            plain = False
        elif kind in rules or wanted != kind:
            listed.append(f"{_typed(rules.get(kind, '{0}').format(quoted), kind, wanted)} AS {quoted}")
            plain = False
        else:
            listed.append(quoted)
    if plain:
        return source.select
    # one by one: of ten thousand columns the engine takes minutes to bind `* REPLACE (…)`
    selected = ", ".join(listed or ["*"])
    if source.parquet:  # not from a subquery, which would not have the places of rows in their files
        return source.select.replace("SELECT *", f"SELECT {selected}", 1)
    return f"SELECT {selected} FROM ({source.select})"


def _typed(column: str, held: str, declared: str) -> str:
    """A column in the type that its owner has declared for it, value by value, where there is a way that keeps values.

    Elsewhere it stays what it is, and whoever compares it with the policy says so.
    """
    kind = type_name(held)
    read = None if kind == declared else read_typed(column, kind, declared.upper())
    return column if read is None else read


def _is_unit(name: str, kind: str, source: Source) -> bool:
    named = source.unit is not None and name.lower() == source.unit.lower()
    return bool(source.parquet) and named and kind == "VARCHAR"


def _exact(column: str, source: Source, *, shadowed: bool) -> str:
    """A text that names people, NULL unless it is UTF-8: mended, two people would be one.

    The engine writes '?' for what is not UTF-8, or leaves it out. A text is whole if it is the same both ways, for
    which only rows with a '?' are read twice. Where a column hides the places of rows, each '?' makes a text NULL.
    """
    if shadowed:
        return f"CASE WHEN NOT CONTAINS({column}, '?') THEN CONCAT({column}, '') END"
    dropped = source.select.replace("SELECT *", f"SELECT file_index, file_row_number, {column}", 1)
    return _EXACT_UNIT.format(column, dropped=dropped.replace("'replace'", "'ignore'"))


def _quoted(name: str) -> str:
    return DIALECT.quoted(name)
