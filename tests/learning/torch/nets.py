"""Modules that the tests of private training share."""

from fractions import Fraction

import torch
from torch import nn

from dalenius.learning.torch.clipped import ClippedSum
from dalenius.learning.torch.examples import Examples
from dalenius.learning.torch.probe import Shapes
from dalenius.learning.torch.rounding import Rounding
from dalenius.learning.torch.tensors import public_rows

DIGITS = 34


class Branched(nn.Module):
    """A forward of its own: a free parameter, a layer used twice, tied weights, a dense layer over positions."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 6)
        self.twice = nn.Linear(6, 6, bias=False)
        self.tied = nn.Linear(6, 6)
        self.tied.weight = self.first.weight
        self.over = nn.Linear(2, 3)
        self.scale = nn.Parameter(torch.full((6,), 0.7))
        self.last = nn.Linear(9, 3)

    def forward(self, x):
        h = torch.tanh(self.twice(torch.tanh(self.twice(self.first(x))))) * self.scale
        h = self.over(self.tied(h).reshape(-1, 3, 2))
        return self.last(h.flatten(1))


def convolutional():
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, stride=2, padding=1),
        nn.GroupNorm(2, 4),
        nn.ReLU(),
        nn.Conv2d(4, 3, 2, bias=False),
        nn.Flatten(),
        nn.Linear(12, 3),
    )


def dense():
    return nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3))


NETS = {"dense": (dense, (5,)), "convolutional": (convolutional, (2, 6, 6)), "branched": (Branched, (6,))}


def built(name, seed=0):
    """(module, shape of a row)."""
    torch.manual_seed(seed)
    make, shape = NETS[name]
    return make(), shape


def rows(shape, count, seed=1, classes=3):
    made = torch.Generator().manual_seed(seed)
    return torch.randn((count, *shape), generator=made), torch.randint(0, classes, (count,), generator=made)


def summed(module, shape, clip=Fraction(1), loss=nn.functional.cross_entropy):
    """The clipped sum of a module."""
    x, y = rows(shape, 1)
    examples = Examples.of(module, loss, public_rows(x, 2), public_rows(y, 2))
    shapes = Shapes.of(examples, public_rows(x, 512), public_rows(y, 512))
    return ClippedSum(examples, Rounding(clip, examples.size, Fraction(1, 2**24), DIGITS), shapes)


def by_hand(module, x, y, clip=1.0):
    """Clipped gradients in float64, one row at a time by plain autograd."""
    exact = type(module)() if isinstance(module, Branched) else module
    found = []
    kind = next(exact.parameters()).dtype
    exact = exact.to(torch.float64)
    if exact is not module:
        exact.load_state_dict(module.state_dict())
    for i in range(len(x)):
        exact.zero_grad()
        nn.functional.cross_entropy(exact(x[i : i + 1].double()), y[i : i + 1]).backward()
        gradient = torch.cat([p.grad.flatten() for p in exact.parameters()])
        found.append(gradient * min(1.0, clip / float(gradient.norm())))
    exact.to(kind)
    exact.zero_grad()
    return torch.stack(found)
