"""The server as an ASGI application."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import dalenius
from dalenius.server import console
from dalenius.server.api import ROUTERS
from dalenius.server.catalog import Catalog
from dalenius.server.clock import Clock
from dalenius.server.desk import Desk
from dalenius.server.holds import Holds
from dalenius.server.limits import Guard, Rate
from dalenius.server.line import Line
from dalenius.server.oidc import SignIn
from dalenius.server.proxied import Proxied
from dalenius.server.refusals import EVERYWHERE, add_refusals
from dalenius.server.settings import Settings
from dalenius.server.state import State

NOTE_KEYS_SECONDS = 60


def create_app(catalog: Catalog, settings: Settings | None = None, clock: Clock | None = None) -> FastAPI:
    """The application over a catalog of tables.

    Args:
        catalog: the tables and their ledger.
        settings: limits and times.
        clock: for tests, which hold time still.
    """
    terms, time = settings or Settings(), clock or Clock()
    served = State(
        catalog,
        terms,
        Line(terms, time, Holds(Path(f"{catalog.ledger.place}.holds"))),
        Rate(terms.requests_per_second, terms.burst, time),
        Rate(terms.wrong_keys_per_minute / 60, terms.wrong_keys_per_minute, time),
        Rate(terms.public_per_minute / 60, terms.public_per_minute, time),
        Rate(terms.public_questions_per_hour / 3600, terms.public_questions_per_hour, time),
        Desk(Path(f"{catalog.ledger.place}.desk")),
    )
    app = FastAPI(
        title="dalenius",
        version=dalenius.__version__,
        description="Ask tables in public: every answer is private for each person, and says how far off it may be.",
        responses=EVERYWHERE,
        lifespan=_living,
        docs_url=None,
        redoc_url=None,
    )
    app.state.served = served
    app.state.sign_in = None if terms.provider is None else SignIn(terms.provider)
    add_refusals(app)
    for router in ROUTERS:
        app.include_router(router)
    for router in console.ROUTERS:
        app.include_router(router, include_in_schema=False)
    app.add_middleware(_Counting, served=served)
    app.add_middleware(Guard, most_bytes=terms.most_bytes)
    if terms.proxies:
        app.add_middleware(Proxied, settings=terms)
    return app


@contextlib.asynccontextmanager
async def _living(app: FastAPI) -> AsyncIterator[None]:
    served: State = app.state.served
    task = asyncio.create_task(_note_keys(served))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.to_thread(served.note_keys)
        await asyncio.to_thread(served.line.close)


async def _note_keys(served: State) -> None:
    while True:
        await asyncio.sleep(NOTE_KEYS_SECONDS)
        await asyncio.to_thread(served.note_keys)


class _Counting:
    """Count requests by route and status: the route as it is declared, never a path with names in it."""

    def __init__(self, app: ASGIApp, served: State) -> None:
        self._app, self._served = app, served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count what came of it."""
        status = 0

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        await self._app(scope, receive, counted)
        if scope["type"] == "http":
            route = getattr(scope.get("route"), "path", "other")
            labels = f'route="{route}",status="{status}"'
            self._served.counts[labels] = self._served.counts.get(labels, 0) + 1
