"""What an engine is: it holds tables, reads them by compiled statements, and reaches nothing else."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalenius.queries import View
from dalenius.sql.engine.dialect import Dialect
from dalenius.sql.engine.source import Source

if TYPE_CHECKING:
    import pyarrow as pa


class Engine(View, ABC):
    """One table, and perhaps others to join, behind a wall: its obligations stand in docs/theory/engines.md.

    `scan`, `fetch` and `write_table` run after the charge: whatever fails may be the doing of a row, so that nothing of
    it leaves but that it failed.
    """

    __slots__ = ()

    name: str
    settings: dict[str, str | int]
    dialect: Dialect
    suffix: str
    """How the names of the files end that it writes tables to."""

    @property
    @abstractmethod
    def source(self) -> Source:
        """Where the first table comes from."""

    @property
    @abstractmethod
    def columns(self) -> dict[str, str]:
        """Names and types, from the schema alone."""

    @property
    @abstractmethod
    def beside(self) -> dict[str, dict[str, str]]:
        """The columns of the tables that may be joined, by the engine's names for them."""

    @abstractmethod
    def source_of(self, place: str) -> Source:
        """Where the table of this name in the engine comes from."""

    def name_unit(self, column: str | None, beside: Mapping[str, str | None] | None = None) -> None:
        """Say which column names people, before rows are read: an engine may read it otherwise than the rest.

        `beside` has the tables, by the engine's names for them, in which it is called otherwise.
        """

    def check_lines(self) -> None:
        """Refuse a file in which one row could hide others, for its owner, once."""

    def close(self) -> None:
        """Let go of the tables."""

    @abstractmethod
    def scan(self, statement: str, cells: int, parts: int) -> NDArray[np.int64]:
        """The integers that a compiled statement gives for cells 0 … cells − 1, one row for each part."""

    @abstractmethod
    def fetch(self, statement: str, named: "pa.Table | None" = None) -> "pa.Table":
        """The rows of a compiled statement, for a plan that releases something private of them."""

    @property
    @abstractmethod
    def prepared(self) -> "Engine | None":
        """The table of which each unit has a bounded number of rows, if one was made and is not out of date."""

    @abstractmethod
    def hold(self, prepared: "Engine", current: Callable[[], bool]) -> None:
        """Keep a prepared table beside the source; `current` tells whether it still stands for it."""

    @abstractmethod
    def reading(self, prepared: bool) -> "Engine":
        """The table that a statement was written for; one for kept rows is never run over the source."""

    @abstractmethod
    def write_table(self, statement: str, place: Path) -> None:
        """Write what a statement gives over the source into a file of its own, as its one table."""

    @abstractmethod
    def open_table(self, data: Any, table: str) -> "Engine":
        """Another engine of this kind, with the same settings, over a frame or a file that was written before."""
