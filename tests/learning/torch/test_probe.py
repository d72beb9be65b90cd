import pytest
import torch
from torch import nn

from dalenius.errors import UnprovenClaim
from dalenius.learning.torch.examples import Examples
from dalenius.learning.torch.probe import MULTIPLE, Shapes, _results, _same
from dalenius.learning.torch.rounding import CHUNK
from dalenius.learning.torch.tensors import public_rows
from tests.learning.torch.nets import NETS, built, rows

pytestmark = pytest.mark.torch
LOSS = nn.functional.cross_entropy


def shapes_of(module, shape, most=512):
    x, y = rows(shape, 2)
    examples = Examples.of(module, LOSS, x, y)
    return Shapes.of(examples, public_rows(x, most), public_rows(y, most))


@pytest.mark.parametrize("name", NETS)
def test_a_result_does_not_depend_on_where_a_row_stands_or_beside_whom(name):
    """Fresh rows, not those of the probe, in every number of slots that it allows."""
    module, shape = built(name)
    found = shapes_of(module, shape)
    x, y = rows(shape, 512, seed=9)
    held = found.examples.weights()
    slots = [s for s in range(MULTIPLE, 129, MULTIPLE) if found.reference == CHUNK and found.allows(s)]
    reference = found.reference
    usual = _results(found.examples, held, x, y, reference)
    order = torch.randperm(512)
    assert _same(_results(found.examples, held, x[order], y[order], reference), usual[order])
    for s in slots:
        assert _same(_results(found.examples, held, x[order[:s]], y[order[:s]], s), usual[order[:s]])


class Mixing(nn.Module):
    """Not under vmap: a mutant of `Examples.blocks` lets it see the batch."""

    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, 3)

    def forward(self, x):
        return self.last(x - x.mean(0, keepdim=True))


def test_a_mixed_batch_is_seen(monkeypatch):
    module = Mixing()

    def mixed(self, x, y, weights=None):
        module.zero_grad()
        out = module(x)
        out.retain_grad()
        LOSS(out, y, reduction="sum").backward()
        from dalenius.learning.torch.blocks import Factored

        return [Factored("last.weight", "last.bias", x - x.mean(0, keepdim=True), out.grad)]

    x, y = rows((4,), 2)
    examples = Examples.of(module, LOSS, x, y)
    monkeypatch.setattr(Examples, "blocks", mixed)
    found = Shapes.of(examples, public_rows(x, 512), public_rows(y, 512))
    assert found.reference == 1  # nothing but one row at a time is allowed


class Hoarding(nn.Module):
    """Keeps what it saw where no list of tensors finds it."""

    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, 3)
        self.seen = [torch.zeros(())]

    def forward(self, x):
        self.seen.append(torch.rand(()) if not self.training else torch.zeros(()))
        return self.last(x) + self.seen[-1]


def test_a_module_that_remembers_rows_or_draws_noise_is_refused():
    with pytest.raises(UnprovenClaim, match="remembers"):
        shapes_of(Hoarding(), (4,))


def test_however_a_sample_is_cut_its_chunks_are_the_same(monkeypatch):
    module, shape = built("dense")
    found = shapes_of(module, shape)
    assert found.reference == CHUNK
    for size in (0, 1, 15, 16, 17, 64, 65, 300, 512, 513, 1300):
        for allowed in (True, False):
            monkeypatch.setattr(Shapes, "allows", lambda self, slots, allowed=allowed: allowed)
            passes = list(found.passes(size))
            chunks = [
                (start + c, min(stop, start + c + CHUNK))
                for start, stop, _ in passes
                for c in range(0, stop - start, CHUNK)
            ]
            assert chunks == [(c, min(size, c + CHUNK)) for c in range(0, size, CHUNK)]
            assert all(stop - start <= slots for start, stop, slots in passes)


def test_a_number_of_slots_that_gives_other_bits_is_not_used(monkeypatch):
    module, shape = built("dense")
    found = shapes_of(module, shape)
    blocks = Examples.blocks

    def off(self, x, y, weights=None):
        made = blocks(self, x, y, weights)
        if len(x) == 80:
            made[0].back[7] *= 1 + 2.0**-20
        return made

    monkeypatch.setattr(Examples, "blocks", off)
    assert found.allows(96)
    assert not found.allows(80)
    assert [slots for *_, slots in found.passes(75)] == [64, 16]


def test_large_models_take_fewer_slots_at_a_time():
    wide = nn.Sequential(nn.Conv2d(1, 1500, 40), nn.Flatten(), nn.Linear(1500, 3))
    x, y = rows((1, 40, 40), 2)
    assert Shapes.of(Examples.of(wide, LOSS, x, y), public_rows(x, 512), public_rows(y, 512)).most <= 64
