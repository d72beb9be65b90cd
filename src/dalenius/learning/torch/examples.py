"""Gradients of each example, by `torch.vmap`: one pass forward, one back, none written out where factors do."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dalenius.errors import UnprovenClaim
from dalenius.learning.torch.admission import admit
from dalenius.learning.torch.blocks import GradientBlock, Tensor, Written
from dalenius.learning.torch.layers import Tapped, tapped
from dalenius.learning.torch.library import torch

Loss = Callable[[Any, Any], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """A module and a loss, seen one example at a time.

    The forward pass runs under `vmap`, whose semantics are those of a loop: example i's loss is a function of example i
    and the weights. So the gradient of Σ loss at slot i's taps is that of example i's loss, and what `blocks` holds in
    slot i knows no other example. Parameters that no tap covers are given to each slot as a copy of its own.
    """

    module: Any
    loss: Loss
    taps: dict[str, tuple[Tapped, tuple[int, ...]]]
    copied: tuple[str, ...]
    outputs: tuple[int, ...]
    """The shape of what the module gives for one example."""
    _zeros: dict[tuple[str, int], Tensor] = field(default_factory=dict)

    @classmethod
    def of(cls, module: Any, loss: Loss, x: Tensor, y: Tensor | None) -> "Examples":
        """Admit a module, and find its taps by a trial on public rows `x`."""
        admit(module)
        try:
            return cls._tried(module, loss, x, y, last=True)
        except UnprovenClaim:  # some operations cannot be vmapped over pictures whose channels are last
            plain = True
        return cls._tried(module, loss, x, y, last=not plain)

    @classmethod
    def _tried(cls, module: Any, loss: Loss, x: Tensor, y: Tensor | None, last: bool) -> "Examples":
        before = _state(module)
        taps, outputs = _trial(module, x, last)
        covered = {name for tap, _ in taps.values() for name in (tap.weight, tap.bias) if name is not None}
        copied = tuple(name for name, p in module.named_parameters() if p.requires_grad and name not in covered)
        examples = cls(module, loss, taps, copied, outputs)
        if y is not None:
            examples.tried(x, y)
            plain = cls(module, loss, {}, tuple(examples.names), outputs)
            if taps and not _agree(examples, plain, x, y):
                examples = plain
        if before != _state(module):
            raise UnprovenClaim(
                "the module changes its buffers or tensors as it runs, which no noise covers: freeze them"
            )
        return examples

    @property
    def names(self) -> list[str]:
        """The trained parameters, in the module's order."""
        return [name for name, p in self.module.named_parameters() if p.requires_grad]

    @property
    def kind(self) -> Any:
        """The parameters' kind of floats."""
        return next(self.module.parameters()).dtype

    @property
    def size(self) -> int:
        """How many numbers are trained."""
        return sum(p.numel() for p in self.module.parameters() if p.requires_grad)

    def tried(self, x: Tensor, y: Tensor) -> list[GradientBlock]:
        """`blocks` of public rows; what fails here fails before data is read, and may say why."""
        try:
            return self.blocks(x, y)
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            reason = f"{type(error).__name__}: {str(error).splitlines()[0][:200]}" if str(error) else repr(error)
        raise UnprovenClaim(
            f"the module and its loss cannot be run by torch.vmap, one example at a time, on public rows: {reason}"
        )

    def weights(self) -> dict[str, Tensor]:
        """A copy of all parameters."""
        return {name: p.detach().clone() for name, p in self.module.named_parameters()}

    def blocks(self, x: Tensor, y: Tensor, weights: dict[str, Tensor] | None = None) -> list[GradientBlock]:
        """The gradients of each slot's example, at the module's weights unless others are given."""
        slots = len(x)
        taps = {path: self._zero(path, slots).requires_grad_() for path in self.taps}
        held = dict(weights) if weights else {name: p.detach() for name, p in self.module.named_parameters()}
        copies = {
            name: held.pop(name).expand(slots, *_shape(self.module, name)).requires_grad_() for name in self.copied
        }
        one = self._one(held)
        losses, ahead = torch.vmap(one, randomness="different")(taps, copies, x, y)
        wanted = [*taps.values(), *copies.values()]
        back = torch.autograd.grad(losses.sum(), wanted, allow_unused=True, materialize_grads=True)
        blocks: list[GradientBlock] = []
        for (path, (tap, _)), gradient in zip(self.taps.items(), back, strict=False):
            blocks.extend(tap.blocks(ahead[path].detach(), gradient))
        for name, gradient in zip(self.copied, back[len(self.taps) :], strict=True):
            blocks.append(Written(name, gradient.flatten(1)))
        return blocks

    def forget(self) -> None:
        """Drop the zeros that are kept for each number of slots."""
        self._zeros.clear()

    def _one(self, held: dict[str, Tensor]) -> Callable[..., Any]:
        def one(taps: dict[str, Tensor], copies: dict[str, Tensor], x: Tensor, y: Tensor) -> Any:
            ahead: dict[str, Tensor] = {}

            def through(tap: Tapped, given: Tensor) -> Tensor:
                ahead[tap.path] = given
                return tap.forward(given) + taps[tap.path]

            with _through([tap for tap, _ in self.taps.values()], through):
                output = torch.func.functional_call(self.module, {**held, **copies}, (x[None],))
            return self.loss(output, y[None]).sum(), ahead

        return one

    def _zero(self, path: str, slots: int) -> Tensor:
        if (path, slots) not in self._zeros:
            self._zeros[path, slots] = torch.zeros((slots, *self.taps[path][1]), dtype=self.kind)
        return self._zeros[path, slots].detach()


@contextmanager
def _through(taps: list[Tapped], call: Callable[[Tapped, Any], Any]) -> Iterator[None]:
    """The layers' calls go through `call` for a while."""
    try:
        for tap in taps:
            tap.layer.forward = lambda given, tap=tap: call(tap, given)
        yield
    finally:
        for tap in taps:
            tap.layer.__dict__.pop("forward", None)


def _trial(module: Any, x: Tensor, last: bool) -> tuple[dict[str, tuple[Tapped, tuple[int, ...]]], tuple[int, ...]]:
    """Layers with a closed form that are called once and share no parameter, with the shape of their output."""
    owners: dict[int, int] = {}
    for _, p in module.named_parameters(remove_duplicate=False):
        owners[id(p)] = owners.get(id(p), 0) + 1
    candidates = [tap for path, layer in module.named_modules() if (tap := tapped(path, layer, last)) is not None]
    alone = [
        tap
        for tap in candidates
        if "forward" not in tap.layer.__dict__
        and all(p.requires_grad and owners[id(p)] == 1 for p in tap.layer.parameters())
    ]
    calls: dict[str, list[tuple[int, ...]]] = {tap.path: [] for tap in alone}

    def through(tap: Tapped, given: Tensor) -> Tensor:
        output = tap.forward(given)
        calls[tap.path].append(tuple(output.shape))
        return output

    def one(row: Tensor) -> Tensor:
        return module(row[None])

    with _through(alone, through), torch.no_grad():
        try:
            output = torch.vmap(one, randomness="different")(x)
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            failed: str | None = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"
        else:
            failed = None
    if failed is not None:
        raise UnprovenClaim(f"the module cannot be run by torch.vmap, one example at a time, on public rows: {failed}")
    shape = tuple(output.shape[1:]) if isinstance(output, torch.Tensor) else ()
    return {tap.path: (tap, calls[tap.path][0]) for tap in alone if len(calls[tap.path]) == 1}, shape


def _agree(with_taps: Examples, plain: Examples, x: Tensor, y: Tensor) -> bool:
    """Whether taps see all that the loss says of their weights: not so where a weight is used outside of its layer."""
    modes, ones = (
        [(part, part.training) for part in with_taps.module.modules()],
        torch.ones(len(x), dtype=with_taps.kind),
    )

    def summed(examples: Examples) -> dict[str, Tensor]:
        return {name: part for b in examples.tried(x, y) for name, part in b.sums(ones, slice(None)).items()}

    with_taps.module.eval()
    try:
        one, other = summed(with_taps), summed(plain)
    finally:
        for part, training in modes:
            part.training = training
    return all(bool((one[name] - other[name]).norm() <= 1e-3 * other[name].norm() + 1e-30) for name in with_taps.names)


def _state(module: Any) -> list[tuple[str, int, int]]:
    """Buffers and other tensors that the module and its parts hold, known by identity and by how often changed."""
    versions = [(name, id(b), b._version) for name, b in module.named_buffers()]
    for path, part in module.named_modules():
        held = [(name, value) for name, value in vars(part).items() if isinstance(value, torch.Tensor)]
        versions += [(f"{path}.{name}", id(value), value._version) for name, value in held]
    return versions


def _shape(module: Any, name: str) -> tuple[int, ...]:
    return tuple(module.get_parameter(name).shape)
