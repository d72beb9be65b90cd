"""`dalenius demo`: private counts of UCI Adult until the budget refuses."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.errors import BudgetExceeded

if TYPE_CHECKING:
    from rich.console import Console

    from dalenius.sql import Session

WIDTH = 92
OPENING = """\
[bold]A table of some 49 000 people, drawn from the US census of 1994. We ask it how many.[/bold]

Nobody may find out whether any one person is in it. So every answer gets a little random
noise, says how far off it may be, and is paid for from a budget that is never refilled:
[bold]ε = 1[/bold] for all questions, for ever. No row is ever shown."""
CLOSING = """\
The last question was refused before the table was read: to answer it would have told more
about each person than was promised. Each count above is within its ± of the truth 19 times
in 20, and anyone may know how it was made: only the random bits are secret."""


def demo(svg: Annotated[Path | None, typer.Option(help="Also write the demo as a picture.")] = None) -> None:
    """Private counts of some 49 000 people, with their error, until the budget refuses."""
    from rich.console import Console

    console = Console(width=WIDTH, record=svg is not None, highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        _tell(console, Path(folder) / "demo.ledger")
    if svg is not None:
        svg.parent.mkdir(parents=True, exist_ok=True)
        svg.write_text(console.export_svg(title="dalenius demo", unique_id="dalenius-demo"), encoding="utf-8")


def _tell(console: "Console", ledger: Path) -> None:
    from dalenius.datasets import ADULT_KEYS, ADULT_QUESTIONS, adult
    from dalenius.sql import connect

    session = connect(adult(), unit="row", budget={"epsilon": 1}, ledger=ledger, keys=ADULT_KEYS)
    console.print(OPENING)
    for number, (words, question, epsilon) in enumerate(ADULT_QUESTIONS, 1):
        console.print(f"\n[bold]{number}. {words}[/bold]")
        console.print(f"   {question}", style="dim", markup=False)
        _ask(console, session, question, epsilon)
    console.print(f"\n{CLOSING}")


def _ask(console: "Console", session: "Session", question: str, epsilon: str) -> None:
    from rich.padding import Padding

    from dalenius.cli.render import as_table

    try:
        answer = session.sql(question, epsilon=epsilon)
    except BudgetExceeded as refusal:
        console.print(f"   refused: {refusal}", style="red", markup=False)
        return
    console.print(Padding(as_table(answer), (0, 0, 0, 3), expand=False))
    console.print(f"   cost ε = {epsilon}, left {session.budget}", style="green", markup=False)
