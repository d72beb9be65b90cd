"""Pages for people: analysts ask, owners govern. Every page is made on the server and works without a script."""

from dalenius.server.console import (
    answers,
    assets,
    dashboards,
    govern,
    history,
    login,
    public,
    public_ask,
    saved,
    tables,
)

ROUTERS = (
    assets.router,
    login.router,
    tables.router,
    answers.router,
    history.router,
    saved.router,
    dashboards.router,
    govern.router,
    public.router,
    public_ask.router,
)

__all__ = ["ROUTERS"]
