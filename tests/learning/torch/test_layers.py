import pytest
import torch
from torch import nn

from dalenius.learning.torch.layers import Convolution, Dense, tapped

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(("inputs", "outputs"), [(16, 32), (5, 7), (17, 1), (1, 1)])
def test_padding_changes_nothing(inputs, outputs):
    torch.manual_seed(0)
    layer = nn.Linear(inputs, outputs)
    x = torch.randn(4, inputs)
    assert Dense("", layer).forward(x).detach().numpy() == pytest.approx(layer(x).detach().numpy(), abs=1e-6)


def gradients(layer, x, back):
    """By autograd, one example at a time."""
    found = []
    for i in range(len(x)):
        layer.zero_grad()
        (layer(x[i]) * back[i]).sum().backward()
        found.append(torch.cat([p.grad.flatten() for p in layer.parameters()]))
    return torch.stack(found)


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Linear(4, 3), (5, 4)),
        (nn.Linear(4, 3), (2, 3, 4)),
        (nn.Conv2d(1, 3, 3), (1, 1, 6, 7)),
        (nn.Conv2d(2, 3, (3, 2), stride=(2, 1), padding=(1, 2)), (1, 2, 6, 7)),
        (nn.Conv2d(2, 3, 2, stride=2), (4, 2, 5, 5)),
    ],
)
def test_gradients_of_each_example_are_those_of_autograd(layer, shape):
    torch.manual_seed(1)
    x = torch.randn(6, *shape)
    back = torch.randn(6, *layer(x[0]).shape)
    blocks = tapped("", layer).blocks(x, back)
    one = torch.ones(1)
    found = torch.stack(
        [torch.cat([*(block.sums(one.expand(6), slice(i, i + 1))[block.name] for block in blocks)]) for i in range(6)]
    )
    assert found.numpy() == pytest.approx(gradients(layer, x, back).numpy(), abs=1e-4)


def test_only_layers_whose_code_is_known_have_a_closed_form():
    class Own(nn.Linear):
        def forward(self, x):
            return super().forward(x) ** 2

    assert isinstance(tapped("a", nn.Linear(2, 2)), Dense)
    assert isinstance(tapped("a", nn.Conv2d(2, 2, 3)), Convolution)
    assert tapped("a.b", nn.Linear(2, 2)).weight == "a.b.weight"
    for other in (
        Own(2, 2),
        nn.Conv2d(2, 2, 3, groups=2),
        nn.Conv2d(2, 2, 3, dilation=2),
        nn.Conv2d(2, 2, 3, padding="same"),
        nn.Conv2d(2, 2, 3, padding=1, padding_mode="circular"),
        nn.Tanh(),
    ):
        assert tapped("a", other) is None
