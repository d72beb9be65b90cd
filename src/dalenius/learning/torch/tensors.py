"""Private rows as tensors, each by its own rule: no row decides how another is read, or makes the reading fail."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.errors import InvalidParameter
from dalenius.learning.data.rows import numbers
from dalenius.learning.torch.library import torch
from dalenius.queries import View


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TensorRows(View):
    """Inputs and targets, private, and which rows can be used. Its `repr` says nothing of what is inside."""

    x: Any
    y: Any
    usable: Any

    def __len__(self) -> int:
        return len(self.x)


def inputs(data: Any, kind: Any, vocabulary: int | None) -> tuple[Any, Any]:
    """(inputs, usable): floats of the module's kind, or whole numbers below `vocabulary`, else the row is unusable."""
    given = _array(data, "X")
    if given.ndim < 2 and vocabulary is None:
        raise InvalidParameter("X must have at least two dimensions, the first over rows: array.reshape(-1, 1) for one")
    if vocabulary is None:
        return _floats(given, kind), torch.ones(len(given), dtype=torch.bool)
    return _whole(given, vocabulary)


def targets(data: Any, kind: Any, classes: int | None, rows: int) -> tuple[Any, Any]:
    """(targets, usable): floats, or labels 0 … classes − 1; a row with another label is unusable."""
    given = _array(data, "y")
    if given.ndim < 1 or len(given) != rows:
        raise InvalidParameter("X and y must have the same number of rows")
    if classes is None:
        if given.dtype.kind in "iub":
            raise InvalidParameter("y holds whole numbers: give classes=, or turn it into floats")
        return _floats(given, kind), torch.ones(rows, dtype=torch.bool)
    return _whole(given, classes)


def public_rows(like: Any, count: int) -> Any:
    """Rows of the same shape and kind that hold nothing private: fixed pseudo-random floats, or zeros for labels."""
    if not like.dtype.is_floating_point:
        return torch.zeros((count, *like.shape[1:]), dtype=like.dtype)
    made = torch.Generator().manual_seed(0)
    return torch.randn((count, *like.shape[1:]), generator=made, dtype=like.dtype)


def _array(data: Any, name: str) -> Any:
    if isinstance(data, torch.Tensor):
        if data.is_complex():
            raise InvalidParameter(f"{name} must hold real numbers")
        kept = data.detach().cpu()
        return kept.float().numpy() if kept.dtype in (torch.bfloat16, torch.float16) else kept.numpy()
    if not hasattr(data, "__array__") and not hasattr(data, "to_numpy"):
        # a list is refused: one text in it would turn its neighbors into text
        raise InvalidParameter(f"{name} must be a tensor, an array or a frame, got {type(data).__name__}")
    array = np.asarray(data)
    if array.dtype.kind == "c":
        raise InvalidParameter(f"{name} must hold real numbers")
    return array


def _floats(given: Any, kind: Any) -> Any:
    with np.errstate(all="ignore"):
        values = given if given.dtype.kind == "f" else numbers(given)
        return torch.from_numpy(np.ascontiguousarray(values, np.float64 if kind == torch.float64 else np.float32))


def _whole(given: Any, below: int) -> tuple[Any, Any]:
    with np.errstate(all="ignore"):
        values = numbers(given)
        fits = (values >= 0) & (values < below) & (np.floor(values) == values)
        kept = np.where(fits, values, 0.0).astype(np.int64)
    usable = fits.all(axis=tuple(range(1, fits.ndim)))
    return torch.from_numpy(kept), torch.from_numpy(usable)
