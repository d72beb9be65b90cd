import math

import pytest
import torch
from torch import nn

from dalenius.errors import UnprovenClaim
from dalenius.learning.torch.examples import Examples
from tests.learning.torch.nets import NETS, built, rows

pytestmark = pytest.mark.torch
LOSS = nn.functional.cross_entropy


def written(examples, x, y):
    """Each slot's whole gradient, in the order of the parameters."""
    blocks, found = examples.blocks(x, y), []
    for i in range(len(x)):
        parts = {}
        for block in blocks:
            parts |= block.sums(torch.ones(len(x)), slice(i, i + 1))
        found.append(torch.cat([parts[name] for name in examples.names]))
    return torch.stack(found)


@pytest.mark.parametrize("name", NETS)
def test_gradients_of_each_example_are_those_of_autograd(name):
    module, shape = built(name)
    x, y = rows(shape, 9)
    found = written(Examples.of(module, LOSS, x[:2], y[:2]), x, y)
    for i in range(len(x)):
        module.zero_grad()
        LOSS(module(x[i : i + 1]), y[i : i + 1]).backward()
        truth = torch.cat([p.grad.flatten() for p in module.parameters()])
        assert found[i].numpy() == pytest.approx(truth.numpy(), abs=1e-5)


def test_what_no_closed_form_covers_is_copied():
    module, shape = built("branched")
    x, y = rows(shape, 2)
    examples = Examples.of(module, LOSS, x, y)
    assert set(examples.taps) == {"over", "last"}  # the others are tied, or called twice
    assert set(examples.copied) == {"first.weight", "first.bias", "twice.weight", "tied.bias", "scale"}
    assert "forward" not in vars(module.last)  # nothing is left behind


def test_no_example_reaches_another_through_code_of_ones_own():
    """Code that subtracts the mean of its batch sees a batch of one: vmap is a loop."""

    class Centred(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = nn.Linear(4, 3)

        def forward(self, x):
            return self.last(x - 0.5 * x.mean(0, keepdim=True))

    torch.manual_seed(0)
    module = Centred()
    x, y = rows((4,), 16)
    examples = Examples.of(module, LOSS, x[:2], y[:2])
    before = written(examples, x, y)
    x[3] = math.nan
    x[5] = 1e30
    others = [i for i in range(16) if i not in (3, 5)]
    assert bool((written(examples, x, y)[others] == before[others]).all())
    mutant = module(x[others])  # the same module on a batch does mix
    assert not bool((mutant[0] == module(x[others][:1])[0]).all())


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, 3)
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x):
        self.seen += 1
        return self.last(x)


class Remembering(Counting):
    def forward(self, x):
        self.seen = self.seen + x.sum()
        return self.last(x) + self.seen


class Keeping(Counting):
    def forward(self, x):
        self.kept = x
        return self.last(x)


class Asking(Counting):
    def forward(self, x):
        return self.last(x) if x.sum() > 0 else self.last(-x)


@pytest.mark.parametrize("kind", [Counting, Remembering, Keeping, Asking])
def test_changed_buffers_and_branches_on_values_are_refused_on_public_rows(kind):
    x, y = rows((4,), 2)
    with pytest.raises(UnprovenClaim):
        Examples.of(kind(), LOSS, x, y)


def test_dropout_is_drawn_for_each_example():
    module = nn.Sequential(nn.Dropout(0.5), nn.Linear(40, 3))
    x, y = torch.ones(8, 40), torch.zeros(8, dtype=torch.long)
    found = Examples.of(module, LOSS, x[:2], y[:2]).blocks(x, y)[0].ahead
    assert len({tuple(row) for row in found.tolist()}) == 8


def test_frozen_parameters_are_left_alone():
    module, shape = built("dense")
    module[0].requires_grad_(False)
    x, y = rows(shape, 4)
    examples = Examples.of(module, LOSS, x[:2], y[:2])
    assert examples.names == ["2.weight", "2.bias"]
    assert written(examples, x, y).shape == (4, examples.size)


class TiedByHand(nn.Module):
    """A weight that is used again outside of its layer, where no tap sees it."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 4)

    def forward(self, x):
        return nn.functional.linear(torch.tanh(self.first(x)), self.first.weight.t())


def test_a_weight_that_is_used_outside_of_its_layer_has_its_whole_gradient():
    torch.manual_seed(0)
    module, (x, y) = TiedByHand(), rows((6,), 5, classes=6)
    found = written(Examples.of(module, LOSS, x[:2], y[:2]), x, y)
    for i in range(len(x)):
        module.zero_grad()
        LOSS(module(x[i : i + 1]), y[i : i + 1]).backward()
        plain = torch.cat([p.grad.flatten() for p in module.parameters()])
        assert torch.allclose(found[i], plain, atol=1e-5)
