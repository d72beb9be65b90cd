"""What all requests share."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from fastapi import Request

from dalenius.errors import DaleniusError
from dalenius.server.catalog import Catalog
from dalenius.server.created import Created
from dalenius.server.desk import Desk
from dalenius.server.limits import Rate
from dalenius.server.line import Line
from dalenius.server.settings import Settings
from dalenius.sql import Session

T = TypeVar("T")


@dataclass(slots=True)
class State:
    """The served tables, their waiting lines, the limits, what people saved, and when each key was last seen."""

    catalog: Catalog
    settings: Settings
    line: Line
    requests: Rate
    wrong_keys: Rate
    strangers: Rate
    public_questions: Rate
    desk: Desk
    created: Created = field(default_factory=Created)
    seen: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    async def look(self, session: Session, work: Callable[[], T]) -> T:
        """Work that may see what is stored of an asker's answers, while none of their questions is worked on."""
        return await self.line.look(session.dataset, session.analyst, work)

    async def long_look(self, session: Session, work: Callable[[], T]) -> T:
        """As `look`, for what may take long: in one of the asker's own threads."""
        return await self.line.free_of(session.analyst, work, session.dataset)

    def wall_clock(self) -> float:
        """Seconds since 1970, by which cookies end."""
        return time.time()

    def note_keys(self) -> None:
        """Write down when keys were last seen: once in a while, since each is a write to the disk."""
        while self.seen:
            fingerprint, time = self.seen.popitem()
            try:
                self.catalog.ledger.note_use(fingerprint, time)
            except DaleniusError:  # the disk is full or busy: a later turn writes it down
                self.seen.setdefault(fingerprint, time)
                return


async def state_of(request: Request) -> State:
    """The state of the app that a request came to; a coroutine, since a plain function would be run in a thread."""
    state: State = request.app.state.served
    return state
