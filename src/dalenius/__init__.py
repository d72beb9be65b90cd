"""dalenius: a statistical database that can be queried in public."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalenius.mechanisms.one_line import gaussian, geometric, laplace
    from dalenius.remote import connect

__version__ = "0.1.0"
__all__ = ["__version__", "connect", "gaussian", "geometric", "laplace"]

_PACKAGES = (
    "audit",
    "charts",
    "curator",
    "datasets",
    "dbapi",
    "errors",
    "graphs",
    "guarantees",
    "inference",
    "learning",
    "ledger",
    "local",
    "mechanisms",
    "neighbors",
    "noise",
    "remote",
    "sql",
    "statistics",
    "synthesis",
)
"""What a user calls, beside `connect`; each is loaded when it is first asked for."""


def __getattr__(name: str) -> Any:
    """Load a name when it is first asked for: who only needs the mathematics never loads a database."""
    if name == "connect":
        from dalenius.remote import connect

        return connect
    if name in ("gaussian", "geometric", "laplace"):
        return getattr(importlib.import_module("dalenius.mechanisms.one_line"), name)
    if name in _PACKAGES:
        return importlib.import_module(f"dalenius.{name}")
    if name.startswith("_"):
        raise AttributeError(f"module 'dalenius' has no attribute {name!r}")
    from dalenius.calls import nearest
    from dalenius.errors import UnknownAttribute

    meant = nearest(name, dict.fromkeys(__dir__()))
    told = f"did you mean {meant!r}?" if meant else f"it has {', '.join(__dir__())}"
    raise UnknownAttribute(f"dalenius has no {name!r}; {told}")


def __dir__() -> list[str]:
    """What a user calls."""
    return sorted([*__all__, *_PACKAGES])
