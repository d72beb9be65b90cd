import pytest
import torch

from dalenius.learning.torch import DPSGD
from dalenius.learning.torch import training as module_of
from dalenius.learning.torch.training import Left, Step, digest
from dalenius.mechanisms import Gaussian
from tests.learning.torch.nets import built, by_hand, rows

pytestmark = pytest.mark.torch


def trainer(module, relation="add-remove", **more):
    known = {"n_public": 60} if relation == "add-remove" else {}
    return DPSGD(module, delta=1e-4, relation=relation, **{"rate": 0.2, "steps": 6, "epsilon": 2} | known | more)


@pytest.mark.theorem("A Alg 7")
@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_one_update_a_step_by_the_clipped_sum_over_the_expected_size(relation, monkeypatch):
    monkeypatch.setattr(Gaussian, "release", lambda self, answer, bits: answer)
    module, shape = built("dense")
    x, y = rows(shape, 60)
    other, _ = built("dense")
    trainer(module, relation, rate=1, steps=3, pace=0.7, clip=0.5).fit(x, y)
    for _ in range(3):
        step = 0.7 * by_hand(other, x, y, clip=0.5).sum(0) / 60
        start = 0
        with torch.no_grad():
            for p in other.parameters():
                p -= step[start : start + p.numel()].reshape(p.shape).float()
                start += p.numel()
    for one, two in zip(module.parameters(), other.parameters(), strict=True):
        assert one.detach().numpy() == pytest.approx(two.detach().numpy(), abs=2e-4)


@pytest.mark.theorem("A Rem 11.5")
@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_what_is_drawn_is_what_is_accounted(relation, monkeypatch):
    scales, samplings = [], []
    release, draw = Gaussian.release, module_of.drawn
    monkeypatch.setattr(Gaussian, "release", lambda s, a, bits: (scales.append(s.scale), release(s, a, bits))[1])
    monkeypatch.setattr(module_of, "drawn", lambda s, n, bits: (samplings.append(s), draw(s, n, bits))[1])
    module, shape = built("dense")
    made = trainer(module, relation).fit(*rows(shape, 60))
    plan = made._training.plan
    rounding, mechanism = plan.noisy_sum()
    assert set(samplings) == {plan.sampling}
    assert set(scales) == {mechanism.scale}
    assert len(scales) == len(samplings) == 6
    assert (
        mechanism.guarantee(rounding.sensitivity(plan.budget.relation), plan.budget.relation)
        .amplify(plan.sampling)
        .repeat(6)
        .delta(2)
        <= 1e-4
    )


def test_the_callback_sees_each_step_and_its_error_is_its_own():
    module, shape = built("dense")
    x, y = rows(shape, 60)
    made = trainer(module).fit(x, y, callback=lambda step, net: step.number * 2)
    assert made.log_ == tuple(Step(n, 2 * n) for n in range(1, 7))

    def broken(step, net):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        trainer(module).fit(x, y, callback=broken)
    assert not isinstance(Left(), Exception)


def test_the_digest_is_that_of_the_weights():
    one, _ = built("dense")
    two, _ = built("dense")
    assert digest(one) == digest(two)
    with torch.no_grad():
        two[0].bias[0] += 1
    assert digest(one) != digest(two)


def test_a_frozen_layer_stays_as_it_is_and_any_optimizer_will_do():
    module, shape = built("dense")
    module[0].requires_grad_(False)
    before = module[0].weight.clone()
    last = module[2].weight.clone()
    trainer(module, optimizer=lambda p: torch.optim.Adam(p, lr=0.1)).fit(*rows(shape, 60))
    assert torch.equal(module[0].weight, before)
    assert not torch.equal(module[2].weight, last)
