"""The sum of clipped gradients over private rows, as whole numbers."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.learning.torch.blocks import GradientBlock, Tensor
from dalenius.learning.torch.examples import Examples
from dalenius.learning.torch.library import torch
from dalenius.learning.torch.probe import Shapes
from dalenius.learning.torch.rounding import CHUNK, FARTHEST, HELD, LONGEST, Rounding
from dalenius.noise import Bits

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ClippedSum:
    """Σ min(1, C/|g|)·g over some rows, in steps of 2^−digits; a row whose gradient is no number counts as zero.

    Why one row moves it by no more than `rounding.sensitivity` says is proved there. Total: no row makes it fail.
    """

    examples: Examples
    rounding: Rounding
    shapes: Shapes

    def at(self, x: Tensor, y: Tensor, usable: Tensor, bits: Bits) -> Integers:
        """The sum over all rows given, put into slots in a uniformly random order."""
        order = shuffled(len(x), bits)
        total = torch.zeros(self.rounding.size, dtype=torch.int64)
        with quiet(bits):
            for start, stop, slots in self.shapes.passes(len(x)):
                rows = order[start:stop]
                total += self._pass(_padded(x, rows, slots), _padded(y, rows, slots), _padded(usable, rows, slots))
        whole: Integers = total.numpy()
        return whole

    def forget(self) -> None:
        """Drop what is kept by numbers of slots: they tell how many rows a sample had."""
        self.shapes.forget()
        self.examples.forget()

    def _pass(self, x: Tensor, y: Tensor, usable: Tensor) -> Tensor:
        names, total = self.examples.names, torch.zeros(self.rounding.size, dtype=torch.int64)
        blocks, usable = self._ran(x, y, usable)
        if not blocks:
            return total
        weights, blocks = self._weighted(blocks, usable)
        for start in range(0, len(x), CHUNK):
            parts: dict[str, Tensor] = {}
            for block in blocks:
                parts |= block.sums(weights, slice(start, start + CHUNK))
            chunk = torch.cat([parts[name] for name in names]).double()
            total += chunk.mul_(2.0**self.rounding.digits).round_().to(torch.int64)
        return total

    def _ran(self, x: Tensor, y: Tensor, usable: Tensor) -> tuple[list[GradientBlock], Tensor]:
        """The blocks of a pass; a row at which the module or the loss raises counts as zero.

        Some operations refuse numbers (a binary cross entropy of NaN, a matrix that has no Cholesky factor). Whether a
        row does that alone is its own doing; then one that does not takes its slot, unused, so no other row's result is
        another one. Where every row raises, as after weights have left the floats, there are no blocks.
        """
        with suppress(Exception):
            return self.examples.blocks(x, y), usable
        runs = torch.tensor([self._runs(x[i : i + 1], y[i : i + 1]) for i in range(len(x))])
        if not bool(runs.any()):
            return [], usable
        place = torch.where(runs, torch.arange(len(x)), int(torch.nonzero(runs)[0, 0]))
        return self.examples.blocks(x[place], y[place]), usable & runs

    def _runs(self, x: Tensor, y: Tensor) -> bool:
        with suppress(Exception):
            self.examples.blocks(x, y)
            return True
        return False

    def _weighted(self, blocks: list[GradientBlock], usable: Tensor) -> tuple[Tensor, list[GradientBlock]]:
        """The weight of each slot, zero for what is no number, is too long or is nobody's."""
        squares = torch.stack([block.squares() for block in blocks]).sum(0)
        kept = usable & (squares <= LONGEST**2)  # false for NaN too
        for reach in (block.reach() for block in blocks):
            if reach is not None:
                kept &= reach <= FARTHEST
        finite = torch.isfinite(squares)
        if not bool(finite.all()):
            bad = torch.nonzero(~finite)[:, 0]
            blocks = [block.without(bad) for block in blocks]
        longest = float(HELD * self.rounding.clip)
        weights = (longest / squares.sqrt()).clamp(max=1.0)
        return torch.where(kept, weights, 0.0).to(self.examples.kind), blocks


def shuffled(rows: int, bits: Bits) -> Tensor:
    """A uniformly random order: that of independent marks, drawn again while two are equal."""
    while np.unique(marks := bits.words(np.uint64, rows)).size < rows:
        pass
    return torch.from_numpy(np.argsort(marks))


@contextmanager
def quiet(bits: Bits) -> Iterator[None]:
    """No warning that a row could cause, no reduced precision, and randomness of layers (dropout) from a fresh seed.

    That randomness hides nothing: the clip holds for whatever it is. It must only not depend on the data.
    """
    with warnings.catch_warnings(), torch.random.fork_rng(devices=[]), torch.autocast("cpu", enabled=False):
        warnings.simplefilter("ignore")
        torch.random.default_generator.manual_seed(bits.integer(8) >> 1)
        with torch.enable_grad():
            yield


def _padded(rows: Tensor, kept: Any, slots: int) -> Tensor:
    """Some rows, and zeros (False) up to the number of slots."""
    padded = torch.zeros((slots, *rows.shape[1:]), dtype=rows.dtype)
    torch.index_select(rows, 0, kept, out=padded[: len(kept)])
    return padded
