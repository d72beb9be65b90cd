"""The gradients of each example for some parameters, written out or as factors."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from dalenius.learning.torch.library import torch

GROUP = 1024
"""Squares that are added in the gradients' own precision; sums of groups are added in float64."""

Tensor = Any


class GradientBlock(ABC):
    """One gradient for each slot of a pass: a function of that slot's example and of the weights alone."""

    __slots__ = ()

    @abstractmethod
    def squares(self) -> Tensor:
        """The squared length of each slot's gradient, in float64."""

    @abstractmethod
    def reach(self) -> Tensor | None:
        """The length of what a rounded weight is multiplied with, in float64, where the block is held as factors."""

    @abstractmethod
    def without(self, slots: Tensor) -> "GradientBlock":
        """The block with zeros in some slots: zero times NaN would be NaN."""

    @abstractmethod
    def sums(self, weights: Tensor, kept: slice) -> dict[str, Tensor]:
        """Σ weight · gradient over some slots, by the parameter's name."""

    @abstractmethod
    def rows(self) -> Tensor:
        """All that the block holds, one row a slot: what a probe compares bit by bit."""


@dataclass(frozen=True, slots=True, eq=False)
class Written(GradientBlock):
    """Gradients written out, one row a slot; those of a kernel may have the channels last, by `turned`."""

    name: str
    gradients: Tensor
    turned: tuple[int, ...] | None = None

    def squares(self) -> Tensor:
        """By groups, so that no sum in short floats is longer than a group."""
        width = self.gradients.shape[1]
        whole = width - width % GROUP
        norm = torch.linalg.vector_norm
        squares = norm(self.gradients[:, whole:], dim=1).double().square()
        if whole:
            groups = self.gradients[:, :whole].unflatten(1, (-1, GROUP))
            squares = squares + norm(groups, dim=2).double().square().sum(1)
        return squares

    def reach(self) -> None:
        """Nothing: the weight multiplies the gradient itself."""

    def without(self, slots: Tensor) -> "Written":
        """Zeros in some slots."""
        return Written(self.name, self.gradients.index_fill(0, slots, 0), self.turned)

    def sums(self, weights: Tensor, kept: slice) -> dict[str, Tensor]:
        """One product of a row and a matrix, in the order of the parameter."""
        summed = weights[kept] @ self.gradients[kept]
        return {self.name: summed if self.turned is None else summed.view(self.turned).movedim(-1, 1).reshape(-1)}

    def rows(self) -> Tensor:
        """The gradients."""
        return self.gradients


@dataclass(frozen=True, slots=True, eq=False)
class Factored(GradientBlock):
    """Gradients back ⊗ ahead of a dense layer, and `back` for its bias: never written out.

    The length of back ⊗ ahead is the product of the two lengths, and of both together
    |back| √(|ahead|² + 1)  [Goo15, LTH22, §4].
    """

    weight: str
    bias: str | None
    ahead: Tensor
    back: Tensor

    def squares(self) -> Tensor:
        """The product of two squared lengths; in float64 no square of a float32 under- or overflows."""
        ahead = _lengths(self.ahead).square()
        return _lengths(self.back).square() * (ahead if self.bias is None else ahead + 1)

    def reach(self) -> Tensor:
        """The length of the layer's input."""
        return _lengths(self.ahead)

    def without(self, slots: Tensor) -> "Factored":
        """Zeros in both factors."""
        ahead, back = self.ahead.index_fill(0, slots, 0), self.back.index_fill(0, slots, 0)
        return Factored(self.weight, self.bias, ahead, back)

    def sums(self, weights: Tensor, kept: slice) -> dict[str, Tensor]:
        """One product of two matrices."""
        scaled = self.back[kept] * weights[kept, None]
        sums = {self.weight: (scaled.t() @ self.ahead[kept]).reshape(-1)}
        if self.bias is not None:
            sums[self.bias] = weights[kept] @ self.back[kept]
        return sums

    def rows(self) -> Tensor:
        """Both factors."""
        return torch.cat([self.ahead, self.back], dim=1)


def _lengths(rows: Tensor) -> Tensor:
    return torch.linalg.vector_norm(rows, dim=1, dtype=torch.float64)
