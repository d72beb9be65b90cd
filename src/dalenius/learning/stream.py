"""Rows that stay in a Parquet file and are read some thousands at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.learning.rows import CHUNK, Chunk, numbers
from dalenius.queries import View


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ParquetRows(View):
    """Features and target in a file: as many passes as a fit needs, never more than a chunk in memory."""

    path: Path
    features: tuple[str, ...]
    target: str

    @classmethod
    def open(cls, path: str | Path, features: Sequence[str], target: str) -> "ParquetRows":
        """The columns of a file, refused by the file's schema alone."""
        import pyarrow.parquet as pq

        if isinstance(features, str) or not features or len(set(features)) != len(features):
            raise InvalidParameter("features must be a list of column names, each named once")
        try:
            known = set(pq.read_schema(path).names)
        except (OSError, ValueError):
            known = None
        if known is None:
            raise InvalidParameter(f"no Parquet file can be read at {str(path)!r}")
        for name in (*features, target):
            if name not in known:
                raise UnknownName(f"the file has no column {name!r}")
        return cls(Path(path), tuple(features), target)

    def __len__(self) -> int:
        import pyarrow.parquet as pq

        return int(pq.read_metadata(self.path).num_rows)

    def chunks(self) -> Iterator[Chunk]:
        """The rows, some thousands at a time, in their order."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(CHUNK, columns=[*self.features, self.target]):
                columns = [numbers(_values(batch.column(name))) for name in self.features]
                yield np.column_stack(columns), _values(batch.column(self.target))


def _values(column: Any) -> Any:
    """Numbers as an array, NULL as NaN; anything else as objects."""
    import pyarrow as pa

    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    found = np.empty(len(column), object)
    found[:] = column.to_pylist()
    return found
