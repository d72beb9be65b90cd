"""Which askers have a question between its slot and its moment, over all servers of one ledger on one machine.

What is stored of an answer is there as soon as its work ends. A server lets its asker's other requests wait until the
answer has left; without this, the same asker could look at another server meanwhile, and see when the work ended.

A question holds a shared lock on a file of its asker's, and who looks whether one is held tries the exclusive lock. The
system lets go of the locks of a process that ends, however it ends. The files are empty; their names are hashes.
"""

import asyncio
import fcntl
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from dalenius.errors import LedgerUnavailable

LOOK_AGAIN = 0.01
"""Seconds after which a request looks again whether the answer of another server has left."""


class Holds:
    """The locks, in a folder beside the ledger that is for its owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @asynccontextmanager
    async def held(self, dataset: str, asker: str) -> AsyncIterator[None]:
        """Keep the asker's requests at other servers waiting inside of this block."""
        file = self._opened(dataset, asker)
        try:
            while not _locked(file, fcntl.LOCK_SH):  # somebody looks, which takes two calls of the system
                await asyncio.sleep(0)
            yield
        finally:
            os.close(file)

    async def wait(self, dataset: str, asker: str) -> None:
        """Come back once no server works on a question of the asker's."""
        while self._is_held(dataset, asker):
            await asyncio.sleep(LOOK_AGAIN)

    def _is_held(self, dataset: str, asker: str) -> bool:
        if not self._place(dataset, asker).exists():
            return False
        file = self._opened(dataset, asker)
        try:
            return not _locked(file, fcntl.LOCK_EX)
        finally:
            os.close(file)

    def _opened(self, dataset: str, asker: str) -> int:
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            return os.open(self._place(dataset, asker), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError:
            raise LedgerUnavailable("a question cannot be asked now: its place in the line cannot be kept") from None

    def _place(self, dataset: str, asker: str) -> Path:
        return self._folder / hashlib.sha256(f"{len(dataset)} {dataset} {asker}".encode()).hexdigest()[:32]


def _locked(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
