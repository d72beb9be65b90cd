"""What a device has told of its owner: a budget of its own, kept on the device, and answers that are given once."""

import hashlib
import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

from dalenius.errors import BudgetExceeded, InvalidParameter
from dalenius.escape import escaped
from dalenius.local.oracles import Rappor
from dalenius.local.protocol import Protocol
from dalenius.noise import Bits
from dalenius.numerics import Number, positive

_VERSION = 1


class Accountant:
    """Randomizes for one person within a budget that the person set, across questions and restarts.

    A report is paid for, on disk, before it is drawn: a crash in between loses budget, never privacy. The sum of all ε
    is at most the budget whatever is asked and in whatever order, also when a question depends on earlier answers, as
    each report is ε-DP given all that was sent before  [A Def 4.1, A Thm 3.3].

    With `once`, the first report of a value is kept and sent again, free, whenever the same question meets the same
    value (for RAPPOR the permanent answer is kept, and each round draws a new report of it). The file then tells of
    values: it belongs on the person's own device.
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

    def randomize(self, protocol: Protocol[Any], value: Any, *, once: bool = False) -> bytes:
        """A report of `value`, paid from the budget; `BudgetExceeded` if it does not fit.

        Parameters
        ----------
        protocol : the question.
        value : the answer.
        once : keep the answer to this question and value, and give it again free.
        """
        encoded = protocol.encode(value)
        rappor = getattr(protocol, "oracle", None)
        name = _name(protocol, encoded)
        if once and name in self._state["kept"]:
            kept = bytes.fromhex(self._state["kept"][name])
            return protocol.format.wrap(rappor.report(kept, self._bits)) if isinstance(rappor, Rappor) else kept
        self._pay(protocol.guarantee().budget)
        if once and isinstance(rappor, Rappor):
            permanent = rappor.permanent(encoded, self._bits)
            self._keep(name, permanent)
            return protocol.format.wrap(rappor.report(permanent, self._bits))
        report = protocol.format.wrap(protocol.randomize(encoded, self._bits))
        if once:
            self._keep(name, report)
        return report

    def _pay(self, cost: Fraction) -> None:
        if cost > self.remaining:
            raise BudgetExceeded(f"the report costs {cost}, and this device has {self.remaining} left")
        self._state["spent"] = str(self.spent + cost)
        self._save()

    def _keep(self, name: str, answer: bytes) -> None:
        self._state["kept"][name] = answer.hex()
        self._save()

    def _save(self) -> None:
        """Write whole, flush to the disk, then take the place of the old file."""
        fresh = self._path.with_name(self._path.name + ".new")
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(self._state, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._path)

    def _loaded(self) -> dict[str, Any]:
        try:
            state = json.loads(self._path.read_text(encoding="utf-8"))
            good = state["version"] == _VERSION and Fraction(state["spent"]) >= 0 and isinstance(state["kept"], dict)
        except (ValueError, KeyError, TypeError):
            good = False
        if not good:
            raise InvalidParameter(
                "the device's record is damaged: what it has spent is not known, so it sends no more"
            )
        return dict(state)

    @escaped
    def __repr__(self) -> str:
        return f"Accountant(spent {self.spent} of {self._state['budget']})"


def _name(protocol: Protocol[Any], encoded: Any) -> str:
    text = protocol.format.tag.hex() + "/" + repr(getattr(encoded, "tolist", lambda: encoded)())
    return hashlib.sha256(text.encode()).hexdigest()
