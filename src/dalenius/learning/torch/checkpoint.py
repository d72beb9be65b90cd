"""A state of training on disk: weights, optimizer, and the token by which its journal knows it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.learning.torch.library import torch

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a run needs to go on. All of it was released: it may be shown, but only the current one can be resumed."""

    run: str
    journal: str
    """The name of the journal's file, in the checkpoint's own folder."""
    token: str
    start: str
    """A digest of the weights that the run began with."""
    rows: int | None
    module: dict[str, Any]
    optimizer: dict[str, Any]
    log: list[dict[str, Any]]

    def write(self, path: Path) -> None:
        """Whole or not at all."""
        beside = path.with_name(path.name + ".new")
        kept = {name: getattr(self, name) for name in self.__slots__}
        with beside.open("wb") as file:
            torch.save({"version": _VERSION} | kept, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)

    @classmethod
    def read(cls, path: Path) -> "Checkpoint":
        """Tensors and plain values only: no code that a file may hold is run."""
        if not path.is_file():
            raise InvalidParameter(f"there is no checkpoint at {str(path)!r}")
        try:
            kept = torch.load(path, weights_only=True)
        except Exception:
            kept = None
        if not isinstance(kept, dict) or kept.pop("version", None) != _VERSION or kept.keys() != set(cls.__slots__):
            raise InvalidParameter(f"{str(path)!r} is no checkpoint of this version")
        return cls(**kept)
