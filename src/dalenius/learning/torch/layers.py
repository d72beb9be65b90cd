"""Layers whose gradients of each example have a closed form in what goes in and what comes back."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from dalenius.learning.torch.blocks import Factored, GradientBlock, Tensor, Written
from dalenius.learning.torch.library import torch

ALIGNED = 16
"""Widths of dense layers are padded to a multiple: kernels treat a ragged row by where it lies in memory."""


@dataclass(frozen=True, slots=True)
class Tapped(ABC):
    """A layer that is called once; its output's gradient is read at a tap, which adds zero to the output."""

    path: str
    layer: Any
    last: bool = True
    """Whether the channels of a picture may be laid last in memory."""

    @property
    def weight(self) -> str:
        """The name of the weight among the module's parameters."""
        return self._named("weight")

    @property
    def bias(self) -> str | None:
        """The name of the bias, if there is one."""
        return None if self.layer.bias is None else self._named("bias")

    @abstractmethod
    def forward(self, ahead: Tensor) -> Tensor:
        """What the layer computes."""

    @abstractmethod
    def blocks(self, ahead: Tensor, back: Tensor) -> tuple[GradientBlock, ...]:
        """From each slot's input and each slot's gradient of the output, both for a batch of one."""

    def _named(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


class Dense(Tapped):
    """x ↦ Wx + b."""

    __slots__ = ()

    def forward(self, ahead: Tensor) -> Tensor:
        """By a matrix whose sides are padded with zeros, which add nothing."""
        linear, pad = torch.nn.functional.linear, torch.nn.functional.pad
        weight, bias = self.layer.weight, self.layer.bias
        outputs, inputs = weight.shape
        more_in, more_out = -inputs % ALIGNED, -outputs % ALIGNED
        if not more_in and not more_out:
            return linear(ahead, weight, bias)
        wide = pad(weight, (0, more_in, 0, more_out))
        output = linear(pad(ahead, (0, more_in)), wide, None if bias is None else pad(bias, (0, more_out)))
        return output[..., :outputs]

    def blocks(self, ahead: Tensor, back: Tensor) -> tuple[GradientBlock, ...]:
        """Factors where the layer sees one vector an example, else written out, summed over the positions."""
        ahead = ahead.reshape(len(ahead), -1, ahead.shape[-1])
        back = back.reshape(len(back), -1, back.shape[-1])
        if ahead.shape[1] == 1:
            return (Factored(self.weight, self.bias, ahead[:, 0], back[:, 0]),)
        written: tuple[GradientBlock, ...] = (Written(self.weight, torch.bmm(back.transpose(1, 2), ahead).flatten(1)),)
        return written if self.bias is None else (*written, Written(self.bias, back.sum(1)))


class Convolution(Tapped):
    """A two-dimensional convolution without groups: its gradient is a product with the patches of its input."""

    __slots__ = ()

    def forward(self, ahead: Tensor) -> Tensor:
        """The layer's own code; the channels of a point are then laid side by side, which makes pooling fast."""
        output = type(self.layer).forward(self.layer, ahead)
        if output.shape[-3] == 1 or not self.last:
            return output
        return output.movedim(-3, -1).contiguous().movedim(-1, -3)

    def blocks(self, ahead: Tensor, back: Tensor) -> tuple[GradientBlock, ...]:
        """Written out: kernels are small where pictures are large. Channels come last; only the sum is turned."""
        slots = len(ahead)
        pictures = ahead.reshape(-1, *ahead.shape[-3:]).movedim(1, -1)
        flat = back.reshape(len(pictures), *back.shape[-3:]).movedim(1, -1).flatten(1, 2)
        kernels = torch.bmm(flat.transpose(1, 2), self._patches(pictures))
        if len(pictures) > slots:
            kernels = kernels.unflatten(0, (slots, -1)).sum(1)
        outputs, inputs, high, wide = self.layer.weight.shape
        written = (Written(self.weight, kernels.flatten(1), (outputs, high, wide, inputs)),)
        if self.bias is None:
            return written
        return (*written, Written(self.bias, flat.unflatten(0, (slots, -1)).sum((1, 2))))

    def _patches(self, pictures: Tensor) -> Tensor:
        """(picture, position, patch), a patch as (row, column, channel)."""
        layer = self.layer
        (high, wide), (down, across) = layer.padding, layer.stride
        if high or wide:
            pictures = torch.nn.functional.pad(pictures, (0, 0, wide, wide, high, high))
        views = pictures.unfold(1, layer.kernel_size[0], down).unfold(2, layer.kernel_size[1], across)
        count, rows, columns = views.shape[:3]
        return views.movedim(3, -1).reshape(count, rows * columns, -1)


def tapped(path: str, layer: Any, last: bool = True) -> Tapped | None:
    """The closed form of a layer, if it has one. A subclass may compute something else, so only the class itself."""
    kind = type(layer)
    if kind is torch.nn.Linear:
        return Dense(path, layer)
    if kind is torch.nn.Conv2d and layer.groups == 1 and layer.padding_mode == "zeros":
        plain = tuple(layer.dilation) == (1, 1) and isinstance(layer.padding, tuple)
        return Convolution(path, layer, last) if plain else None
    return None
