"""`dalenius synthesize`: a private synthetic copy of a table, as a file and in answers that cost nothing more."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalenius.cli import terms
from dalenius.cli.opened import KeyFile
from dalenius.cli.output import say, say_json, shown
from dalenius.cli.query import budget_of, check_chart
from dalenius.errors import InvalidParameter, UnsupportedQuery
from dalenius.escape import csv_text
from dalenius.progress import working

if TYPE_CHECKING:
    from dalenius.sql import Session
    from dalenius.synthesis import Copy, LinkedCopy, SyntheticAnswer, SyntheticRows

_FILES = (".parquet", ".csv")


def synthesize(
    asked: Annotated[
        list[str],
        typer.Argument(
            metavar="[FILE] STATEMENT",
            help="A Parquet, CSV or DuckDB file (left out if the policy names it), and a "
            '"CREATE SYNTHETIC TABLE name AS SELECT column, … FROM its stem".',
            show_default=False,
        ),
    ],
    epsilon: terms.Epsilon,
    delta: Annotated[str | None, typer.Option(help="The δ that buys Gaussian noise: much less of it.")] = None,
    policy: terms.PolicyFile = None,
    unit: terms.Owner = None,
    contributions: terms.Contributions = None,
    bounds: terms.Bounds = None,
    keys: terms.Keys = None,
    column: terms.Columns = None,
    fill: terms.Fill = None,
    table: terms.Table = None,
    budget: Annotated[str | None, typer.Option(help="What all answers may cost, for ever.")] = None,
    budget_delta: Annotated[str | None, typer.Option(help="The δ of that budget.")] = None,
    ledger: Annotated[Path | None, typer.Option(help="The file that keeps the budget.")] = None,
    dataset: Annotated[str | None, typer.Option(help="The people whose budget pays.")] = None,
    analyst: Annotated[str | None, typer.Option(help="Whose share of the budget pays.")] = None,
    key: Annotated[str | None, typer.Option(help="Makes a retry safe: the same key is the same charge.")] = None,
    key_file: KeyFile = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(help='Write the rows, one file a table: .parquet, or .csv with "synthetic" in its name.'),
    ] = None,
    ask: Annotated[list[str] | None, typer.Option(help="A SELECT from the copy, for nothing.")] = None,
    chart: Annotated[Path | None, typer.Option(help="Draw the copy against the released tables.")] = None,
    json: terms.Json = False,
) -> None:
    """Make a private synthetic copy: its rows in a file, what it keeps, and answers over it.

    The same copy again is the same release, for nothing.
    """
    check_chart(chart)
    said = terms.terms_of(asked, policy, unit, contributions, bounds, keys, column, fill, table)
    session = said.session(ledger, budget_of(budget, budget_delta), analyst, dataset, key_file)
    if not session.creates_synthetic(said.question):
        raise UnsupportedQuery("dalenius synthesize takes a CREATE SYNTHETIC TABLE statement; questions are for --ask")
    _check_files(out or [], session, said.question)
    with working(f"reading {session.policy.table}"):
        copy: Any = session.sql(said.question, epsilon=epsilon, delta=delta, key=key)
        answers = [_asked(session, text) for text in ask or []]
    for file, rows in zip(out or [], _tables(copy), strict=False):
        _write(file, rows)
    if json:
        say_json(_as_json(copy, answers, session))
    else:
        _tell(copy, answers, session)
    if chart is not None:
        from dalenius import charts

        charts.save(charts.copy_quality(copy), chart)
        say(f"chart {chart}", err=True)


def _asked(session: "Session", text: str) -> "SyntheticAnswer":
    from dalenius.synthesis import SyntheticAnswer

    if not session.about_synthetic(text) or session.creates_synthetic(text):
        raise UnsupportedQuery("--ask takes a SELECT from the copy; for the private table there is dalenius query")
    answer = session.sql(text)
    assert isinstance(answer, SyntheticAnswer)
    return answer


def _tables(copy: "Copy | LinkedCopy") -> "list[SyntheticRows]":
    made = copy.sample()
    return list(made.values()) if isinstance(made, dict) else [made]


def _check_files(files: list[Path], session: "Session", statement: str) -> None:
    """Refuse, before anything is charged, rows that could not be written or would not say what they are."""
    for file in files:
        if file.suffix not in _FILES:
            raise InvalidParameter(f"rows are written as {' or '.join(_FILES)}, got {file.name!r}")
        if file.suffix == ".csv" and "synthetic" not in file.stem.lower():
            raise InvalidParameter(f'a CSV can say that it is synthetic only by its name: "{file.stem}.synthetic.csv"')
        if not file.absolute().parent.is_dir():
            raise InvalidParameter(f"there is no folder {str(file.parent)!r} for the rows")
    made = len(session.synthetic_names(statement))
    if files and len(files) != made:
        raise InvalidParameter(f"the statement makes {made} tables: give --out as often, got {len(files)}")


def _write(file: Path, rows: "SyntheticRows") -> None:
    if file.suffix == ".csv":
        columns = rows.columns
        file.write_text(csv_text(list(columns), zip(*columns.values(), strict=True)), encoding="utf-8")
    else:
        import pyarrow.parquet as pq

        pq.write_table(rows.to_arrow(), file)
    say(f"{len(rows)} synthetic rows in {file}", err=True)


def _as_json(copy: Any, answers: "list[SyntheticAnswer]", session: "Session") -> dict[str, Any]:
    return {
        "synthetic": True,
        "report": str(copy.report()),
        "answers": [answer.to_dict() for answer in answers],
        "cost": str(copy.guarantee),
        "left": str(session.budget),
    }


def _tell(copy: Any, answers: "list[SyntheticAnswer]", session: "Session") -> None:
    from rich.console import Console

    console = Console()
    for text in (*map(repr, answers), str(copy.report())):
        for line in text.splitlines():
            console.print(shown(line), soft_wrap=True)
        console.print()
    console.print(shown(f"cost {copy.guarantee}; left: {session.budget}"))
