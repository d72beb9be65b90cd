"""From what people hold data in to columns of numpy."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter

_WHOLE = 2**53
_NUMBERS = {
    *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)),
    *("Float16", "Float32", "Float64", "Boolean"),
}
_INT64 = np.iinfo(np.int64)


def columns_of(data: Any, names: Sequence[str] | None = None) -> dict[str, NDArray[Any]]:
    """The columns by name. A column of numbers without gaps is not copied.

    What one row holds changes no other row: a NULL among integers does not round the others, and text among numbers
    does not turn them into text. Only the type of an array may depend on the rows, never a value in it.
    """
    if isinstance(data, np.ndarray):
        return _of_array(data, names)
    if names is not None:
        raise InvalidParameter("names are for a numpy array; these data have names of their own")
    if isinstance(data, Mapping):
        return {_name(name): _column(name, values) for name, values in data.items()}
    frame = _frame(data)
    return {_name(name): _column(name, frame[name]) for name in frame.columns}


def _of_array(data: NDArray[Any], names: Sequence[str] | None) -> dict[str, NDArray[Any]]:
    if data.dtype.names is not None and data.ndim == 1 and names is None:
        return {name: _column(name, data[name]) for name in data.dtype.names}
    table = data.reshape(-1, 1) if data.ndim == 1 else data
    if names is None or isinstance(names, str) or table.ndim != 2 or len(set(names)) != table.shape[1]:
        raise InvalidParameter("an array of one or two dimensions needs names=[...], a different one for each column")
    return {_name(name): _column(name, table[:, i]) for i, name in enumerate(names)}


def _frame(data: Any) -> Any:
    """The data as narwhals sees them, read into memory if they were not."""
    import narwhals as nw

    try:
        frame = nw.from_native(data)
        return frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    except Exception:  # its words may hold a value
        failed = InvalidParameter(f"data must be a dict of columns, an array or a frame, got {type(data).__name__}")
    raise failed


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise InvalidParameter(f"a column must be named by text, got {name!r}")
    return name


def _column(name: Any, values: Any) -> NDArray[Any]:
    try:
        return _array(values)
    except Exception:  # its words may hold a value
        failed = InvalidParameter(f"column {name!r} is neither an array nor a list of values")
    raise failed


def _array(values: Any) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray):
        return _with_gaps(np.asarray(values.data), np.ma.getmaskarray(values))
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, str | bytes | Mapping):
        raise TypeError
    if isinstance(values, list | tuple | range):
        return _listed(list(values))
    import narwhals as nw

    if type(values).__module__.startswith("pyarrow") and not hasattr(values, "chunks"):
        import pyarrow as pa

        values = pa.chunked_array([values])
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _of_series(series)
    return np.asarray(values) if hasattr(values, "__array__") else _listed(list(values))


def _of_series(series: Any) -> NDArray[Any]:
    kind = series.dtype
    if kind.is_temporal():  # with gaps or without: objects would lose nanoseconds because of one NULL
        times: NDArray[Any] = series.to_numpy()
        return times if times.dtype.kind in "mM" else _listed(series.to_list())
    if str(kind) not in _NUMBERS:
        return _listed(series.to_list())
    if not series.null_count():
        return np.asarray(series.to_numpy())
    gaps = np.asarray(series.is_null().to_numpy(), np.bool_)
    return _with_gaps(np.asarray(series.fill_null(0 if kind.is_numeric() else False).to_numpy()), gaps)


def _with_gaps(values: NDArray[Any], gaps: NDArray[np.bool_]) -> NDArray[Any]:
    """Doubles with NaN for a gap where they hold every other value exactly, else objects with None."""
    if not gaps.any() and values.dtype != object:
        return values
    kind = values.dtype.kind
    if kind in "mM":
        return np.where(gaps, np.array("NaT", values.dtype), values)
    present = values[~gaps]
    if kind in "bf" or (kind in "iu" and (not len(present) or -_WHOLE <= present.min() <= present.max() <= _WHOLE)):
        with np.errstate(all="ignore"):
            numbers = values.astype(np.float64)
        numbers[gaps] = np.nan
        return numbers
    objects = np.fromiter(values.tolist(), object, len(values))
    objects[gaps] = None
    return objects


def _listed(values: list[Any]) -> NDArray[Any]:
    """A list as objects, or as numbers where all of it is of one type of number, so that no value changes."""
    types = set(map(type, values))
    if types == {int} and _INT64.min <= min(values) <= max(values) <= _INT64.max:
        return np.array(values, np.int64)
    if types == {float}:
        return np.array(values, np.float64)
    return np.fromiter(values, object, len(values))
