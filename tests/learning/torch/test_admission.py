import pytest
import torch
from torch import nn

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.learning.torch.admission import admit, check_arithmetic

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("layer", [nn.BatchNorm1d(3), nn.BatchNorm2d(3), nn.BatchNorm3d(3), nn.SyncBatchNorm(3)])
def test_a_module_that_mixes_examples_is_refused_by_name_with_the_remedy(layer):
    with pytest.raises(UnprovenClaim, match=rf"body\.1 is a {type(layer).__name__}.*GroupNorm"):
        admit(_held(layer))


def _held(layer):
    made = nn.Module()
    made.body = nn.Sequential(nn.Linear(3, 3), layer)
    return made


def test_running_statistics_are_refused_and_instance_norm_without_them_is_not():
    with pytest.raises(UnprovenClaim, match="track_running_stats"):
        admit(_held(nn.InstanceNorm2d(3, track_running_stats=True)))
    admit(_held(nn.InstanceNorm2d(3)))
    admit(_held(nn.GroupNorm(1, 3)))
    admit(_held(nn.LayerNorm(3)))


def test_what_cannot_be_trained_is_refused():
    for wrong in (None, nn.ReLU(), nn.LazyLinear(3)):
        with pytest.raises(InvalidParameter):
            admit(wrong)
    frozen = nn.Linear(2, 2).requires_grad_(False)
    with pytest.raises(InvalidParameter):
        admit(frozen)
    for wrong in (
        nn.Linear(2, 2).half(),
        nn.Linear(2, 2, device="meta"),
        nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).double()),
    ):
        with pytest.raises(UnprovenClaim):
            admit(wrong)
    admit(nn.Linear(2, 2).double())


def test_less_than_float32_is_refused():
    check_arithmetic()
    torch.set_float32_matmul_precision("medium")
    try:
        with pytest.raises(UnprovenClaim):
            check_arithmetic()
    finally:
        torch.set_float32_matmul_precision("highest")
    check_arithmetic()
