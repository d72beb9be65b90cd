"""The resources of the server, one file each."""

from dalenius.server.api import budget, datasets, explain, health, keys, log, query, releases, requests, shares, verify

ROUTERS = (
    health.router,
    datasets.router,
    explain.router,
    query.router,
    releases.router,
    budget.router,
    shares.router,
    requests.router,
    keys.router,
    log.router,
    verify.router,
)

__all__ = ["ROUTERS"]
