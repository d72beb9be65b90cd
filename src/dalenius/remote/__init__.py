"""Questions to a server, asked from Python as if its tables were here."""

from dalenius.remote.connection import connect
from dalenius.remote.session import RemoteSession

__all__ = ["RemoteSession", "connect"]
