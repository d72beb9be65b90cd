"""The HTTP server: ask without holding the data. Translation only: parse, submit, render."""

from dalenius.server.alerts import AlertSender, AlertTargets
from dalenius.server.app import create_app
from dalenius.server.catalog import Catalog
from dalenius.server.oidc import Provider
from dalenius.server.room import Room
from dalenius.server.run import check_listening, proxies_of, serve
from dalenius.server.settings import Settings

__all__ = [
    "AlertSender",
    "AlertTargets",
    "Catalog",
    "Provider",
    "Room",
    "Settings",
    "check_listening",
    "create_app",
    "proxies_of",
    "serve",
]
