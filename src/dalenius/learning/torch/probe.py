"""Which numbers of slots a pass may have: those at which a slot's result does not depend on where it stands.

`vmap` makes a slot's result a function of its example in exact arithmetic. In floats a kernel might still add in
another order for another number of slots, or at another place, and the last bits of *every* row's gradient would tell
how many rows were drawn. So a pass is run only with numbers of slots at which public rows gave, bit by bit, what they
gave at a reference: elsewhere, and beside other rows. A kernel's order of additions is chosen by shapes and memory
layout, not by values, so what holds for public rows holds for all: `docs/theory/assumptions.md` states this. A number
of slots that fails is not used; one slot at a time is always right, and slow.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dalenius.errors import UnprovenClaim
from dalenius.learning.torch.examples import Examples
from dalenius.learning.torch.library import torch
from dalenius.learning.torch.rounding import CHUNK

MULTIPLE = 16
_MOST_FLOATS = 1 << 27
_MOST_SLOTS = 512


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """The numbers of slots that were tried on public rows, and how a sample is cut into passes."""

    examples: Examples
    x: Any
    y: Any
    most: int
    """The largest number of slots, by what memory the gradients of one example take."""
    reference: int
    _held: dict[str, Any]
    _expected: Any
    """What the public rows give at the reference, one row each, with the weights that are held."""
    _known: dict[int, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, examples: Examples, x: Any, y: Any) -> "Shapes":
        """Find the reference: the largest of 64, 16 and 1 slots at which places do not matter."""
        written = sum(examples.module.get_parameter(name).numel() for name in examples.copied) + 1
        written += sum(tap.layer.weight.numel() for tap, shape in examples.taps.values() if len(shape) != 2)
        most = max(MULTIPLE, min(_MOST_SLOTS, _MOST_FLOATS // written // CHUNK * CHUNK))
        x, y, held = x[:most], y[:most], examples.weights()
        turned = torch.roll(torch.arange(len(x)).flip(0), 5)
        for slots in (CHUNK, MULTIPLE):
            results = _results(examples, held, x, y, slots)
            again = _results(examples, held, x[turned], y[turned], slots)
            if results is not None and again is not None and _same(results[turned], again):
                return cls(examples, x, y, most if slots == CHUNK else slots, slots, held, results)
        few, other = x[:MULTIPLE], torch.arange(MULTIPLE).flip(0)
        results = _results(examples, held, few, y[:MULTIPLE], 1)
        if not _same(results[other], _results(examples, held, few[other], y[:MULTIPLE][other], 1)):
            raise UnprovenClaim(
                "what the module gives for a row, alone and with training switched off, is not the same twice: it "
                "remembers other rows, which no clip covers, or draws noise of its own"
            )
        return cls(examples, x, y, 1, 1, held, None)

    def passes(self, rows: int) -> Iterator[tuple[int, int, int]]:
        """(first row, row after the last, slots) of each pass.

        However it is cut, row i is in chunk i // 64 (or // 16, or alone): neighbors share all chunks but two.
        """
        start = 0
        while start < rows:
            stop = min(rows, start + self.most)
            slots = -(-(stop - start) // MULTIPLE) * MULTIPLE
            if self.reference < CHUNK or not self.allows(slots):
                slots, stop = self.reference, min(rows, start + self.reference)
            yield start, stop, slots
            start = stop

    def forget(self) -> None:
        """Drop which numbers of slots were tried: samples asked for them."""
        self._known.clear()

    def allows(self, slots: int) -> bool:
        """Whether public rows give the same, bit by bit, at this number of slots; tried once."""
        if slots not in self._known:
            results = _results(self.examples, self._held, self.x[:slots], self.y[:slots], slots)
            self._known[slots] = _same(results, self._expected[:slots])
        return self._known[slots]


def _results(examples: Examples, held: dict[str, Any], x: Any, y: Any, slots: int) -> Any:
    """What each public row gives, in passes of so many slots, with dropout switched off."""
    if len(x) % slots:
        return None
    modes = [(part, part.training) for part in examples.module.modules()]
    examples.module.eval()
    try:
        parts = [
            torch.cat([block.rows() for block in examples.blocks(x[i : i + slots], y[i : i + slots], held)], dim=1)
            for i in range(0, len(x), slots)
        ]
    finally:
        for part, training in modes:
            part.training = training
    return torch.cat(parts)


def _same(one: Any, other: Any) -> bool:
    """Equal bit by bit, so far as a sum can tell: both no number counts as equal."""
    return bool(((one == other) | (one.isnan() & other.isnan())).all())
