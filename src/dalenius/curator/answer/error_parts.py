"""The parts of an answer's error: the noise, which is proved, and what is cut off, which is estimated at best."""

from dataclasses import dataclass

from dalenius.curator.answer.bias import Bias
from dalenius.curator.answer.measured import Value

LEFT_OUT = "left out"
SAMPLE = "secret sample"
"""The name under which notes keep that rows are a secret sample, and the assumption that this rests on."""
"""The name under which an outcome's notes keep what its noise does not tell."""

BESIDE = "paid besides"
"""The name under which an outcome's notes keep what its question has paid for besides."""


@dataclass(frozen=True, slots=True)
class ErrorParts:
    """What is known of how far the numbers of one column are off, cell by cell. The parts are never added up.

    `noise` holds the *bounded* answer (weighted rows, clamped values) with the level asked for. `cut_off` is an
    estimate, no interval, of what bounding rows has cut off, where there is one. `left_out` says in words what neither
    of them tells; None where nothing is cut off. `whole` are ends that hold the *whole* answer, all rows and values up
    to the owner's ceilings, with the level asked for; None where no such interval exists.
    """

    noise: tuple[Value | None, ...]
    cut_off: tuple[Bias | None, ...]
    left_out: str | None
    whole: tuple[tuple[Value, Value], ...] | None = None
