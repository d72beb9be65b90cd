"""One run of private training: its steps, what they said, and how it is left and taken up again."""

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from dalenius.curator import Outcome
from dalenius.curator.plans.sampled import drawn
from dalenius.errors import ExecutionFailed, StaleState
from dalenius.learning.torch.checkpoint import Checkpoint
from dalenius.learning.torch.clipped import ClippedSum
from dalenius.learning.torch.journal import Journal
from dalenius.learning.torch.library import torch
from dalenius.learning.torch.tensors import TensorRows
from dalenius.learning.torch.training_plan import TrainingPlan
from dalenius.noise import Bits


@dataclass(frozen=True, slots=True)
class Step:
    """One step: how many were charged with it, and what the callback said of the weights after it."""

    number: int
    validation: Any = None


Callback = Callable[[Step, Any], Any]


class Left(BaseException):
    """A run is left before its end, by the caller's wish or by an error of the callback, which knows no private row.

    No Exception: a curator takes that for the data's doing and hides its words.
    """

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self.error = error


@dataclass(slots=True, eq=False)
class Place:
    """Where a run keeps its state: a checkpoint, its journal, and whoever else must hear of claims."""

    path: Path
    journal: Journal
    every: int
    start: str
    claimed: int = 0
    token: str = ""
    on_claim: Callable[[int, str], None] | None = None
    """Tells the ledger of the step that a claim begins at, which admits each once; only while the run goes on."""

    def claim(self, upto: int) -> None:
        """Before any noise of these steps is drawn."""
        self.token = uuid.uuid4().hex
        before = self.claimed
        self.journal.claim(before, upto, self.token)
        if self.on_claim is not None:
            # where it begins, not where it ends: two copies of a state begin at one place, however long their claims
            self.on_claim(before, self.token)
        self.claimed = upto


@dataclass(slots=True, eq=False)
class Training:
    """The state of a run: the module's weights, the optimizer and a log, all of them post-processing of noisy sums."""

    plan: TrainingPlan
    clipped: ClippedSum
    optimizer: Any
    callback: Callback | None = None
    place: Place | None = None
    until: int | None = None
    begun: int = 0
    """Steps charged so far, those that a crash swallowed among them."""
    rows: int | None = None
    log: list[Step] = field(default_factory=list)
    shown: Callable[[int], None] | None = None

    def run(self, view: TensorRows, bits: Bits) -> Outcome:
        """Count if need be, then step until the end, or until the caller wants to leave."""
        plan = self.plan
        if self.rows is None:
            self.rows = plan.spending.count(len(view), bits) if plan.rows is None else plan.rows
        rounding, mechanism = plan.noisy_sum()
        expected = max(1.0, float(plan.sampling.rate) * self.rows)
        last = plan.steps if self.until is None else min(self.until, plan.steps)
        while self.begun < last:
            if self.place is not None and self.begun >= self.place.claimed:
                self._claim(self.place, min(last, self.begun + self.place.every))
            self.begun += 1
            noisy = mechanism.release(self._sum(view, bits), bits) * 2.0**-rounding.digits
            self._update(noisy / expected)
            self._tell()
            if self.place is not None and self.begun >= self.place.claimed:
                self.save()
        if last < plan.steps:
            raise Left
        if self.place is not None:
            self.place.journal.finish()
        return Outcome((), notes={"weights": digest(self.module), "rows": self.rows, "steps": self.begun})

    @property
    def priced(self) -> TrainingPlan:
        """The plan that a curator can charge and then run."""
        return replace(self.plan, loop=self.run)

    @property
    def module(self) -> Any:
        """What is trained."""
        return self.clipped.examples.module

    def forget(self) -> None:
        """Drop what tells of the samples (how many slots they took) and the way to the ledger and its rows."""
        self.clipped.forget()
        if self.place is not None:
            self.place.on_claim = None

    def save(self) -> None:
        """Write the checkpoint that was announced, then make it the current one."""
        place = self.place
        assert place is not None
        log = [asdict(step) for step in self.log]
        state, steps = self.module.state_dict(), self.optimizer.state_dict()
        kept = Checkpoint(
            place.journal.name, place.journal.path.name, place.token, place.start, self.rows, state, steps, log
        )
        kept.write(place.path)
        place.journal.settle(place.token)

    def _claim(self, place: Place, upto: int) -> None:
        """A refusal here is about the run's own state, and may be told."""
        try:
            place.claim(upto)
        except StaleState as error:
            raise Left(error) from None

    def _sum(self, view: TensorRows, bits: Bits) -> Any:
        """The clipped sum over a fresh sample; an error in here may be a row's doing, so its words stay."""
        try:
            kept = torch.from_numpy(drawn(self.plan.sampling, len(view), bits))
            return self.clipped.at(view.x[kept], view.y[kept], view.usable[kept], bits)
        except Exception:
            failed = ExecutionFailed("the step failed after it was charged; the reason stays with the data")
        raise failed

    def _update(self, gradient: Any) -> None:
        start = 0
        for parameter in self.module.parameters():
            if parameter.requires_grad:
                part = torch.from_numpy(gradient[start : start + parameter.numel()])
                parameter.grad = part.reshape(parameter.shape).to(parameter.dtype)
                start += parameter.numel()
        self.optimizer.step()
        self.optimizer.zero_grad()

    def _tell(self) -> None:
        step = Step(self.begun)
        if self.callback is not None:
            try:
                step = replace(step, validation=self.callback(step, self.module))
            except Exception as error:
                raise Left(error) from None
        self.log.append(step)
        if self.shown is not None:
            self.shown(self.begun)


def digest(module: Any) -> str:
    """SHA-256 of a module's parameters and buffers."""
    hasher = hashlib.sha256()
    for name, value in sorted(module.state_dict().items()):
        hasher.update(f"{name} {tuple(value.shape)} {value.dtype}\n".encode())
        hasher.update(value.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return hasher.hexdigest()
