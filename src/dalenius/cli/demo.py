"""`dalenius demo`: five private questions to two tables, until the budget refuses."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.errors import BudgetExceeded

if TYPE_CHECKING:
    from rich.console import Console

    from dalenius.ledger import Ledger
    from dalenius.sql import Session

WIDTH = 92
OPENING = """\
[bold]Two tables of people, asked in SQL. Nobody may find out whether any one person is in them.[/bold]

So every answer gets a little random noise, says how far off it may be, and is paid for from
a budget that is never refilled: [bold]ε = 1[/bold] for all questions to a table. No row is ever shown."""
CENSUS = "[bold]adult:[/bold] some 49 000 people of the US census of 1994, one row each."
SHOP = """\
[bold]purchases:[/bold] some 200 000 purchases of 30 000 people, made up. Some people have hundreds of
rows. All rows of a person together are protected, and count for no more than 40."""
CLOSING = """\
The last question was refused before the table was read: to answer it would have told more
about each person than was promised. Each number above is within its ± of what the bounded
rows give, 19 times in 20. Anyone may know how it was made: only the random bits are secret."""


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question in words and in SQL, and what its answer may cost."""

    words: str
    sql: str
    epsilon: str


CENSUS_QUESTIONS = (
    DemoQuestion(
        "How many earn more than 50 000 dollars a year?",
        "SELECT income, COUNT(*) AS people FROM adult GROUP BY income",
        "0.1",
    ),
    DemoQuestion(
        "How long do women and men work in a week?",
        "SELECT sex, COUNT(*) AS people, AVG(hours_per_week) AS hours,\n"
        "       STDDEV(hours_per_week) AS spread\nFROM adult WHERE age BETWEEN 25 AND 64 GROUP BY sex",
        "0.5",
    ),
)
SHOP_QUESTIONS = (
    DemoQuestion(
        "What is bought, and for how much?",
        "SELECT category, COUNT(*) AS n, AVG(amount) AS mean, SUM(amount) AS total\n"
        "FROM purchases GROUP BY category ORDER BY total DESC LIMIT 5",
        "0.4",
    ),
    DemoQuestion(
        "How many people buy, quarter by quarter?",
        "SELECT QUARTER(day) AS quarter, COUNT(DISTINCT user_id) AS buyers\nFROM purchases GROUP BY quarter",
        "0.2",
    ),
    DemoQuestion(
        "Which share of what is bought costs over 50, where more than 10 000 things are?",
        "SELECT channel, 100 * AVG(CASE WHEN amount > 50 THEN 1 ELSE 0 END) AS percent\n"
        "FROM purchases GROUP BY channel HAVING COUNT(*) > 10000",
        "0.3",
    ),
    DemoQuestion("And day by day?", "SELECT DAYOFYEAR(day) AS day, SUM(amount) FROM purchases GROUP BY 1", "0.3"),
)


def demo(svg: Annotated[Path | None, typer.Option(help="Also write the demo as a picture.")] = None) -> None:
    """Five private questions to two tables, with error and cost, until the budget refuses."""
    from rich.console import Console

    console = Console(width=WIDTH, record=svg is not None, highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        _tell(console, Path(folder))
    if svg is not None:
        svg.parent.mkdir(parents=True, exist_ok=True)
        svg.write_text(console.export_svg(title="dalenius demo", unique_id="dalenius-demo"), encoding="utf-8")


def _tell(console: "Console", folder: Path) -> None:
    from dalenius.ledger import Ledger

    ledger = Ledger.open(folder / "demo.ledger")
    console.print(OPENING)
    adult = census(ledger)
    console.print(f"\n{CENSUS}")
    for number, question in enumerate(CENSUS_QUESTIONS, 1):
        _ask(console, adult, number, question)
    purchases = shop(folder, ledger)
    console.print(f"\n{SHOP}")
    for number, question in enumerate(SHOP_QUESTIONS, 1 + len(CENSUS_QUESTIONS)):
        _ask(console, purchases, number, question)
    console.print(f"\n{CLOSING}")


def census(ledger: "Ledger") -> "Session":
    """The census of 1994: one row a person."""
    from dalenius import datasets
    from dalenius.sql import connect

    return connect(
        datasets.adult(),
        unit="row",
        budget={"epsilon": 1},
        ledger=ledger,
        keys=datasets.ADULT_KEYS,
        bounds={"hours_per_week": (0, 100)},
    )


def shop(folder: Path, ledger: "Ledger") -> "Session":
    """Made-up purchases, written into a folder: many rows a person."""
    from dalenius import datasets
    from dalenius.sql import connect

    return connect(
        datasets.purchases(folder),
        unit="user_id",
        contributions=datasets.PURCHASES_CONTRIBUTIONS,
        budget={"epsilon": 1},
        ledger=ledger,
        keys=datasets.PURCHASES_KEYS,
        bounds=datasets.PURCHASES_BOUNDS,
    )


def _ask(console: "Console", session: "Session", number: int, question: DemoQuestion) -> None:
    from rich.padding import Padding

    from dalenius.cli.output import shown
    from dalenius.cli.render import as_table

    console.print(f"\n[bold]{number}. {question.words}[/bold]")
    for line in question.sql.splitlines():
        console.print(f"   {line}", style="dim", markup=False)
    try:
        answer = session.sql(question.sql, epsilon=question.epsilon, profile=True)
    except BudgetExceeded as refusal:
        console.print(shown(f"   refused: {refusal}", style="red"))
        return
    console.print(Padding(shown(as_table(answer), lines=True), (0, 0, 0, 3), expand=False))
    console.print(f"   cost ε = {question.epsilon}, left {session.budget}", style="green", markup=False)
