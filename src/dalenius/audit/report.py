"""Reports of an audit: the leak that it found, and the ε that it proves."""

import math
from dataclasses import dataclass, field

from dalenius.audit.certify import SHARE, EventCounts
from dalenius.audit.claim import ceiling
from dalenius.audit.draw import Raised
from dalenius.escape import escaped
from dalenius.guarantees import Guarantee

DELTAS = (0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)


@dataclass(frozen=True, slots=True)
class Report:
    """A certified lower bound on what a mechanism leaks, from an event fixed before the draws that certify it.

    With probability at least 1 − alpha every statement of one report holds together: they are readings of one exact
    confidence region for (P[E | x], P[E | x2]).
    """

    claim: Guarantee | None
    event: str
    reversed: bool
    counts: EventCounts
    alpha: float
    delta: float
    draws: int
    epsilon: float
    """The mechanism is not (ε', delta)-DP for any ε' < epsilon."""
    p_value: float
    """Of the claim; 1 without a claim."""
    notes: tuple[str, ...] = field(default=())

    @property
    def rejects(self) -> bool:
        """Whether the claim is refuted at level alpha."""
        return self.claim is not None and self.p_value <= self.alpha

    @property
    def curve(self) -> tuple[tuple[float, float], ...]:
        """(δ, ε) pairs: at each δ, the mechanism is not (ε', δ)-DP for any ε' < ε."""
        return tuple((delta, self.counts.epsilon(delta, self.alpha)) for delta in DELTAS)

    def excludes(self, claim: Guarantee) -> bool:
        """Whether the same region refutes another claim."""
        return self.counts.p_value(ceiling(claim), self.alpha * SHARE, self.alpha) <= self.alpha

    @property
    def frequencies(self) -> tuple[float, float]:
        """How often the event was seen on x and on x2, of the certifying draws."""
        here = self.counts.first / self.counts.first_draws
        there = self.counts.second / self.counts.second_draws
        return (there, here) if self.reversed else (here, there)

    @escaped
    def __str__(self) -> str:
        one, other = ("x2", "x") if self.reversed else ("x", "x2")
        counts = self.counts
        lines = [
            f"event: {self.event}",
            f"seen in {counts.first} of {counts.first_draws} draws on {one}, "
            f"{counts.second} of {counts.second_draws} on {other}",
            f"certified: ε ≥ {_below(self.epsilon)} at δ = {self.delta:g}, with confidence {1 - self.alpha:g}",
        ]
        if self.claim is not None:
            verdict = "REJECTED" if self.rejects else "not refuted"
            lines.append(f"claim {self.claim!r}: {verdict} (p = {self.p_value:.3g}, level {self.alpha:g})")
        return "\n".join([*lines, *self.notes])


def raised_note(outputs: list[object]) -> str | None:
    """A line about draws that ended in an error."""
    failed = [output for output in outputs if isinstance(output, Raised)]
    if not failed:
        return None
    return f"{len(failed)} of {len(outputs)} draws raised, {failed[0].kind} first: an error counts as an output"


def _below(value: float) -> str:
    return f"{math.floor(value * 1e4) / 1e4:g}" if value < 1e6 else "∞"
