import math

import pytest
import torch

from dalenius.learning.torch.blocks import Factored, Written

pytestmark = pytest.mark.torch


def of(factored):
    """The gradients that the factors stand for, in float64."""
    back, ahead = factored.back.double(), factored.ahead.double()
    written = torch.einsum("so,si->soi", back, ahead).flatten(1)
    return torch.cat([written, back], 1)


def test_the_length_of_factors_is_that_of_their_product():
    torch.manual_seed(0)
    block = Factored("w", "b", torch.randn(20, 9), torch.randn(20, 4))
    assert block.squares().sqrt().numpy() == pytest.approx(of(block).norm(dim=1).numpy(), rel=1e-12)
    plain = Factored("w", None, block.ahead, block.back)
    assert bool((plain.squares() < block.squares()).all())


@pytest.mark.parametrize("width", [3, 1024, 3000])
def test_the_length_of_long_rows_is_within_its_bound(width):
    torch.manual_seed(1)
    rows = torch.rand(7, width) * torch.logspace(-20, 10, width)
    found = Written("w", rows).squares().sqrt()
    truth = torch.tensor([math.sqrt(math.fsum(float(v) ** 2 for v in row)) for row in rows], dtype=torch.float64)
    assert bool(((found / truth - 1).abs() <= 1030 * 2.0**-24).all())


def test_sums_are_weighted_sums():
    torch.manual_seed(2)
    block = Factored("w", "b", torch.randn(10, 3), torch.randn(10, 2))
    weights = torch.rand(10)
    found = block.sums(weights, slice(2, 6))
    truth = (of(block) * weights[:, None].double())[2:6].sum(0)
    assert torch.cat([found["w"], found["b"]]).numpy() == pytest.approx(truth.numpy(), abs=1e-5)
    written = Written("w", torch.randn(10, 5))
    truth = (written.gradients * weights[:, None])[2:6].sum(0)
    assert written.sums(weights, slice(2, 6))["w"].numpy() == pytest.approx(truth.numpy(), abs=1e-5)


def test_a_slot_without_numbers_can_be_emptied():
    ahead, back = torch.ones(3, 2), torch.ones(3, 2)
    back[1] = math.nan
    for block in (Factored("w", None, ahead, back), Written("w", back)):
        assert block.squares().isnan().tolist() == [False, True, False]
        cleaned = block.without(torch.tensor([1]))
        assert cleaned.squares()[1] == 0
        assert bool(cleaned.sums(torch.tensor([1.0, 0.0, 1.0]), slice(0, 3))["w"].isfinite().all())
