"""dalenius: a statistical database that can be queried in public."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalenius.sql import connect

__version__ = "0.1.0"
__all__ = ["__version__", "connect"]


def __getattr__(name: str) -> Any:
    """Load `connect` when it is first asked for: who only needs the mathematics never loads a database."""
    if name == "connect":
        from dalenius.sql import connect

        return connect
    raise AttributeError(f"module 'dalenius' has no attribute {name!r}")
