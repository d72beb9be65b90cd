import math
import shutil
import types
import warnings

import numpy as np
import pytest
import torch
from torch import nn

from dalenius.errors import BudgetExceeded, ExecutionFailed, InvalidParameter, MixedRelations, StaleState, UnprovenClaim
from dalenius.learning.torch import DPSGD
from dalenius.learning.torch import journal as journal_of
from dalenius.learning.torch import training as training_of
from dalenius.learning.torch.tensors import TensorRows
from dalenius.ledger import Ledger
from tests.learning.torch.nets import built, rows
from tests.learning.torch.test_clipped import hostile

pytestmark = pytest.mark.torch
ROWS = 60


def trainer(module, **more):
    return DPSGD(module, **{"epsilon": 2, "delta": 1e-4, "rate": 1, "steps": 6, "n_public": ROWS} | more)


@pytest.fixture
def data():
    _, shape = built("dense")
    return rows(shape, ROWS)


def test_the_other_relations_sampling_is_refused(data):
    for wrong in ({"sampling": "fixed"}, {"sampling": "poisson", "relation": "change-one"}):
        with pytest.raises(MixedRelations):
            trainer(built("dense")[0], **wrong).fit(*data)
    for wrong in (
        {"sampling": "all"},
        {"rate": 0},
        {"rate": 2},
        {"steps": 0},
        {"pace": -1},
        {"delta": 0},
        {"clip": 0},
        {"clip": 1e9},
        {"classes": 0},
        {"n_public": 0},
        {"vocabulary": 1.5},
    ):
        with pytest.raises(InvalidParameter):
            trainer(built("dense")[0], **wrong).fit(*data)


def test_a_module_that_mixes_examples_does_not_come_to_the_data():
    with pytest.raises(UnprovenClaim, match="BatchNorm1d"):
        DPSGD(nn.Sequential(nn.Linear(5, 3), nn.BatchNorm1d(3)))


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("name", ["dense", "convolutional"])
def test_no_row_makes_training_fail_or_warn(name, relation):
    module, shape = built(name)
    x, _ = hostile(shape)
    labels = np.array([0, 1, 99, -1, math.nan, math.inf, 1e300, 0.5, 2, 0] * 2, np.float64)
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        made = DPSGD(module, epsilon=5, delta=1e-3, rate=1, steps=5, relation=relation).fit(x.numpy(), labels)
    assert made.finished_
    assert all(bool(p.isfinite().all()) for p in module.parameters())


def test_an_empty_table_is_no_secret_failure(data):
    x, y = data
    made = DPSGD(built("dense")[0], epsilon=2, delta=1e-4, steps=3, rate=1).fit(x[:0], y[:0])
    assert made.finished_
    with pytest.raises(InvalidParameter):
        DPSGD(built("dense")[0], epsilon=2, delta=1e-4, steps=3, rate=1, relation="change-one").fit(x[:0], y[:0])


def test_an_error_of_a_step_keeps_its_words(data, monkeypatch):
    def failing(self, x, y, usable, bits):
        raise ValueError(f"row {x[0]}")

    made = trainer(built("dense")[0])
    monkeypatch.setattr(training_of.ClippedSum, "at", failing)
    with pytest.raises(ExecutionFailed) as caught:
        made.fit(*data)
    assert caught.value.__context__ is None
    assert "row" not in str(caught.value)


def test_epsilon_is_certified_at_every_step_and_ends_at_the_target(data):
    made = trainer(built("dense")[0]).fit(*data)
    spent = [made.epsilon_at(1e-4, step) for step in range(7)]
    assert spent == sorted(spent)
    assert spent[0] == 0
    assert 1.99 < spent[-1] == made.epsilon_at(1e-4) <= 2
    assert made.guarantee_.delta(2) <= 1e-4
    assert made.noise_multiplier_ > 0
    for wrong in (-1, 7, 1.5, True):
        with pytest.raises(InvalidParameter):
            made.epsilon_at(1e-4, wrong)
    with pytest.raises(InvalidParameter):
        trainer(built("dense")[0]).log_  # noqa: B018


def ledger_of(path, epsilon=2):
    ledger = Ledger.open(path)
    ledger.create("people", epsilon, 1e-3, unit="row")
    return ledger


def test_the_whole_budget_is_charged_before_data_is_read(data, tmp_path, monkeypatch):
    ledger = ledger_of(tmp_path / "a.ledger")
    made = trainer(built("dense")[0], ledger=ledger, dataset="people").fit(*data)
    assert made.finished_
    monkeypatch.setattr(training_of, "drawn", lambda *_: pytest.fail("data was read"))
    with pytest.raises(BudgetExceeded):
        trainer(built("dense")[0], ledger=ledger, dataset="people").fit(*data)


def test_a_run_is_resumed_where_it_was_left_and_charged_once(data, tmp_path):
    path, ledger = tmp_path / "run", ledger_of(tmp_path / "a.ledger", epsilon=2.5)
    shared = {"ledger": ledger, "dataset": "people", "optimizer": lambda p: torch.optim.Adam(p, lr=0.1)}
    first, _ = built("dense")
    left = trainer(first, **shared).fit(*data, checkpoint=path, every=2, until=4, callback=lambda step, net: 1.0)
    assert (left.finished_, left.steps_) == (False, 4)
    half = left.epsilon_at(1e-4)
    second, _ = built("dense", seed=8)
    done = trainer(second, **shared).resume(*data, checkpoint=path)
    assert (done.finished_, done.steps_, len(done.log_)) == (True, 6, 6)
    assert done.log_[0].validation == 1.0
    assert half < done.epsilon_at(1e-4) <= 2
    with pytest.raises(BudgetExceeded):  # paid once, and nothing is left for a second run
        trainer(built("dense")[0], **shared).fit(*data)


def test_an_old_checkpoint_is_refused_and_a_current_one_is_resumed_once(data, tmp_path):
    path, old, twice = tmp_path / "run", tmp_path / "old", tmp_path / "twice"
    trainer(built("dense")[0]).fit(*data, checkpoint=path, every=2, until=2)
    shutil.copy(path, old)
    trainer(built("dense")[0]).resume(*data, checkpoint=path, every=2, until=4)
    shutil.copy(path, twice)
    trainer(built("dense")[0]).resume(*data, checkpoint=path, every=1, until=5)
    for stale in (old, twice):
        with pytest.raises(StaleState):
            trainer(built("dense")[0]).resume(*data, checkpoint=stale)
    with pytest.raises(InvalidParameter, match="already"):
        trainer(built("dense")[0]).fit(*data, checkpoint=path)
    trainer(built("dense")[0]).resume(*data, checkpoint=path)
    with pytest.raises(StaleState, match="finished"):
        trainer(built("dense")[0]).resume(*data, checkpoint=path)


def test_a_mutant_journal_that_lets_an_old_state_in_draws_more_than_is_accounted(data, tmp_path, monkeypatch):
    """What the refusal is for: the same steps are drawn twice while six are charged."""
    drawn = []
    draw = training_of.drawn
    monkeypatch.setattr(training_of, "drawn", lambda *given: (drawn.append(1), draw(*given))[1])
    path, old = tmp_path / "run", tmp_path / "old"
    trainer(built("dense")[0]).fit(*data, checkpoint=path, every=3, until=3)
    shutil.copy(path, old)
    trainer(built("dense")[0]).resume(*data, checkpoint=path)
    assert len(drawn) == 6
    monkeypatch.setattr(journal_of.Journal, "take", lambda self, token, fingerprint: (3, "x"))
    for name in ("claim", "settle", "finish"):
        monkeypatch.setattr(journal_of.Journal, name, lambda self, *given: None)
    trainer(built("dense")[0]).resume(*data, checkpoint=old)
    assert len(drawn) > 6


def test_steps_that_a_crash_swallows_stay_spent(data, tmp_path, monkeypatch):
    path = tmp_path / "run"
    drawn = []
    draw = training_of.drawn
    monkeypatch.setattr(training_of, "drawn", lambda *given: (drawn.append(1), draw(*given))[1])

    def crash(step, net):
        if step.number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trainer(built("dense")[0]).fit(*data, checkpoint=path, every=2, callback=crash)
    done = trainer(built("dense")[0]).resume(*data, checkpoint=path)
    assert done.steps_ == 6
    assert len(drawn) <= 6
    assert [step.number for step in done.log_] == [1, 2, 5, 6]  # 3 was drawn and lost, 4 was claimed with it


def test_with_a_ledger_a_copy_of_checkpoint_and_journal_is_seen(data, tmp_path):
    ledger = ledger_of(tmp_path / "a.ledger", epsilon=9)
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    trainer(built("dense")[0], ledger=ledger, dataset="people").fit(*data, checkpoint=here / "run", every=2, until=2)
    shutil.copytree(here, there)
    trainer(built("dense")[0], ledger=ledger, dataset="people").resume(*data, checkpoint=here / "run", every=2, until=4)
    with pytest.raises(StaleState, match="ledger"):
        trainer(built("dense")[0], ledger=ledger, dataset="people").resume(*data, checkpoint=there / "run", every=2)


def test_another_model_or_other_parameters_cannot_take_up_a_run(data, tmp_path):
    path = tmp_path / "run"
    trainer(built("dense")[0]).fit(*data, checkpoint=path, until=3)
    with pytest.raises(StaleState):
        trainer(nn.Linear(5, 3)).resume(*data, checkpoint=path)
    with pytest.raises(StaleState):
        trainer(built("dense")[0], epsilon=20).resume(*data, checkpoint=path)
    with pytest.raises(InvalidParameter):
        trainer(built("dense")[0]).fit(*data, until=3)
    trainer(built("dense")[0]).resume(*data, checkpoint=path)


def test_embeddings_regressions_and_doubles_are_trained():
    torch.manual_seed(0)
    words = nn.Sequential(nn.Embedding(7, 4), nn.Flatten(), nn.Linear(12, 2))
    tokens = torch.randint(0, 9, (40, 3))
    assert DPSGD(words, epsilon=3, delta=1e-3, steps=3, rate=1, vocabulary=7).fit(tokens, tokens[:, 0] % 2).finished_
    line = nn.Linear(3, 1).double()
    x = np.random.default_rng(0).normal(size=(400, 3))
    y = x @ np.array([[1.0], [-2.0], [0.5]])
    made = DPSGD(line, nn.functional.mse_loss, epsilon=20, delta=1e-3, steps=60, rate=0.5, pace=1.0, n_public=400)
    made.fit(x, y)
    assert line.weight.detach().numpy()[0] == pytest.approx([1.0, -2.0, 0.5], abs=0.3)


def test_digits_are_told_apart():
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    torch.manual_seed(0)
    net = nn.Linear(64, 10)
    made = DPSGD(net, epsilon=3, delta=1e-5, rate=0.2, steps=40, pace=2.0, n_public=len(X), progress=True)
    made.fit(X / 16, y)
    with torch.no_grad():
        right = net(torch.tensor(X / 16, dtype=torch.float32)).argmax(1).numpy() == y
    assert right.mean() > 0.8


def test_with_a_ledger_a_copy_is_seen_however_long_its_claims_are(data, tmp_path):
    ledger = ledger_of(tmp_path / "a.ledger", epsilon=9)
    here, there, third = tmp_path / "here", tmp_path / "there", tmp_path / "third"
    here.mkdir()
    shared = {"ledger": ledger, "dataset": "people"}
    trainer(built("dense")[0], **shared).fit(*data, checkpoint=here / "run", every=1, until=1)
    shutil.copytree(here, there)
    shutil.copytree(here, third)
    trainer(built("dense")[0], **shared).resume(*data, checkpoint=here / "run", every=2, until=5)
    with pytest.raises(StaleState, match="ledger"):  # steps 2 to 4 would be drawn twice
        trainer(built("dense")[0], **shared).resume(*data, checkpoint=there / "run", every=3, until=4)
    trainer(built("dense")[0], **shared).resume(*data, checkpoint=here / "run")
    with pytest.raises(StaleState, match="ledger"):  # the run is finished: the copy is not handed out as its end
        trainer(built("dense")[0], **shared).resume(*data, checkpoint=third / "run")


def test_a_trained_object_keeps_neither_rows_nor_the_sizes_of_samples(data, tmp_path):
    secret = TensorRows.__name__
    made = trainer(built("dense")[0], ledger=ledger_of(tmp_path / "a.ledger"), dataset="people").fit(
        *data, checkpoint=tmp_path / "run"
    )
    seen, left = set(), [made]
    while left:
        at = left.pop()
        if id(at) in seen or isinstance(at, type | types.ModuleType):
            continue
        seen.add(id(at))
        assert type(at).__name__ not in (secret, "Curator")
        left.extend(cell.cell_contents for cell in getattr(at, "__closure__", None) or ())
        left.extend(getattr(at, "__dict__", {}).values())
        left.extend(getattr(at, name, None) for name in getattr(type(at), "__slots__", ()))
        left.extend(at.values() if isinstance(at, dict) else at if isinstance(at, list | tuple) else ())
    run = made._training
    assert not run.clipped.shapes._known
    assert not run.clipped.examples._zeros


def test_no_row_makes_a_loss_that_refuses_numbers_fail(data):
    def loss(outputs, y):
        return nn.functional.binary_cross_entropy(torch.sigmoid(outputs), nn.functional.one_hot(y, 3).to(outputs))

    x, y = data[0].clone(), data[1]
    x[7] = math.nan
    assert trainer(built("dense")[0], loss=loss, classes=3).fit(x, y).finished_
