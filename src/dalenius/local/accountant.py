"""What a device has told of its owner: a budget of its own, kept on the device, and answers that are given once."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from dalenius.errors import BudgetExceeded, InvalidParameter
from dalenius.escape import escaped
from dalenius.local.protocol import Protocol
from dalenius.noise import Bits
from dalenius.numerics import Number, positive

try:
    import fcntl
except ImportError:  # pragma: no cover - where it is missing, a device must run one process at a time
    fcntl = None  # type: ignore[assignment]

_VERSION = 2


class Accountant:
    """Randomizes for one person within a budget that the person set, across questions and restarts.

    A report is paid for, on disk, before it is drawn: a crash in between loses budget, never privacy. The sum of all ε
    is at most the budget whatever is asked and in whatever order, also when a question depends on earlier answers, as
    each report is ε-DP given all that was sent before  [A Def 4.1, A Thm 3.3].

    With `once`, the first answer to a question is kept and given again, free, whatever the value has become: all that
    is ever sent is a processing of one ε-DP answer. Were a new answer drawn when the value changes, a change would show
    in the reports with certainty, at any ε; so a changed value waits for the next `period`, which is named without
    looking at it and is paid for like the first  [EPK14, §3.2]. RAPPOR keeps a permanent answer and
    reports it anew each time. The file holds reports, which tell of values: it belongs on the person's own device.
    """

    __slots__ = ("_bits", "_path", "_state")

    def __init__(self, path: str | Path, epsilon: Number, bits: Bits | None = None) -> None:
        """Open or begin a device's record.

        Parameters
        ----------
        path : the file that keeps the record.
        epsilon : the most that all reports together may cost; a file that exists must agree.
        bits : the source of randomness; a fresh secure one if left out.
        """
        self._path = Path(path)
        self._bits = Bits() if bits is None else bits
        budget = positive(epsilon, "epsilon")
        self._state: dict[str, Any] = {"version": _VERSION, "budget": str(budget), "spent": "0", "kept": {}}
        if self._path.exists():
            self._state = self._loaded()
            if Fraction(self._state["budget"]) != budget:
                raise InvalidParameter(f"this device has a budget of {self._state['budget']}, got {epsilon}")

    @property
    def spent(self) -> Fraction:
        """The ε of all reports so far."""
        return Fraction(self._state["spent"])

    @property
    def remaining(self) -> Fraction:
        """What is left."""
        return Fraction(self._state["budget"]) - self.spent

    def randomize(self, protocol: Protocol[Any], value: Any, *, once: bool = False, period: str | None = None) -> bytes:
        """A report of `value`, paid from the budget; `BudgetExceeded` if it does not fit.

        Parameters
        ----------
        protocol : the question.
        value : the answer.
        once : keep the answer to this question for good, and give it again free.
        period : the same, until a period of another name is asked; choose names without looking at the value.
        """
        encoded = protocol.encode(value)
        with _locked(self._path):
            self._state = self._current()
            if not once and period is None:
                self._pay(protocol.guarantee().budget)
                return protocol.format.wrap(protocol.randomize(encoded, self._bits))
            name = (
                f"{protocol.format.tag.hex()}/{'' if period is None else hashlib.sha256(period.encode()).hexdigest()}"
            )
            if name not in self._state["kept"]:
                self._pay(protocol.guarantee().budget)
                self._state["kept"][name] = protocol.permanent(encoded, self._bits).hex()
                self._save()
            kept = bytes.fromhex(self._state["kept"][name])
        return protocol.format.wrap(protocol.report(kept, self._bits))

    def _pay(self, cost: Fraction) -> None:
        if cost > self.remaining:
            raise BudgetExceeded(f"the report costs {cost}, and this device has {self.remaining} left")
        self._state["spent"] = str(self.spent + cost)
        self._save()

    def _current(self) -> dict[str, Any]:
        """What the file says now: another process of the device may have paid since."""
        if not self._path.exists():
            if self.spent:
                raise InvalidParameter(
                    "the device's record is gone: what it has spent is not known, so it sends no more"
                )
            return self._state
        state = self._loaded()
        if state["budget"] != self._state["budget"]:
            raise InvalidParameter(f"this device has a budget of {state['budget']}, not {self._state['budget']}")
        return state

    def _save(self) -> None:
        """Write whole, flush to the disk, then take the place of the old file."""
        fresh = self._path.with_name(self._path.name + ".new")
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(self._state, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._path)
        place = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(place)  # the new name too must outlive a crash
        finally:
            os.close(place)

    def _loaded(self) -> dict[str, Any]:
        try:
            state = json.loads(self._path.read_text(encoding="utf-8"))
            good = (
                state["version"] == _VERSION
                and 0 <= Fraction(state["spent"]) <= Fraction(state["budget"])
                and all(bytes.fromhex(kept) for kept in state["kept"].values())
            )
        except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError):
            good = False
        if not good:
            raise InvalidParameter(
                "the device's record is damaged: what it has spent is not known, so it sends no more"
            )
        return dict(state)

    @escaped
    def __repr__(self) -> str:
        return f"Accountant(spent {self.spent} of {self._state['budget']})"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process of the device at a time: a file beside the record is held."""
    with path.with_name(path.name + ".lock").open("a") as held:
        if fcntl is not None:
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
