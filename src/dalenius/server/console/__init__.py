"""Pages for people: analysts ask, owners govern. Every page is made on the server and works without a script."""

from dalenius.server.console import assets, govern, login, tables

ROUTERS = (assets.router, login.router, tables.router, govern.router)

__all__ = ["ROUTERS"]
