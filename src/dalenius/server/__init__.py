"""The HTTP server: ask without holding the data. Translation only: parse, submit, render."""

from dalenius.server.app import create_app
from dalenius.server.catalog import Catalog
from dalenius.server.room import Room
from dalenius.server.run import check_listening, serve
from dalenius.server.settings import Settings

__all__ = ["Catalog", "Room", "Settings", "check_listening", "create_app", "serve"]
