"""Frames: Arrow, pandas and polars tables, of which only columns with a type that the language reads are copied.

What a column is follows from its dtype, never from its values. A column of Python objects has no type, whatever it
holds: one value would decide what all others become. So it is read by a declared type, value by value.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dalenius.errors import InvalidParameter
from dalenius.sql.engine.duckdb.arrow_columns import engine_type, has_zone, plain, unread_type
from dalenius.sql.engine.duckdb.declared_types import HALF_END, read_typed, text_column
from dalenius.sql.engine.duckdb.objects import read_objects
from dalenius.sql.engine.duckdb.zoned_columns import ReadColumn, selected
from dalenius.sql.engine.file_format import PLAIN, FileFormat
from dalenius.sql.engine.source import Source
from dalenius.sql.types.column_types import FILE_TYPES

_OBJECT = "OBJECT"
_NO_FRAME = "a frame must be Arrow, pandas or polars, with one type for each column and names that differ"


@dataclass(frozen=True, slots=True)
class FrameColumn:
    """A column of a frame: Arrow values, or Python objects of the named type that the language does not read."""

    name: str
    values: Any = field(repr=False)
    unread: str | None = None
    objects: Iterable[Any] | None = field(default=None, repr=False)
    written: FileFormat = PLAIN


def frame_source(
    data: Any, columns: Mapping[str, str] | None, table: str | None, written: FileFormat = PLAIN
) -> Source:
    """The frame's columns as an Arrow table, in their own types or in those declared; or `FrameColumn`s.

    Of how a frame is `written`, the zones of its columns are read.
    """
    import pyarrow as pa

    try:
        held = list(data) if _are_columns(data) else list(_columns(data, pa))
    except Exception:  # its words may hold a value
        held = []
    names = [column.name.lower() for column in held]
    if not held or len(set(names)) != len(names):
        raise InvalidParameter(_NO_FRAME)
    declared = {name.lower(): (name, kind.upper()) for name, kind in (columns or {}).items()}
    if absent := [name for name in columns or () if name.lower() not in names]:
        raise InvalidParameter(f"the frame has no column {absent[0]!r}; it has {', '.join(c.name for c in held)}")
    arrays: dict[str, Any] = {}
    typed: list[ReadColumn] = []
    unread: dict[str, str] = {}
    for place, column in enumerate(held):
        name, kind = declared.get(column.name.lower(), (column.name, None))
        if column.unread is not None and kind in FILE_TYPES and column.objects is not None:
            arrays[f"c{place}"] = plain(read_objects(column.objects, kind))
            typed.append(ReadColumn(name, f"c{place}"))
        elif column.unread is not None:
            _check_declared(column, kind, given=columns is not None)
            unread[name] = column.unread
        else:
            arrays[f"c{place}"] = plain(column.values)
            typed.append(_read(replace(column, name=name), f"c{place}", kind, written))
    if not arrays:
        raise InvalidParameter(_NO_FRAME)
    return Source(selected(typed, "frame"), table or "data", tables={"frame": pa.table(arrays)}, unread=unread)


def _are_columns(data: Any) -> bool:
    return isinstance(data, list) and all(isinstance(column, FrameColumn) for column in data)


def public_frame(data: Any) -> Any:
    """A frame whose rows are no secret, as an Arrow table; types of Python objects are guessed from them."""
    import pyarrow as pa

    try:
        if isinstance(data, pa.RecordBatch):
            data = pa.Table.from_batches([data])
        if not isinstance(data, pa.Table):
            data = data.to_arrow() if hasattr(data, "to_arrow") else pa.Table.from_pandas(data, preserve_index=False)
        data.validate(full=True)
    except Exception:
        failed = InvalidParameter(_NO_FRAME)
    else:
        return data
    raise failed


def _check_declared(column: FrameColumn, kind: str | None, *, given: bool) -> None:
    if kind is not None and kind != column.unread:
        raise InvalidParameter(f"{column.name!r} is a column of {column.unread}: it cannot be declared {kind}")
    if kind is None and column.unread == _OBJECT and not given:
        raise InvalidParameter(
            f"{column.name!r} is a column of Python objects, which has no type: declare columns={{{column.name!r}: "
            f"one of {', '.join(FILE_TYPES)}}}"
        )


def _read(column: FrameColumn, place: str, kind: str | None, written: FileFormat) -> ReadColumn:
    held = engine_type(column.values.type)
    assert held is not None
    zone = written.zone_of(column.name)
    if held == "VARCHAR" and kind is not None:
        return text_column(column.name, place, kind, column.written)
    if zone is not None and has_zone(column.values.type) and kind in (None, held, "TIMESTAMP"):
        instant = f"TRY_CAST({place} AS TIMESTAMP)"
        return ReadColumn(column.name, f"CAST(NULL AS {kind or held})", instant, zone, kind or held)
    end = HALF_END if str(column.values.type) == "halffloat" else None
    read = place if kind is None else read_typed(place, held, kind.partition("(")[0], end, column.written)
    if read is None:
        raise InvalidParameter(f"{column.name!r} is a column of {held}: it cannot be declared {kind}")
    return ReadColumn(column.name, read)


def _columns(data: Any, pa: Any) -> Iterator[FrameColumn]:
    root = type(data).__module__.partition(".")[0]
    pandas = sys.modules.get("pandas")
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if pandas is not None and isinstance(data, pandas.DataFrame):
        named = [level for level, name in enumerate(data.index.names) if name is not None]
        for level in named:  # an index that has a name is a column that somebody set aside
            values = data.index.get_level_values(level)
            yield _of_pandas(str(data.index.names[level]), pandas.Series(values, dtype=values.dtype), pandas, pa)
        for place, name in enumerate(data.columns):
            yield _of_pandas(str(name), data.iloc[:, place], pandas, pa)
    elif root == "polars" and hasattr(data, "get_columns"):
        for series in data.get_columns():
            yield _of_polars(series)
    else:
        held = data if isinstance(data, pa.Table) else data.to_arrow()
        for name, values in zip(held.column_names, held.columns, strict=True):
            yield _of_arrow(name, values)


def _of_arrow(name: str, values: Any) -> FrameColumn:
    unread = None if engine_type(values.type) is not None else unread_type(values.type)
    return FrameColumn(name, values, unread)


def _of_polars(series: Any) -> FrameColumn:
    if str(series.dtype) == "Object":
        return FrameColumn(series.name, None, _OBJECT, series.to_list())
    try:
        kind = series.clear().to_arrow().type  # from no rows
    except Exception:
        return FrameColumn(series.name, None, unread_type(series.dtype))
    if engine_type(kind) is None:
        return FrameColumn(series.name, None, unread_type(kind))
    return _of_arrow(series.name, series.to_arrow())


def _of_pandas(name: str, series: Any, pandas: Any, pa: Any) -> FrameColumn:
    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        kinds = _of_pandas(name, pandas.Series(dtype.categories, dtype=dtype.categories.dtype), pandas, pa)
        if kinds.unread is not None:
            return FrameColumn(name, None, kinds.unread, series.array)
        codes = pa.array(series.cat.codes.to_numpy().astype("int64"))
        return _of_arrow(name, pa.DictionaryArray.from_arrays(codes, _whole(plain(kinds.values), pa), safe=False))
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return _of_arrow(name, pa.array(series, from_pandas=True))
    if isinstance(dtype, pandas.StringDtype):
        return _of_arrow(name, _texts(series, pa))
    if isinstance(dtype, pandas.ArrowDtype):
        held = _of_arrow(name, pa.chunked_array(series.array.__arrow_array__()))
        return FrameColumn(name, held.values, held.unread, series.array)
    of_numpy = isinstance(dtype, np.dtype)
    if (of_numpy and dtype.kind in "biufM" and dtype.itemsize <= 8 and dtype.isnative) or hasattr(dtype, "numpy_dtype"):
        return _of_arrow(name, pa.array(series, from_pandas=True))
    return FrameColumn(name, None, _OBJECT if of_numpy and dtype.kind == "O" else unread_type(dtype), series)


def _texts(series: Any, pa: Any) -> Any:
    try:
        return pa.array(series.array, pa.large_string(), from_pandas=True)
    except Exception:  # a text with a lone surrogate
        return read_objects(series.array, "VARCHAR")


def _whole(values: Any, pa: Any) -> Any:
    return pa.concat_arrays(values.chunks)
