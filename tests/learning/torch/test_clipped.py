import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from dalenius.learning.torch import clipped as module_of
from dalenius.learning.torch.blocks import Factored, Written
from dalenius.learning.torch.clipped import ClippedSum, quiet, shuffled
from dalenius.learning.torch.rounding import CHUNK
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from tests.learning.torch.nets import DIGITS, NETS, built, by_hand, rows, summed
from tests.noise.seeded import SeededBits

pytestmark = pytest.mark.torch
HOSTILE = (math.nan, math.inf, -math.inf, 3e38, -3e38, 1e20, 1e-45, 0.0, -0.0, 1e4)


def yes(count):
    return torch.ones(count, dtype=torch.bool)


def hostile(shape):
    """Rows that try to break the bound: each value everywhere, and among ordinary numbers."""
    x, _ = rows(shape, 2 * len(HOSTILE), seed=5)
    for i, value in enumerate(HOSTILE):
        x[2 * i] = value
        x[2 * i + 1].view(-1)[0] = value
    return x, torch.arange(len(x)) % 3


def distance(one, other):
    return math.sqrt(sum(int(d) ** 2 for d in (one - other).tolist()))


def farthest(made, shape):
    """How far adding one hostile row moves the sum over others, at most, in steps."""
    x, y = rows(shape, 20)
    bad, labels = hostile(shape)
    before = made.at(x, y, yes(20), Bits())
    return max(
        distance(
            made.at(torch.cat([x, bad[i : i + 1]]), torch.cat([y, labels[i : i + 1]]), yes(21), Bits()),
            before,
        )
        for i in range(len(bad))
    )


@pytest.mark.theorem("A Alg 7")
@pytest.mark.parametrize("name", NETS)
def test_the_sum_is_that_of_clipped_gradients(name):
    module, shape = built(name)
    made = summed(module, shape, clip=Fraction(1, 2))
    x, y = rows(shape, 150)
    found = made.at(x, y, yes(150), Bits()) * 2.0**-DIGITS
    truth = by_hand(module, x, y, clip=float(Fraction(1, 2) * module_of.HELD)).sum(0).numpy()
    assert found == pytest.approx(truth, abs=2e-4)


@pytest.mark.parametrize("name", NETS)
def test_no_row_moves_the_sum_further_than_stated(name):
    module, shape = built(name)
    made = summed(module, shape)
    assert farthest(made, shape) <= made.rounding.sensitivity(Relation.ADD_REMOVE).value


def test_a_mutant_that_does_not_clip_is_seen(monkeypatch):
    module, shape = built("dense")
    made = summed(module, shape)
    monkeypatch.setattr(
        ClippedSum, "_weighted", lambda self, blocks, usable: (torch.where(usable, 1.0, 0.0), blocks), raising=True
    )
    assert farthest(made, shape) > made.rounding.sensitivity(Relation.ADD_REMOVE).value


@pytest.mark.parametrize("name", NETS)
def test_a_row_without_numbers_adds_nothing(name, monkeypatch):
    monkeypatch.setattr(module_of, "shuffled", lambda count, bits: torch.arange(count))
    module, shape = built(name)
    made = summed(module, shape)
    x, y = rows(shape, 20)
    worse = torch.cat([x, torch.full((1, *shape), math.nan), torch.full((1, *shape), math.inf)])
    labels = torch.cat([y, torch.tensor([0, 1])])
    before, after = made.at(x, y, yes(20), Bits()), made.at(worse, labels, yes(22), Bits())
    assert before.tolist() == after.tolist()
    for block in (Written, Factored):
        monkeypatch.setattr(block, "without", lambda self, slots: self)
    assert made.at(worse, labels, yes(22), Bits()).tolist() != before.tolist()  # a mutant that multiplies NaN by 0


def test_unusable_rows_and_empty_slots_add_nothing(monkeypatch):
    monkeypatch.setattr(module_of, "shuffled", lambda count, bits: torch.arange(count))
    module, shape = built("dense")
    made = summed(module, shape)
    x, y = rows(shape, 33)
    usable = yes(33)
    usable[30:] = False
    assert made.at(x, y, usable, Bits()).tolist() == made.at(x[:30], y[:30], yes(30), Bits()).tolist()
    assert made.at(x[:0], y[:0], yes(0), Bits()).tolist() == [0] * made.rounding.size


def test_the_float_error_of_a_chunk_is_within_its_bound_and_not_nothing():
    """Against fractions: what is added, w·b⊗a, is exact; only the sum errs."""
    module, shape = built("dense")
    made = summed(module, shape, clip=Fraction(1, 8))
    x, y = rows(shape, CHUNK)
    with quiet(Bits()):
        blocks = made.examples.blocks(x, y)
        weights, blocks = made._weighted(blocks, yes(CHUNK))
    found = made._pass(x, y, yes(CHUNK)).tolist()
    truth = []
    for block in blocks:
        back = [[Fraction(v) for v in row] for row in block.back.tolist()]
        ahead = [[Fraction(v) for v in row] for row in block.ahead.tolist()]
        w = [Fraction(v) for v in weights.tolist()]
        for o in range(len(back[0])):
            for i in range(len(ahead[0])):
                truth.append(sum(w[s] * back[s][o] * ahead[s][i] for s in range(CHUNK)))
        truth.extend(sum(w[s] * back[s][o] for s in range(CHUNK)) for o in range(len(back[0])))
        for s in range(CHUNK):  # and every row is within the clip, exactly
            square = sum(b * b for b in back[s]) * (1 + sum(a * a for a in ahead[s]))
            assert w[s] ** 2 * square <= made.rounding.clip**2
    error = sum((Fraction(f) * made.rounding.step - t) ** 2 for f, t in zip(found, truth, strict=True))
    assert 0 < error <= made.rounding.chunk_error**2


def test_the_order_is_uniformly_random():
    """Each of the 6 orders of three rows: within 7 standard deviations, a false alarm in 1e-11 for all together."""
    bits = Bits()
    draws = 3000
    seen = {}
    for _ in range(draws):
        order = tuple(shuffled(3, bits).tolist())
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 6
    assert max(abs(count - draws / 6) for count in seen.values()) < 7 * math.sqrt(draws * 5 / 36)


def test_neither_seeds_nor_warnings_nor_precision_leak_out():
    torch.manual_seed(3)
    before = torch.random.get_rng_state()
    with quiet(Bits()):
        torch.rand(5)
        one = torch.rand(3)
    with quiet(Bits()):
        torch.rand(5)
        other = torch.rand(3)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert not torch.equal(one, other)


def test_the_answer_is_whole_numbers():
    module, shape = built("dense")
    x, y = rows(shape, 5)
    found = summed(module, shape).at(x, y, yes(5), Bits())
    assert found.dtype == np.int64


def refusing(outputs, y):
    """A loss that raises for NaN, as binary cross entropy does under `vmap` too."""
    return torch.nn.functional.binary_cross_entropy(torch.sigmoid(outputs), torch.full_like(outputs, 0.25))


def test_a_row_at_which_the_loss_raises_counts_as_zero_and_moves_no_other_row():
    module, shape = built("dense")
    made = summed(module, shape, loss=refusing)
    x, y = rows(shape, 100)
    bad = x.clone()
    bad[70] = math.nan
    kept = torch.arange(100) != 70
    with_it, without = made.at(bad, y, yes(100), SeededBits(4)), made.at(x, y, kept, SeededBits(4))
    assert np.array_equal(with_it, without)
    assert with_it.any()


def test_where_every_row_raises_the_sum_is_zero():
    module, shape = built("dense")
    made = summed(module, shape, loss=refusing)
    with torch.no_grad():
        next(module.parameters()).fill_(math.nan)
    assert not made.at(*rows(shape, 20), yes(20), Bits()).any()


def test_rows_that_fill_a_pass_may_raise_too():
    module = torch.nn.Linear(5, 1, bias=False)
    made = summed(module, (5,), loss=lambda o, y: refusing(o * (o / o), y))
    x, y = rows((5,), 20)
    whole, split = (
        made.at(x, y, yes(20), Bits()),
        [made.at(x[i : i + 1], y[i : i + 1], yes(1), Bits()) for i in range(20)],
    )
    assert np.allclose(whole, sum(split), atol=2.0**DIGITS * 1e-5)
    assert whole.any()


def test_what_a_sum_kept_by_numbers_of_slots_can_be_forgotten():
    module, shape = built("dense")
    made = summed(module, shape)
    made.at(*rows(shape, 200), yes(200), Bits())
    assert 208 in made.shapes._known
    made.forget()
    assert not made.shapes._known
    assert not made.examples._zeros
