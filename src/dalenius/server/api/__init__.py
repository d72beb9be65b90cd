"""The resources of the server, one file each."""

from dalenius.server.api import (
    budget,
    dashboards,
    datasets,
    explain,
    governing,
    health,
    keys,
    log,
    logins,
    public,
    query,
    questions,
    releases,
    requests,
    shares,
    verify,
)

ROUTERS = (
    health.router,
    datasets.router,
    explain.router,
    query.router,
    releases.router,
    questions.router,
    dashboards.router,
    budget.router,
    shares.router,
    requests.router,
    keys.router,
    logins.router,
    log.router,
    verify.router,
    governing.router,
    public.router,
)

__all__ = ["ROUTERS"]
