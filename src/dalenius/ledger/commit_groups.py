"""Group commit: works of several threads that wait for one file are carried out in one transaction, by one flush.

A flush takes some milliseconds, whatever it writes. While one is under way, others come to wait; the first of them then
carries out all works of its kind that wait, in the order in which they came. None hears of its result before the
transaction of all is durable. Works of two kinds never share a transaction: see `WorkKind`.

An interrupt (Ctrl-C) may come between any two steps. So who leads is who holds a lock, which Python gives back whatever
happens; no result is told unless its transaction was seen to end; and who is not told anything looks for themselves.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from dalenius.errors import LedgerUnavailable
from dalenius.ledger.store import Records, WorkKind

T = TypeVar("T")

LARGEST_GROUP = 64
"""Works of one transaction: who waits for a result waits for no more than these."""

LOOK_AGAIN = 1.0
"""Seconds after which who waits looks whether anybody still leads: an interrupt may have come before it woke them."""


class Work(Generic[T]):
    """What one thread wants written, and what came of it."""

    __slots__ = ("_fault", "_result", "done", "durable", "kind", "run", "turn")

    def __init__(self, run: Callable[[Records], T], kind: WorkKind) -> None:
        self.run = run
        self.kind = kind
        self.turn = threading.Event()
        self.done = False
        self.durable = False
        self._result: T | None = None
        self._fault: BaseException | None = None

    def returned(self, result: T) -> None:
        """Keep what the work returned; nobody is told before it is `durable`."""
        self._result = result

    def failed(self, fault: BaseException) -> None:
        """Keep why nothing of it was written."""
        self._fault = fault

    def result(self) -> T:
        """What the work returned, or raise what it raised; nobody counts on what was not seen to be durable."""
        if self._fault is not None:
            raise self._fault
        if not self.durable:
            raise LedgerUnavailable("the transaction was interrupted; ask again, under the same key")
        return self._result  # type: ignore[return-value]


Take = Callable[[], Sequence[Work[Any]]]
CarryOut = Callable[[Take], None]
"""One transaction for a group of works, which it takes once it holds the file: whoever came to wait by then is in it.

It returns once all of them are durable, each with its result, or with a fault of its own and then without a trace; or
it raises, and then nobody counts on any of them.
"""


class CommitGroups:
    """The line of works that wait for one transaction after the other."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._waiting: deque[Work[Any]] = deque()
        self._leading = threading.Lock()

    def do(self, carry_out: CarryOut, run: Callable[[Records], T], kind: WorkKind) -> T:
        """What `run` returns, once it is durable; it may run in another thread that waits at the same time."""
        work = Work(run, kind)
        try:
            with self._mutex:
                self._waiting.append(work)
                is_first = self._waiting[0] is work
            if not is_first or self._leading.locked():  # who leads has not looked yet who is the first to wait
                work.turn.wait(LOOK_AGAIN)
            if not work.done:
                self._lead(carry_out, work)
        except BaseException:  # Ctrl-C: a work that nobody has begun is not begun any more
            self._withdraw(work)
            raise
        return work.result()

    def _lead(self, carry_out: CarryOut, work: Work[Any]) -> None:
        """Carry out groups until this work is done; wake who leads next, and then those whose works are done."""
        finished: list[Work[Any]] = []
        try:
            with self._leading:
                while self._waits(work):
                    self._carry_out_group(carry_out, finished)
        finally:  # not under the lock: who is awake takes the processor, and all others would wait for that
            self._wake_next()
            for one in finished:
                one.turn.set()

    def _carry_out_group(self, carry_out: CarryOut, finished: list[Work[Any]]) -> None:
        """Carry out the works that wait and go together, and add them to those that are finished."""
        group: list[Work[Any]] = []

        def take() -> Sequence[Work[Any]]:
            with self._mutex:
                group.extend(self._taken())
            return group

        try:
            carry_out(take)
            for work in group:
                work.durable = True
        except Exception as fault:
            for work in group or take():
                work.failed(fault)
        finally:
            for work in group:
                work.done = True
            finished.extend(group)

    def _taken(self) -> list[Work[Any]]:
        """The works that go with the first one, out of the line."""
        kind = self._waiting[0].kind
        group = [work for work in self._waiting if work.kind is kind][:LARGEST_GROUP]
        self._waiting = deque(work for work in self._waiting if work not in group)
        return group

    def _waits(self, work: Work[Any]) -> bool:
        with self._mutex:
            return work in self._waiting

    def _wake_next(self) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting[0].turn.set()

    def _withdraw(self, work: Work[Any]) -> None:
        with self._mutex:
            if work in self._waiting:
                self._waiting.remove(work)
        self._wake_next()
