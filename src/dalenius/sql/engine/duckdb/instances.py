"""An instance of the engine for each statement that runs, so that what one uses up no other lacks.

The engine's limits of memory and temporary space hold for an instance. On a shared one a person with n rows in two
joined tables, whose product is n² rows, could use it all up and fail whatever other people's questions run meanwhile:
their failure would tell of that person, and nothing of it would be paid. On an instance of its own a statement fails by
its own rows alone, and its limits are public figures.
"""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Condition

import duckdb

from dalenius.errors import InvalidParameter
from dalenius.sql.engine.duckdb.opening import opened
from dalenius.sql.engine.source import Source

INSTANCES = "instances"
"""The setting that asks for them: "shared", or "statement"."""

KEPT = 4
"""Instances that are kept for later statements; more are opened while more run."""
PATIENCE = 0.02
"""Seconds that a statement waits for an instance to come back before it opens one, which takes about as long."""


def asked_for(settings: Mapping[str, str | int]) -> tuple[dict[str, str | int], bool]:
    """The engine's own settings, and whether each statement has an instance of its own."""
    own = {name: value for name, value in settings.items() if name != INSTANCES}
    wanted = settings.get(INSTANCES, "shared")
    if wanted not in ("shared", "statement"):
        raise InvalidParameter(f'instances must be "shared" or "statement", got {wanted!r}')
    return own, wanted == "statement"


class _Instance:
    """A connection to an instance of its own, with a folder that goes when the instance goes, or the program ends."""

    def __init__(self, sources: Mapping[str, Source], settings: Mapping[str, str | int]) -> None:
        place = settings.get("temp_directory")
        folder = tempfile.mkdtemp(prefix="dalenius-", dir=None if place is None else str(place))  # for us alone
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.sources = sources
        self.connection = opened(sources, {**settings, "temp_directory": folder})

    def close(self) -> None:
        with suppress(Exception):
            self.connection.close()
        self._remove()


@dataclass(slots=True)
class Instances:
    """Instances that no statement uses now; one is taken for a statement, and opened if there is none.

    What does not fit into an instance's memory goes to a folder of its own, which nobody else may read and which is
    removed with it.
    """

    settings: Mapping[str, str | int]
    sources: Callable[[], Mapping[str, Source]]
    _idle: list[_Instance] = field(default_factory=list)
    _changed: Condition = field(default_factory=Condition)
    _running: int = 0
    _opening: int = 0
    _closed: bool = False

    @contextmanager
    def one(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """An instance for one statement alone; one that has failed is not used again."""
        instance = self._taken()
        try:
            with instance.connection.cursor() as cursor:
                yield cursor
        except BaseException:
            with self._changed:
                self._running -= 1
            instance.close()
            raise
        self._put_back(instance)

    def close(self) -> None:
        """Let go of all; a statement that runs lets go of its own."""
        with self._changed:
            idle, self._idle, self._closed = self._idle, [], True
            self._changed.notify_all()
        for instance in idle:
            instance.close()

    def _taken(self) -> _Instance:
        """An idle instance, or a new one. As many run as are kept: whoever is one more waits a little for one of them.

        Instances are opened one at a time: opening takes several times the work of a short statement, and while one is
        opened others come back. Where none does, the next is opened, which takes as long as public facts make it.
        Statements run after their charge, whose answer leaves at its own moment, so a wait of bounded length tells
        nobody anything; a statement that keeps its instance for long keeps nobody from opening another.
        """
        sources = self.sources()
        with self._changed:
            self._changed.wait_for(lambda: self._may_take() or self._running < KEPT, PATIENCE)
            self._changed.wait_for(lambda: self._may_take() or not self._opening)
            if self._closed:
                raise duckdb.ConnectionException("closed")
            self._running += 1
            while self._idle:
                instance = self._idle.pop()
                if instance.sources is sources:  # the column that names people was named since
                    return instance
                instance.close()
            self._opening += 1
        try:
            return _Instance(sources, self.settings)
        except BaseException:
            with self._changed:
                self._running -= 1
            raise
        finally:
            with self._changed:
                self._opening -= 1
                self._changed.notify_all()

    def _may_take(self) -> bool:
        return bool(self._idle) or self._closed

    def _put_back(self, instance: _Instance) -> None:
        with self._changed:
            self._running -= 1
            if not self._closed and len(self._idle) < KEPT:
                self._idle.append(instance)
                self._changed.notify()
                return
        instance.close()
