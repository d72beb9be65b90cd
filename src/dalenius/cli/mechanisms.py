"""`dalenius mechanisms`: every mechanism, what it costs, how far it errs and why that is so."""

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.cli.output import say_json, shown
from dalenius.numerics import digits_above

if TYPE_CHECKING:
    from dalenius.guarantees import Guarantee
    from dalenius.mechanisms import Entry

DIGITS = 5
BETA = "0.05"
DELTAS = (0.0, 1e-6, 1e-3, 0.05)
"""Which δ a line is told at: the first with a finite ε."""


@dataclass(frozen=True, slots=True)
class MechanismLine:
    """What is said of one mechanism at typical parameters; numbers are rounded up."""

    name: str
    epsilon: str
    delta: str
    error: str | None
    cells: int
    theorem: str

    @classmethod
    def of(cls, entry: "Entry") -> "MechanismLine":
        """The line of an entry; its error holds for as many coordinates, or candidates, as its neighbors have."""
        mechanism, cells = entry.mechanism, len(entry.neighbors[0])
        epsilon, delta = _privacy(mechanism.guarantee(entry.sensitivity, entry.relation))
        accuracy = getattr(mechanism, "accuracy", None)
        error = None if accuracy is None else digits_above(accuracy(BETA, cells), DIGITS)
        return cls(mechanism.name, epsilon, delta, error, cells, entry.theorem)

    @property
    def privacy(self) -> str:
        """ε, and δ unless it is 0."""
        return f"ε {self.epsilon}" if self.delta == "0" else f"ε {self.epsilon}, δ {self.delta}"

    @property
    def radius(self) -> str:
        """The error, and over how many cells if over more than one."""
        if self.error is None:
            return "–"
        return self.error if self.cells == 1 else f"{self.error} (of {self.cells})"


def first_of_each() -> "list[Entry]":
    """The catalog's first entry for each type of mechanism."""
    from dalenius.mechanisms import CATALOG

    by_class: dict[type, Entry] = {}
    for entry in CATALOG:
        by_class.setdefault(type(entry.mechanism), entry)
    return list(by_class.values())


def mechanisms(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Every mechanism: its privacy at typical parameters, its error, and the theorem that proves the one.

    One answer in 20 errs by more than the error, at most; "of n" says for how many candidates or coordinates.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    lines = [MechanismLine.of(entry) for entry in first_of_each()]
    if json:
        say_json([asdict(line) for line in lines])
        return
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, show_edge=False)
    for head in ("mechanism", "privacy", "error", "theorem"):
        table.add_column(head, no_wrap=head != "theorem")
    for line in lines:
        table.add_row(*(shown(cell) for cell in (line.name, line.privacy, line.radius, line.theorem)))
    Console().print(table)


def _privacy(guarantee: "Guarantee") -> tuple[str, str]:
    for delta in DELTAS:
        epsilon = guarantee.epsilon(delta)
        if math.isfinite(epsilon):
            return digits_above(epsilon, DIGITS), f"{delta:g}"
    return "∞", f"{DELTAS[-1]:g}"
