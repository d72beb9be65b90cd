"""Which askers have a question between its slot and its moment, over all servers of one ledger on one machine.

What is stored of an answer is there as soon as its work ends. A server lets its asker's other requests wait until the
answer has left (`turns`); without this, the same asker could look at another server meanwhile, and see when the work
ended.

An asker has two files. Questions lock the one, and then wait until nobody holds the other; who looks locks the other,
and lets go of it again while the one is locked. So never both are inside, and whoever looks makes no question wait for
ever. The system lets go of the locks of a process that ends, however it ends. The files are empty; their names are
hashes.
"""

import asyncio
import fcntl
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from dalenius.errors import LedgerUnavailable
from dalenius.server.turns import Turn

LOOK_AGAIN = 0.01
"""Seconds after which a request looks again whether the answer of another server has left."""


class Holds:
    """The locks, in a folder beside the ledger that is for its owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @asynccontextmanager
    async def taken(self, dataset: str, asker: str, turn: Turn) -> AsyncIterator[None]:
        """Keep what other servers do for the asker from overlapping with this block."""
        own = await (self._looking if turn is Turn.LOOK else self._working)(dataset, asker, turn)
        try:
            yield
        finally:
            os.close(own)

    async def _working(self, dataset: str, asker: str, turn: Turn) -> int:
        """The lock of a question, once nobody looks any more."""
        kind = fcntl.LOCK_EX if turn is Turn.ASK else fcntl.LOCK_SH
        own = self._opened(dataset, asker, "asks")
        try:
            while not _locked(own, kind):
                await asyncio.sleep(LOOK_AGAIN)
            while self._is_held(dataset, asker, "looks"):
                await asyncio.sleep(LOOK_AGAIN)
        except BaseException:
            os.close(own)
            raise
        return own

    async def _looking(self, dataset: str, asker: str, turn: Turn) -> int:
        """The lock of who looks, while no question is worked on."""
        while True:
            own = self._opened(dataset, asker, "looks")
            try:
                free = _locked(own, fcntl.LOCK_SH) and not self._is_held(dataset, asker, "asks")
            except BaseException:
                os.close(own)
                raise
            if free:
                return own
            os.close(own)
            await asyncio.sleep(LOOK_AGAIN)

    def _is_held(self, dataset: str, asker: str, what: str) -> bool:
        file = self._opened(dataset, asker, what)
        try:
            return not _locked(file, fcntl.LOCK_EX)
        finally:
            os.close(file)

    def _opened(self, dataset: str, asker: str, what: str) -> int:
        place = self._folder / hashlib.sha256(f"{what} {len(dataset)} {dataset} {asker}".encode()).hexdigest()[:32]
        try:
            try:
                return _opened(place)
            except FileNotFoundError:
                self._folder.mkdir(mode=0o700, exist_ok=True)
                return _opened(place)
        except OSError:
            raise LedgerUnavailable("nothing can be asked now: its place in the line cannot be kept") from None


def _opened(place: Path) -> int:
    return os.open(place, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _locked(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
