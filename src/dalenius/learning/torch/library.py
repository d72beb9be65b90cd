"""PyTorch, loaded when it is first used."""

import importlib
from typing import Any

from dalenius.errors import DaleniusError


class MissingTorch(DaleniusError, ImportError):
    """PyTorch is not installed."""


class _Library:
    """Its attributes are those of the library."""

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":  # whoever looks through modules asks every object for it, and needs no library
            raise AttributeError(name)
        try:
            library = importlib.import_module("torch")
        except ImportError:
            library = None
        if library is None:
            raise MissingTorch("training networks needs PyTorch: pip install 'dalenius[torch]'")
        return getattr(library, name)


torch: Any = _Library()
