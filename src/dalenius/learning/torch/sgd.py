"""Private training of any PyTorch module."""

import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np

from dalenius.curator import Curator
from dalenius.errors import BudgetExceeded, InvalidParameter, LedgerMismatch, StaleState
from dalenius.guarantees import PureDP
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.gate import gate_for
from dalenius.learning.plans.sampled_steps import sampling_for
from dalenius.learning.torch.admission import admit, check_arithmetic
from dalenius.learning.torch.checkpoint import Checkpoint
from dalenius.learning.torch.clipped import ClippedSum, quiet
from dalenius.learning.torch.examples import Examples, Loss
from dalenius.learning.torch.journal import Journal
from dalenius.learning.torch.library import torch
from dalenius.learning.torch.probe import Shapes
from dalenius.learning.torch.tensors import TensorRows, inputs, public_rows, targets
from dalenius.learning.torch.training import Callback, Left, Place, Step, Training, digest
from dalenius.learning.torch.training_plan import TrainingPlan
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from dalenius.numerics import Number, positive
from dalenius.progress import alone

_PROBED = 512


class DPSGD:
    """Train a module so that its weights, at every step, are (ε, δ)-private for each row.

    module, loss    any torch.nn.Module that does not mix examples, on the CPU, trained in place; loss(outputs, targets)
                    of a batch of one, cross entropy if left out
    clip            the longest that one example's gradient may be; longer ones are shortened to it
    rate            the part of the rows in a step: each row by itself ("add-remove"), or a fixed number ("change-one")
    steps           how many; the noise is found from ε, δ, rate and steps
    pace, optimizer the step's length for plain descent, or optimizer(parameters) -> torch.optim.Optimizer: it sees
                    private gradients only, so any will do
    classes         labels are 0 … classes − 1, as many as the module has outputs if left out; other rows are not used
    vocabulary      inputs are whole numbers below this, as an embedding wants them
    sampling        "poisson" or "fixed"; left out, the one that goes with the relation; the other is refused
    n_public        the number of rows, if it is public; else a share of ε goes to a private count

    With a ledger (and dataset) or a curator, the whole budget is charged before data is read.
    """

    def __init__(
        self,
        module: Any,
        loss: Loss | None = None,
        *,
        epsilon: Number = 1.0,
        delta: Number = 1e-6,
        clip: Number = 1.0,
        rate: Number = 0.05,
        steps: int = 200,
        pace: float = 0.5,
        optimizer: Callable[[Iterable[Any]], Any] | None = None,
        classes: int | None = None,
        vocabulary: int | None = None,
        sampling: str | None = None,
        relation: Relation | str = "add-remove",
        n_public: int | None = None,
        ledger: Any = None,
        dataset: str | None = None,
        curator: Any = None,
        bits: Bits | None = None,
        progress: bool = False,
    ) -> None:
        admit(module)
        self.module = module
        self.loss = loss
        self.relation = Relation.of(relation)
        self.epsilon, self.delta, self.clip = epsilon, delta, positive(clip, "clip")
        if FitBudget.of(epsilon, delta, self.relation).pure:
            raise InvalidParameter("delta must be > 0 for descent on samples: the Gaussian's loss has no bound")
        self.rate, self.steps, self.sampling = rate, _whole("steps", steps), sampling
        if not isinstance(pace, int | float) or not 0 < pace < 1e6:
            raise InvalidParameter(f"pace must be a number between 0 and 1e6, got {pace!r}")
        self.pace, self.optimizer = pace, optimizer
        self.classes = None if classes is None else _whole("classes", classes)
        self.vocabulary = None if vocabulary is None else _whole("vocabulary", vocabulary)
        self.n_public = None if n_public is None else _whole("n_public", n_public)
        self.ledger, self.dataset, self.curator, self.bits = ledger, dataset, curator, bits
        self.progress = progress
        self._training: Training | None = None

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        callback: Callback | None = None,
        checkpoint: str | Path | None = None,
        every: int | None = None,
        until: int | None = None,
    ) -> Self:
        """Train on private rows; charged once, before they are read.

        callback(step, module) is called after every step, to try the weights on public rows; what it returns is kept in
        `log_`. With a `checkpoint` the state is written every so many steps, and after `until` steps `fit` returns;
        `resume` goes on.
        """
        if until is not None and checkpoint is None:
            raise InvalidParameter("to stop before the end needs a checkpoint to go on from")
        view, examples = self._read(X, y)
        name, start = f"fit {uuid.uuid4()}", digest(self.module)
        training = self._training_of(view, examples, start, callback, until)
        place = None
        if checkpoint is not None:
            path, token = Path(checkpoint), uuid.uuid4().hex
            beside = path.with_name(path.name + ".journal")
            if path.exists():
                raise InvalidParameter("there is a run at this checkpoint already: resume it, or give another path")
            journal = Journal.create(beside, name, training.plan.fingerprint, token)
            place = Place(path, journal, self._every(every), start)
        return self._go(training, view, name, place)

    def resume(
        self,
        X: Any,
        y: Any,
        *,
        checkpoint: str | Path,
        callback: Callback | None = None,
        every: int | None = None,
        until: int | None = None,
    ) -> Self:
        """Go on from a checkpoint, with the same parameters and rows; nothing more is charged.

        Each can be resumed once, and only the current one: an old state would draw noise again for steps that were
        taken, and the two sums together would tell more than was paid for. Steps that were begun and lost stay spent.
        """
        path = Path(checkpoint)
        kept = Checkpoint.read(path)
        view, examples = self._read(X, y)
        training = self._training_of(view, examples, kept.start, callback, until)
        journal = Journal.open(path.with_name(kept.journal), kept.run)
        if not _fits(self.module, kept.module):
            raise StaleState("the checkpoint is of another module: give one of the same shape")
        begun, token = journal.take(kept.token, training.plan.fingerprint)
        self.module.load_state_dict(kept.module)
        training.optimizer.load_state_dict(kept.optimizer)
        training.log.extend(Step(**step) for step in kept.log)
        training.begun, training.rows = begun, kept.rows
        place = Place(path, journal, self._every(every), kept.start, begun, token)
        training.place = place
        training.save()  # under a new token: the one that was taken is used up
        return self._go(training, view, kept.run, place)

    def epsilon_at(self, delta: Number, step: int | None = None) -> float:
        """A proven bound on the ε, at this δ, spent up to a step: all that were begun if none is named.

        It covers all weights on the way, not only the last  [A Rem 11.5].
        """
        training = self._run()
        taken = training.begun if step is None else step
        if isinstance(taken, bool) or not isinstance(taken, int) or not 0 <= taken <= training.plan.steps:
            raise InvalidParameter(f"step must be a whole number from 0 to {training.plan.steps}, got {step!r}")
        return training.plan.spent(taken, float(positive(delta, "delta")))

    @property
    def log_(self) -> tuple[Step, ...]:
        """The steps taken, with what the callback said."""
        return tuple(self._run().log)

    @property
    def guarantee_(self) -> Any:
        """What the whole run promises."""
        return self._run().plan.guarantee

    @property
    def steps_(self) -> int:
        """How many steps were charged so far, those that a crash swallowed among them."""
        return self._run().begun

    @property
    def finished_(self) -> bool:
        """Whether all steps were taken."""
        return self._run().begun >= self.steps

    @property
    def noise_multiplier_(self) -> float:
        """The noise's standard deviation over the clip."""
        rounding, mechanism = self._run().plan.noisy_sum()
        return float(mechanism.scale * rounding.step / self.clip)

    def _go(self, training: Training, view: TensorRows, name: str, place: Place | None) -> Self:
        gate = gate_for(view, self.curator, self.ledger, self.dataset, self.bits)
        if place is not None and gate is not None:
            place.on_claim = lambda before, token: _enter_claim(gate, training.plan, f"{name} from {before}", token)
        training.place, self._training = place, training
        left = None
        with _bar(training, self.progress), np.errstate(all="ignore"):
            try:
                if gate is None:
                    training.run(view, self.bits or Bits())
                else:
                    gate.release(training.priced, key=name, fresh=True)
            except Left as caught:
                left = caught
            except BudgetExceeded:
                if place is not None and place.claimed == 0:  # nothing was begun: the path is free again
                    place.journal.path.unlink()
                raise
            finally:
                training.forget()
        if left is not None and left.error is not None:
            raise left.error
        if left is None and training.begun < self.steps:  # the ledger has the end of this run, and nothing was run
            raise StaleState("the ledger knows that this run is finished: this state is not the current one")
        return self

    def _read(self, X: Any, y: Any) -> tuple[TensorRows, Examples]:
        """The rows as tensors, and the module tried on public rows of the same shape."""
        check_arithmetic()
        kind = next(self.module.parameters()).dtype
        x, usable = inputs(X, kind, self.vocabulary)
        loss = self.loss or torch.nn.functional.cross_entropy
        with quiet(self.bits or Bits()):
            examples = Examples.of(self.module, loss, public_rows(x, 2), None)
        classes = self.classes
        if classes is None and self.loss is None:
            if len(examples.outputs) != 2:
                raise InvalidParameter("cross entropy needs a module with one row of scores for an example")
            classes = examples.outputs[1]
        targeted, labeled = targets(y, kind, classes, len(x))
        with quiet(self.bits or Bits()):
            examples = Examples.of(self.module, loss, public_rows(x, 2), public_rows(targeted, 2))
        return TensorRows(x, targeted, usable & labeled), examples

    def _training_of(
        self, view: TensorRows, examples: Examples, start: str, callback: Callback | None, until: int | None
    ) -> Training:
        if until is not None and _whole("until", until) > self.steps:
            raise InvalidParameter(f"until must be at most the {self.steps} steps, got {until}")
        trained = [p for p in self.module.parameters() if p.requires_grad]
        make = self.optimizer or (lambda parameters: torch.optim.SGD(parameters, lr=self.pace))
        optimizer = make(trained)
        if {id(p) for group in optimizer.param_groups for p in group["params"]} != {id(p) for p in trained}:
            raise InvalidParameter("the optimizer must hold all parameters that are trained, and no others")
        plan = self._plan(view, examples, start, repr(optimizer))
        rounding, _ = plan.noisy_sum()
        with quiet(self.bits or Bits()):
            shapes = Shapes.of(examples, public_rows(view.x, _PROBED), public_rows(view.y, _PROBED))
        return Training(plan, ClippedSum(examples, rounding, shapes), optimizer, callback, until=until)

    def _plan(self, view: TensorRows, examples: Examples, start: str, steps: str) -> TrainingPlan:
        fixed = self.relation is Relation.CHANGE_ONE
        if fixed and len(view) == 0:
            raise InvalidParameter("found no rows where at least one is needed")
        rows = len(view) if fixed else self.n_public
        budget = FitBudget.of(self.epsilon, self.delta, self.relation, counted=rows is None)
        said = "the number of rows" if fixed else "the number of rows, as declared"
        loss = examples.loss
        described = {
            "module": str(self.module),
            "loss": getattr(loss, "__qualname__", None) or repr(loss),
            "optimizer": steps,
            "classes": str(self.classes),
            "vocabulary": str(self.vocabulary),
            "start": start,
        }
        unit = Fraction(torch.finfo(examples.kind).eps) / 2
        sampling = sampling_for(self.relation, self.rate, rows, self.sampling)
        public = () if rows is None else (said,)
        description = tuple(described.items())
        return TrainingPlan(budget, public, sampling, self.steps, self.clip, examples.size, unit, rows, description)

    def _every(self, every: int | None) -> int:
        return max(1, self.steps // 20) if every is None else _whole("every", every)

    def _run(self) -> Training:
        if self._training is None:
            raise InvalidParameter("nothing was trained yet: call fit")
        return self._training


def _enter_claim(gate: Curator[Any], plan: TrainingPlan, key: str, token: str) -> None:
    """Enter a claim of steps into the ledger, free of charge, once: a copy of an old state finds it taken."""
    nothing = PureDP(0, plan.budget.relation)
    taken = False
    try:
        gate.ledger.reserve(
            nothing, dataset=gate.dataset, unit=plan.unit, analyst=gate.analyst, key=key, fingerprint=token, fresh=True
        )
    except LedgerMismatch:
        taken = True
    if taken:
        raise StaleState("the ledger knows later steps of this run: this state is not the current one")


def _fits(module: Any, kept: dict[str, Any]) -> bool:
    have = {name: tuple(value.shape) for name, value in module.state_dict().items()}
    return have == {name: tuple(value.shape) for name, value in kept.items()}


@contextmanager
def _bar(training: Training, wanted: bool) -> Iterator[None]:
    """A bar on stderr that shows the steps taken and, at every twentieth, the ε spent."""
    if not wanted:
        yield
        return
    from rich.console import Console
    from rich.progress import Progress

    plan, delta = training.plan, float(training.plan.budget.delta)
    with alone(), Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("training", total=plan.steps, completed=training.begun)

        def shown(step: int) -> None:
            if step % max(1, plan.steps // 20) == 0 or step == plan.steps:
                bar.update(task, description=f"training, ε ≤ {plan.spent(step, delta):.3f}")
            bar.update(task, completed=step)

        training.shown = shown
        yield


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InvalidParameter(f"{name} must be a whole number ≥ 1, got {value!r}")
    return int(value)
