"""Where questions wait, and when their answers leave.

Up to the first reading of rows everything is a function of public facts, and a refusal leaves at once. From then on how
long the work takes may hang on a row. So whatever comes of it leaves at one moment, `answer_after` seconds after rows
were first read: the answer if it is ready, and otherwise one constant sentence, whatever the reason. The work goes on,
is committed, and a retry under the same key gets it.

A slot is held until its answer leaves, and not until its work ends: otherwise the time that another analyst waits for a
slot, which comes before their charge, would tell how long private work took. A slot is taken last: whoever waits for
something of their own, such as a long look that nobody pays for, waits without a slot that others could use.

For the same reason an asker's other requests wait until their answer has left: what is stored of it is there as soon as
the work ends, and whoever could look meanwhile (is it known? is it in the list? what does the next one cost?) would see
when that was. `turns` and, over all servers of the ledger, `holds` keep them apart.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dalenius.curator import when_rows_are_read
from dalenius.server.clock import Clock
from dalenius.server.holds import Holds
from dalenius.server.settings import Settings
from dalenius.server.turns import Turn, Turns

T = TypeVar("T")

THREADS = 256
FREE_THREADS = 32
"""Threads for what reads no row: questions that are late keep theirs, and must not keep anybody from signing in."""
OWN_THREADS = 4
"""How many of these one asker has for explaining and for SQL over what is known: neither is paid for."""


class Busy(Exception):
    """Too many questions wait for this data set, or half of them are the asker's own; how many is public."""


class NoAnswer(Exception):
    """No answer left in time. It is said of work that failed and of work that is not done yet, in the same words."""


@dataclass(slots=True)
class _Place:
    """The slots of one data set; by asker, how many wait for one."""

    slots: asyncio.Semaphore
    waits: dict[str | None, int] = field(default_factory=dict)

    @property
    def waiting(self) -> int:
        """How many wait, of all askers."""
        return sum(self.waits.values())


@dataclass(slots=True)
class _OwnThreads:
    """The threads of one asker's own for what is free, and how many requests wait for one."""

    threads: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(OWN_THREADS))
    waiting: int = 0


@dataclass(slots=True)
class Line:
    """The waiting lines of all data sets."""

    settings: Settings
    clock: Clock = field(default_factory=Clock)
    holds: Holds | None = None
    charged: Counter[str] = field(default_factory=Counter)
    """Questions by data set that this server has let read rows, which is after their charge."""

    _places: dict[str, _Place] = field(default_factory=dict)
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(THREADS, "question"))
    _free: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(FREE_THREADS, "free"))
    _running: set[asyncio.Task[Any]] = field(default_factory=set)
    _own: dict[str | None, _OwnThreads] = field(default_factory=dict)
    _turns: Turns = field(default_factory=Turns)

    async def ask(self, dataset: str, work: Callable[[], T], asker: str | None = None, *, draw: bool = False) -> T:
        """The answer of work that may read rows; Busy or a refusal at once, NoAnswer at its time.

        One asker's questions are worked on one after the other, since what is known of the first prices the second. A
        `draw` pays again whatever is known, so several are worked on together. One that reads no row was drawn before,
        under its key: it leaves as late as one that does, or it would tell whether the first one's work had ended.

        Whatever is made of the answer, its intervals and its text, belongs to the work: made afterwards on the loop
        that sends all answers, it would keep those of others from leaving at their moments.
        A caller who goes away stops waiting, and nothing else: the work, its charge and its slot go on.
        """
        task = asyncio.create_task(self._answer(dataset, work, asker, draw))
        self._running.add(task)  # the loop itself holds tasks weakly
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    async def free(self, work: Callable[[], T]) -> T:
        """The answer of work that reads no row, in a place that no question waits for."""
        return await asyncio.get_running_loop().run_in_executor(self._free, work)

    async def look(self, dataset: str, asker: str | None, work: Callable[[], T]) -> T:
        """As `free`, for work that may see what is stored of an asker's answers: never while one is worked on.

        A caller who goes away does not end it.
        """
        task = asyncio.ensure_future(self._looked(dataset, asker, work))
        task.add_done_callback(_seen)
        return await asyncio.shield(task)

    async def free_of(self, asker: str | None, work: Callable[[], T], dataset: str | None = None) -> T:
        """As `look`, for work of which one asker does only so much at a time; Busy if too much of theirs waits.

        SQL over released tables takes as long as its text makes it. Nobody pays for that, so nobody may fill the
        threads that all need for signing in. A caller who goes away keeps the thread until the work ends.
        """
        own = self._own.setdefault(asker, _OwnThreads())
        if own.waiting >= self.settings.queue:
            raise Busy
        own.waiting += 1
        try:
            await own.threads.acquire()
        finally:
            own.waiting -= 1
        task = asyncio.ensure_future(self.free(work) if dataset is None else self._looked(dataset, asker, work))
        task.add_done_callback(_seen)
        task.add_done_callback(lambda _: own.threads.release())
        return await asyncio.shield(task)

    def close(self) -> None:
        """Let running work end, and take no more."""
        self._threads.shutdown(wait=True)
        self._free.shutdown(wait=True)

    async def _looked(self, dataset: str, asker: str | None, work: Callable[[], T]) -> T:
        async with self._turn(dataset, asker, Turn.LOOK):
            return await self.free(work)

    @asynccontextmanager
    async def _turn(self, dataset: str, asker: str | None, turn: Turn) -> AsyncIterator[None]:
        """An asker's turn, on every server; an owner, who sees the whole log, waits for nothing."""
        async with AsyncExitStack() as stack:
            if asker is not None:
                await stack.enter_async_context(self._turns.taken(dataset, asker, turn))
                if self.holds is not None:
                    await stack.enter_async_context(self.holds.taken(dataset, asker, turn))
            yield

    async def _answer(self, dataset: str, work: Callable[[], T], asker: str | None, draw: bool) -> T:
        place = self._places.setdefault(dataset, _Place(asyncio.Semaphore(self.settings.slots)))
        own = place.waits.get(asker, 0)
        if place.waiting >= self.settings.queue or (asker is not None and own >= max(1, self.settings.queue // 2)):
            raise Busy
        async with AsyncExitStack() as stack:
            place.waits[asker] = own + 1
            try:
                await stack.enter_async_context(self._turn(dataset, asker, Turn.DRAW if draw else Turn.ASK))
                await stack.enter_async_context(place.slots)
            finally:
                place.waits[asker] -= 1
                if not place.waits[asker]:
                    del place.waits[asker]
            return await self._leave(dataset, work, draw and asker is not None)

    async def _leave(self, dataset: str, work: Callable[[], T], draw: bool) -> T:
        loop, begun = asyncio.get_running_loop(), asyncio.Event()
        read_at: list[float] = []

        def tell() -> None:
            if not read_at:
                read_at.append(self.clock.now())
                loop.call_soon_threadsafe(begun.set)

        def run() -> T:
            with when_rows_are_read(tell):
                return work()

        result = loop.run_in_executor(self._threads, run)
        result.add_done_callback(lambda _: begun.set())
        await begun.wait()
        if not read_at:
            answer = await result
            if draw:
                await self.clock.sleep_until(self.clock.now() + float(self.settings.answer_after))
            return answer
        self.charged[dataset] += 1
        await self.clock.sleep_until(read_at[0] + float(self.settings.answer_after))
        if not result.done() or result.exception() is not None:
            result.add_done_callback(_seen)
            raise NoAnswer
        return result.result()

    def _forget(self, task: "asyncio.Task[Any]") -> None:
        self._running.discard(task)
        _seen(task)


def _seen(future: "asyncio.Future[Any]") -> None:
    """Take note of an exception: asyncio prints one that nobody asked for, and its words may tell of a row."""
    if not future.cancelled():
        future.exception()
