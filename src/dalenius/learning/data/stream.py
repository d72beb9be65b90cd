"""Rows that stay in a Parquet file, or in Arrow, and are read some thousands at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.learning.data.rows import CHUNK, Chunk, numbers
from dalenius.queries import View


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StreamedRows(View):
    """Features and target in a source: as many passes as a fit needs, never more than a chunk in memory."""

    source: Any
    """The path of a Parquet file, or an Arrow table or data set."""
    features: tuple[str, ...]
    target: str

    @classmethod
    def open(cls, path: str | Path, features: Sequence[str], target: str) -> "StreamedRows":
        """The columns of a Parquet file, refused by the file's schema alone."""
        import pyarrow.parquet as pq

        try:
            known = pq.read_schema(path)
        except (OSError, ValueError):
            known = None
        if known is None:
            raise InvalidParameter(f"no Parquet file can be read at {str(path)!r}")
        return cls(Path(path), *_named(known, features, target))

    @classmethod
    def of(cls, data: Any, features: Sequence[str], target: str) -> "StreamedRows":
        """The columns of an Arrow table, or of an Arrow data set, which may be many files; refused by the schema."""
        import pyarrow as pa
        import pyarrow.dataset as ds

        if not isinstance(data, pa.Table | ds.Dataset):
            raise InvalidParameter(
                "give an Arrow table or data set: a stream of batches can be read once only, and a fit reads it again"
            )
        named = _named(data.schema, features, target)
        if isinstance(data, ds.Dataset):
            _check_total(data, (*named[0], named[1]))
        return cls(data, *named)

    def __len__(self) -> int:
        import pyarrow.parquet as pq

        if isinstance(self.source, Path):
            return int(pq.read_metadata(self.source).num_rows)
        return int(getattr(self.source, "num_rows", None) or self.source.count_rows())

    def chunks(self) -> Iterator[Chunk]:
        """The rows, some thousands at a time, in their order."""
        for batch in self._batches():
            columns = [numbers(arrow_values(batch.column(name))) for name in self.features]
            yield np.column_stack(columns), arrow_values(batch.column(self.target))

    def _batches(self) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        wanted = [*dict.fromkeys((*self.features, self.target))]
        if isinstance(self.source, Path):
            with pq.ParquetFile(self.source) as file:
                yield from file.iter_batches(CHUNK, columns=wanted)
        elif isinstance(self.source, pa.Table):
            yield from self.source.select(wanted).to_batches(max_chunksize=CHUNK)
        else:
            # few batches ahead: the default reads a gigabyte of them
            yield from self.source.to_batches(
                columns=wanted, batch_size=CHUNK, batch_readahead=1, fragment_readahead=1, use_threads=False
            )


def _check_total(data: Any, wanted: Sequence[str]) -> None:
    """Refuse a data set that a row could make fail while it is read, by its kind and its files' schemas alone.

    A text file is parsed as it is read, and a column whose type in a file is not that of the data set is converted: a
    value that does not fit stops either, in words that show it. A filter is computed of each row, and may fail at one.
    """
    import pyarrow.dataset as ds

    if getattr(data, "_scan_options", None):
        raise InvalidParameter("a filtered data set is not read: write the rows that are wanted to a file, or a table")
    if isinstance(data, ds.UnionDataset):
        for child in data.children:
            _check_total(child, wanted)
    elif isinstance(data, ds.FileSystemDataset):
        if not isinstance(data.format, ds.ParquetFileFormat | ds.IpcFileFormat):
            raise InvalidParameter("only data sets of Parquet or Arrow files are read: text is parsed as it is read")
        for file in data.get_fragments():
            for name in wanted:
                kind, have = data.schema.field(name).type, file.physical_schema
                if name in have.names and have.field(name).type != kind:
                    raise InvalidParameter(f"column {name!r} is not of {kind} in all files: write it so")
    elif not isinstance(data, ds.InMemoryDataset):
        raise InvalidParameter(f"a data set of this kind is not read, got {type(data).__name__}")


def _named(schema: Any, features: Sequence[str], target: str) -> tuple[tuple[str, ...], str]:
    if isinstance(features, str) or not features or len(set(features)) != len(features):
        raise InvalidParameter("features must be a list of column names, each named once")
    for name in (*features, target):
        if schema.names.count(name) != 1:
            raise UnknownName(f"the source has no one column {name!r}")
        if not _readable(_plain(schema.field(name).type)):
            kind = schema.field(name).type
            raise InvalidParameter(f"column {name!r} is of {kind}: only numbers, booleans and text are read")
    return tuple(features), target


def _plain(kind: Any) -> Any:
    """The type of the values of a dictionary, else the type itself."""
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _readable(kind: Any) -> bool:
    import pyarrow as pa

    t = pa.types
    numeric = t.is_integer(kind) or t.is_floating(kind) or t.is_decimal(kind) or t.is_boolean(kind)
    return bool(numeric or t.is_string(kind) or t.is_large_string(kind) or t.is_null(kind))


def arrow_values(column: Any) -> Any:
    """Numbers as an array, NULL as NaN; text as objects, letter by letter even where it is no UTF-8: a rule for all."""
    import pyarrow as pa

    kind = _plain(column.type)
    held = column if kind == column.type else column.cast(kind)
    if pa.types.is_null(kind):
        return np.full(len(held), np.nan)
    if pa.types.is_boolean(kind):
        held = held.cast(pa.uint8())
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return held.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    texts = np.empty(len(held), object)
    octets = held.cast(pa.large_binary()).to_pylist()
    texts[:] = [None if value is None else value.decode("utf-8", "replace") for value in octets]
    return texts
