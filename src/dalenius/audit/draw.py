"""Running a mechanism many times: in batches if it offers them, within a time limit, errors kept as outputs."""

import contextlib
import copy
import inspect
import itertools
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.errors import AuditFailed, InvalidParameter
from dalenius.noise import Bits

Progress = Callable[[int, int], None]
"""(draws made, draws wanted)."""
LONGEST = 4096
"""How much of an iterator is taken."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An output that is an error: whoever calls a mechanism sees that it failed, so failing is something it says."""

    kind: str
    message: str

    @classmethod
    def of(cls, error: BaseException) -> "Raised":
        """What a caller sees of an error."""
        try:
            return cls(type(error).__name__, str(error)[:200])
        except Exception:  # an error that cannot even be shown
            return cls(type(error).__name__, "")


def once(mechanism: Any, data: Any) -> Any:
    """One output: an error or an exit is one too, an iterator is what it gives, a buffer is copied before its reuse."""
    try:
        output = mechanism(data)
        if isinstance(output, Iterator):
            output = list(itertools.islice(output, LONGEST))
    except (Exception, SystemExit) as error:
        return Raised.of(error)
    if isinstance(output, np.ndarray):
        return output.copy()
    return copy.copy(output) if type(output) in (list, dict, set, bytearray) else output


def as_callable(mechanism: Any, bits: Bits | None = None) -> Any:
    """A mechanism as a function of data alone.

    A dalenius mechanism is run by its `release`; a callable with a parameter named `bits` is given a source of bits.
    """
    source = Bits() if bits is None else bits
    if hasattr(mechanism, "release") and not callable(mechanism):
        return _Released(mechanism, source)
    if not callable(mechanism):
        raise InvalidParameter(f"a mechanism is a callable data -> output, got {type(mechanism).__name__}")
    return _Fed(mechanism, source) if _takes_bits(mechanism) else mechanism


def draw(
    mechanism: Any, data: Any, draws: int, *, seconds: float | None = None, progress: Progress | None = None
) -> Any:
    """`draws` outputs on one data set: an array with a row each, or a list.

    With `seconds`, what was drawn in that time is kept; a mechanism that never returns is left behind in a thread.
    """
    if seconds is None:
        return _run(mechanism, data, draws, [], threading.Event(), progress)
    kept: list[Any] = []
    done: list[Any] = []
    stop = threading.Event()
    worker = threading.Thread(
        target=lambda: done.append(_run(mechanism, data, draws, kept, stop, progress)), daemon=True
    )
    worker.start()
    worker.join(seconds)
    stop.set()
    if done:
        return done[0]
    if not kept:
        raise AuditFailed(f"the mechanism returned nothing within {seconds:g} s: allow more, or see whether it hangs")
    return list(kept)


def draw_pair(
    mechanism: Any,
    x: Any,
    x2: Any,
    draws: int,
    *,
    seconds: float | None = None,
    progress: Progress | None = None,
    bits: Bits | None = None,
) -> tuple[Any, Any]:
    """`draws` outputs on each of two data sets, one of each in turn, by a coin which of the two is first.

    What a mechanism remembers from call to call (a counter, a clock, noise that drifts) is then the same on both sides,
    and cannot pass for a difference of the data. A batch is one call: its outputs are taken to be independent.
    """
    if _has_batch(mechanism):
        first, second = (draw(mechanism, data, draws, seconds=seconds, progress=progress) for data in (x, x2))
        return first, second
    coins = ((Bits() if bits is None else bits).octets(draws) & 1).astype(bool).tolist()
    turns = iter([k for coin in coins for k in ((1, 0) if coin else (0, 1))])
    sides: tuple[list[Any], list[Any]] = ([], [])

    def one(_: Any) -> None:
        side = next(turns)
        sides[side].append(once(mechanism, (x, x2)[side]))

    with contextlib.suppress(AuditFailed):  # told below, of the side that gave nothing
        draw(one, None, 2 * draws, seconds=None if seconds is None else 2 * seconds, progress=progress)
    size = min(map(len, sides))
    if not size:
        raise AuditFailed(f"the mechanism gave nothing on x or on x2 within {seconds:g} s: see whether it hangs there")
    return list(sides[0][:size]), list(sides[1][:size])


def _has_batch(mechanism: Any) -> bool:
    return getattr(mechanism, "batch", None) is not None


def _run(
    mechanism: Any, data: Any, draws: int, kept: list[Any], stop: threading.Event, progress: Progress | None
) -> Any:
    batch = getattr(mechanism, "batch", None)
    if batch is not None:
        outputs = _batched(batch, data, draws)
        if outputs is not None:
            if progress is not None:
                progress(draws, draws)
            return outputs
    for number in range(draws):
        if stop.is_set():
            break
        kept.append(once(mechanism, data))
        if progress is not None and (number + 1) % 256 == 0:
            progress(number + 1, draws)
    return kept


def _batched(batch: Callable[[Any, int], Any], data: Any, draws: int) -> Any:
    """What `batch` gives, or None if it fails: then single calls show which draws do."""
    try:
        outputs = batch(data, draws)
    except Exception:
        return None
    if not isinstance(outputs, np.ndarray | list | tuple):
        outputs = list(outputs)
    if len(outputs) != draws:
        raise AuditFailed(f"batch(data, {draws}) gave {len(outputs)} outputs; it must give one a draw")
    return outputs if isinstance(outputs, np.ndarray) else list(outputs)


def _takes_bits(mechanism: Any) -> bool:
    try:
        return "bits" in inspect.signature(mechanism).parameters
    except (TypeError, ValueError):
        return False


class _Fed:
    """A callable that draws from `bits`, with the source given."""

    def __init__(self, mechanism: Any, bits: Bits) -> None:
        self._mechanism, self._bits = mechanism, bits
        batch = getattr(mechanism, "batch", None)
        if batch is not None:
            self.batch = (lambda data, n: batch(data, n, bits=bits)) if _takes_bits(batch) else batch

    def __call__(self, data: Any) -> Any:
        return self._mechanism(data, bits=self._bits)


class _Released:
    """`release` of a dalenius mechanism on an answer."""

    def __init__(self, mechanism: Any, bits: Bits) -> None:
        self._mechanism, self._bits = mechanism, bits
        if hasattr(mechanism, "noise"):
            self.batch = self._tiled

    def __call__(self, data: Any) -> Any:
        answer = data if isinstance(data, np.ndarray) else self._answer(data)
        return self._mechanism.release(answer, self._bits)

    def _answer(self, data: Any) -> Any:
        return np.asarray(data, np.int64) if hasattr(self._mechanism, "noise") else data

    def _tiled(self, data: Any, draws: int) -> Any:
        """Noise is independent over coordinates, so n copies of the answer in one vector are n releases."""
        answer = self._answer(data)
        return self._mechanism.release(np.tile(answer, draws), self._bits).reshape(draws, -1)
