"""Arrow columns in the types that the language reads, each value by itself: one that is none of its type is NULL."""

from typing import TYPE_CHECKING, Any

from dalenius.sql.types.column_types import is_read

if TYPE_CHECKING:
    import pyarrow as pa

_DAY_IN_MILLISECONDS = 86_400_000
_NAMES = {
    **{"int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT"},
    **{"uint8": "UTINYINT", "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT"},
    **{"halffloat": "FLOAT", "float": "FLOAT", "double": "DOUBLE", "bool": "BOOLEAN"},
    **dict.fromkeys(("string", "large_string", "string_view"), "VARCHAR"),
    **{"date32[day]": "DATE", "date64[ms]": "DATE", "timestamp[us]": "TIMESTAMP"},
    **{"timestamp[s]": "TIMESTAMP_S", "timestamp[ms]": "TIMESTAMP_MS", "timestamp[ns]": "TIMESTAMP_NS"},
    **{"extension<arrow.uuid>": "UUID", "extension<arrow.bool8>": "BOOLEAN"},
}
_MOST_DIGITS = 38


def engine_type(kind: "pa.DataType") -> str | None:
    """The engine's type for an Arrow type that is read; None for any other. Decided by the type alone."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return engine_type(kind.value_type)
    if pa.types.is_decimal(kind):
        return "DECIMAL" if kind.precision <= _MOST_DIGITS and 0 <= kind.scale <= kind.precision else None
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return engine_type(pa.timestamp(kind.unit))  # the same moment in UTC
    return _NAMES.get(str(kind))


def has_zone(kind: Any) -> bool:
    """Whether a type is one of times with a zone, which are instants."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return has_zone(kind.value_type)
    return bool(pa.types.is_timestamp(kind)) and kind.tz is not None


def unread_type(kind: Any) -> str:
    """What to call a type that is not read: its name alone, which is never that of a type that is."""
    text = str(kind)
    name = text[: min((text.index(mark) for mark in "<([:" if mark in text), default=len(text))].strip().upper()
    return f"ANOTHER {name}" if is_read(name) else name


def plain(column: Any) -> Any:
    """The same values in a type without dictionaries and runs; for a type that `engine_type` reads."""
    import pyarrow as pa

    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    made = [_plain(chunk, pa) for chunk in chunks] or [_plain(pa.nulls(0, column.type), pa)]
    return pa.chunked_array(made)


def _plain(chunk: Any, pa: Any) -> Any:
    kind = chunk.type
    if pa.types.is_dictionary(kind):
        return _undone_dictionary(chunk, pa)
    if pa.types.is_run_end_encoded(kind):
        return _plain(_compute().run_end_decode(chunk), pa)
    if str(kind) == "extension<arrow.bool8>":
        return _compute().not_equal(chunk.storage, 0)
    whole = _mended(chunk, pa)
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return whole.view(pa.int64()).view(pa.timestamp(kind.unit))
    if pa.types.is_float16(kind):
        return whole.cast(pa.float32())
    if pa.types.is_decimal256(kind):
        return whole.cast(pa.decimal128(kind.precision, kind.scale))
    return _days(whole, pa) if pa.types.is_date64(kind) else whole


def _undone_dictionary(chunk: Any, pa: Any) -> Any:
    """The value that each row points to; a row that points beyond the dictionary has none."""
    pc = _compute()

    values = _plain(chunk.dictionary, pa)
    places = chunk.indices.cast(pa.int64(), safe=False)
    there = pc.and_(pc.greater_equal(places, 0), pc.less(places, len(values)))
    return values.take(pc.if_else(there, places, pa.scalar(None, pa.int64())))


def _days(chunk: Any, pa: Any) -> Any:
    """Dates told in milliseconds, NULL where the days do not fit: the engine would wrap them into other dates."""
    pc = _compute()

    days = pc.divide(chunk.view(pa.int64()), _DAY_IN_MILLISECONDS)
    fits = pc.and_(pc.greater_equal(days, -(2**31)), pc.less(days, 2**31))
    return pc.if_else(fits, days, pa.scalar(None, pa.int64())).cast(pa.int32()).view(pa.date32())


def _mended(chunk: Any, pa: Any) -> Any:
    """The chunk with NULL for each value that is none of its type: text that is not UTF-8, too many digits."""
    try:
        chunk.validate(full=True)
    except pa.ArrowInvalid:
        if len(chunk) <= 1:
            return pa.nulls(len(chunk), chunk.type)
    else:
        return chunk
    half = len(chunk) // 2
    return pa.concat_arrays([_mended(chunk.slice(0, half), pa), _mended(chunk.slice(half), pa)])


def _compute() -> Any:
    import pyarrow.compute as pc

    return pc
