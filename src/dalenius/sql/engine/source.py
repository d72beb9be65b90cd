"""What the engine reads a table from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

COARSE_TIME = "TIMESTAMP in milliseconds"
"""A file's type that the language refuses: a row beyond the engine's microseconds would make the scan fail."""


@dataclass(frozen=True, slots=True)
class Source:
    """A SELECT that reads the table, the files it may touch, and what must be done before."""

    select: str
    name: str
    paths: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    tables: Mapping[str, Any] = field(default_factory=dict, repr=False)
    parquet: tuple[str, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    """Columns that are there and not read, with the names of their types."""
    unit: str | None = None
    """The column that names people, once it is known."""
    inner: str = ""
    """The table's name inside of a database file."""
    rowwise_view: bool = False
    """Whether the owner has stated that each row of a view is made of one row of one table."""
    lines: tuple[tuple[Path, str], ...] = ()
    """CSV files, and what stands between the fields of each."""
    declared: Mapping[str, str] = field(default_factory=dict)
    """Types that the owner has declared for columns of a file that has types of its own."""
