"""Whose turn it is with one asker: what they look at, and what is worked on for them, never overlap.

What is stored of an answer is there as soon as its work ends, and the answer leaves later, at its moment. Whoever could
look between the two, or have a second question priced by what is known then, would see when the work ended. So looking
begins when no question of the asker's is worked on, and is done before one is. Questions are worked on one after the
other; draws, which pay again whatever is known, may be worked on together.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum


class Turn(Enum):
    """What an asker does: look at what is known, draw whatever is known, or ask, which may be answered by it."""

    LOOK = "look"
    DRAW = "draw"
    ASK = "ask"


@dataclass(slots=True)
class _Asker:
    """What one asker does now, how often at once, and what waits for it to end, in order."""

    now: Turn = Turn.LOOK
    inside: int = 0
    waiting: deque[tuple[Turn, asyncio.Future[None]]] = field(default_factory=deque)

    def admits(self, turn: Turn) -> bool:
        """Whether somebody may begin: who comes later than what waits does not pass it."""
        return not self.inside or (turn is self.now and turn is not Turn.ASK and not self.waiting)

    def begin(self, turn: Turn) -> None:
        self.now, self.inside = turn, self.inside + 1

    def end(self) -> None:
        """End one; the last one lets in what waits: all looks after a question, so that none waits for two."""
        self.inside -= 1
        if self.inside:
            return
        self.waiting = deque(one for one in self.waiting if not one[1].done())  # who went away waits no more
        if not self.waiting:
            return
        looks = self.now is not Turn.LOOK and any(turn is Turn.LOOK for turn, _ in self.waiting)
        chosen = Turn.LOOK if looks else self.waiting[0][0]
        together = len(self.waiting) if chosen is not Turn.ASK else 1
        kept: deque[tuple[Turn, asyncio.Future[None]]] = deque()
        for turn, ready in self.waiting:
            if turn is chosen and together:
                together -= 1
                self.begin(turn)
                ready.set_result(None)
            else:
                kept.append((turn, ready))
        self.waiting = kept


@dataclass(slots=True)
class Turns:
    """The turns of all askers of one server, each with one data set."""

    _askers: dict[tuple[str, str], _Asker] = field(default_factory=dict)

    @asynccontextmanager
    async def taken(self, dataset: str, asker: str, turn: Turn) -> AsyncIterator[None]:
        """Wait for the turn, and keep it inside of this block."""
        place = (dataset, asker)
        with_asker = self._askers.setdefault(place, _Asker())
        if with_asker.admits(turn):
            with_asker.begin(turn)
        else:
            await _waited(with_asker, turn)
        try:
            yield
        finally:
            with_asker.end()
            if not with_asker.inside and not with_asker.waiting and self._askers.get(place) is with_asker:
                del self._askers[place]


async def _waited(with_asker: _Asker, turn: Turn) -> None:
    ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    with_asker.waiting.append((turn, ready))
    try:
        await ready
    except asyncio.CancelledError:
        if ready.done() and not ready.cancelled():  # it was let in as its caller went away
            with_asker.end()
        raise
