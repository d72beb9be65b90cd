"""`dalenius policy`: the owner's terms in a file."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.cli import terms
from dalenius.cli.output import say
from dalenius.errors import InvalidParameter

if TYPE_CHECKING:
    from dalenius.sql import Survey

app = typer.Typer(help="Write and check the owner's terms.", no_args_is_help=True)

_OWNER_ONLY = 0o600
_MOST_LINES = 50
_ROWS = {"one": "who owns one row", "many": "who may own many rows"}


@app.callback()
def _policy() -> None:
    """Write and check the owner's terms."""


@app.command("init")
def init(
    files: Annotated[
        list[str], typer.Argument(help="Files, or folders of files of one kind; or one folder of several tables.")
    ],
    out: Annotated[Path, typer.Option(help="Where to write the policy.")] = Path("policy.toml"),
    unit: Annotated[
        str | None, typer.Option(help="Who is protected, if you know: a column, table.column, or row.")
    ] = None,
    column: terms.Columns = None,
    table: terms.Table = None,
) -> None:
    """Look at tables once, for their owner, and write a first policy: who is protected, types, bounds and keys.

    What is taken from rows is marked as proposed until `dalenius policy confirm`. What was seen on the way stands in a
    file beside the policy, policy.survey.toml, which only its owner can read. If it cannot be told who is protected,
    you are asked; without a terminal the policy says `unit = "?"`, and nothing is served by it.
    """
    from dalenius.sql import policy_text, survey, survey_text

    seen = out.with_suffix(".survey.toml")
    if there := " and ".join(repr(str(place)) for place in (out, seen) if place.exists()):
        raise InvalidParameter(f"there already: {there}. Name another file with --out, or remove what is there")
    places = _places(files, table)
    types = terms.columns_of(column)
    if types is not None and len(places) > 1:
        raise InvalidParameter("--column is for one file: without it the types of all files are guessed")
    declared = None if types is None else dict.fromkeys(places, types)
    surveyed = survey(places, columns=declared, unit=unit)
    asked = None
    if surveyed.decision.asks and at_terminal():
        asked = _ask(surveyed)
        surveyed = survey(places, columns=declared, unit=asked)
    text = policy_text(surveyed, lambda place: _seen_from(out, place), confirmed_unit=bool(unit or asked))
    _write(out, text, 0o644)
    _write(seen, survey_text(surveyed), _OWNER_ONLY)
    for line in _summary_lines(surveyed, out, seen):
        say(line)


@app.command("import")
def import_metadata(
    metadata: Annotated[Path, typer.Argument(help="SmartNoise's metadata, a YAML file.")],
    out: Annotated[Path, typer.Option(help="Where to write the policy.")] = Path("policy.toml"),
    table: Annotated[
        str | None, typer.Option(help="The table that is asked; by default the first with people.")
    ] = None,
    source: Annotated[list[str] | None, typer.Option(help="The file of a table: visits=visits.parquet")] = None,
) -> None:
    """Write a policy from SmartNoise's metadata: unit, columns, bounds and contributions; no row is looked at.

    What has no counterpart is said here and in comments of the policy.
    """
    from dalenius.sql import import_smartnoise

    places = terms.named_texts(source, "--source", "visits=visits.parquet")
    made = import_smartnoise(metadata, table=table, sources={n: _seen_from(out, f) for n, f in places.items()})
    _write(out, made.text, 0o644)
    say(f"{out}: read from {metadata}. What has another meaning here, or none:")
    for note in made.notes:
        say(f"  {note}")
    say(f"Next: read {out}, grant a budget in it, and run `dalenius policy check {out}`.")


@app.command("confirm")
def confirm(
    policy: Annotated[Path, typer.Argument(help="The policy file.")],
    term: Annotated[
        list[str] | None, typer.Argument(help="Proposed terms, such as bounds or keys.city; all of them if left out.")
    ] = None,
) -> None:
    """Confirm that proposed terms may be public: they are the owner's from now on."""
    from dalenius.sql import confirm

    left = confirm(policy, term or ())
    say(f"still proposed: {', '.join(left)}" if left else "nothing is only proposed any more")


@app.command("check")
def check(
    policy: Annotated[Path, typer.Argument(help="The policy file.")],
    file: Annotated[str | None, typer.Argument(help="Another file than the policy's source.")] = None,
) -> None:
    """Read a policy back in words, check it against its table, and try one question of each kind, for nothing.

    Exits with 1 while terms are only proposed or something else keeps it from being served. For its owner, after each
    change of the table and before others ask: the table must have the declared columns, and a CSV must be properly
    quoted throughout.
    """
    from dalenius.sql import check_policy

    report = check_policy(policy, data=file)
    say(str(report))
    if not report.ready:
        raise typer.Exit(1)


@app.command("profile")
def profile(
    policy: Annotated[Path, typer.Argument(help="The policy file.")],
    epsilon: Annotated[
        str | None, typer.Option(help="What it may cost in all; left out, what is known is told.")
    ] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="Columns with bounds that it is about; those with limits, or all.")
    ] = None,
    ledger: Annotated[Path | None, typer.Option(help="The ledger; by default the one beside the policy.")] = None,
    key_file: Annotated[Path | None, typer.Option(help="The key of a ledger whose answers are encrypted.")] = None,
) -> None:
    """Buy a table's profile, once for all who ask: people by their number of rows, and values outside of bounds.

    It tells how many rows of a person should count and what bounding cuts off. With ceilings in the policy (most_rows
    and limits) answers have an interval of the whole answer from then on.
    """
    said = terms.TypedTerms(None, "", policy, {})
    session = said.session(ledger, None, None, None, key_file)
    say(str(session.profile(epsilon=epsilon, columns=column or None)))
    say(f"left: {session.budget}")


def _places(files: list[str], table: str | None) -> dict[str, str]:
    """The tables by name; a folder of one kind of file is a table, one with several kinds or names is several."""
    from dalenius.sql import table_places

    if table is not None and len(files) > 1:
        raise InvalidParameter("--table names one table: leave it out for several files")
    return {table: files[0]} if table is not None else table_places(files)


def at_terminal() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin.isatty()


def _ask(surveyed: "Survey") -> str:
    """Who is protected, asked at a terminal."""
    say(f"Who is protected? It could not be told: {surveyed.decision.why}.")
    choices = [
        f"{table}.{name}" for one in surveyed.decision.candidates for table, name in list(one.columns.items())[:1]
    ]
    for place, one in enumerate(surveyed.decision.candidates, 1):
        say(f"  {place}. {one.described()}")
    say(f"  {len(choices) + 1}. row: each person owns one row")
    while True:
        answer: int = typer.prompt("Number", type=int)
        if 1 <= answer <= len(choices) + 1:
            return [*choices, "row"][answer - 1]


def _summary_lines(surveyed: "Survey", out: Path, seen: Path) -> list[str]:
    """What an owner should read first."""
    related = surveyed.relations
    if related is None:
        names = [one.name for one in surveyed.decision.candidates]
        return [
            f"{out}: it could not be told who is protected ({surveyed.decision.why}). "
            f"Candidates: {', '.join(names) or 'none that looks like one'}.",
            *_undecided_lines(len(surveyed.tables), names, out, seen),
            f"{seen}: what was seen, for you alone.",
        ]
    who = "each row" if related.unit == "row" else f"each {related.unit}, {_ROWS[related.rows_per_unit]}"
    dirt = [
        f"  {table.name}.{name or '(no name)'}: {'; '.join(remarks)}"
        for table in surveyed.tables
        for name, remarks in table.dirt.items()
    ]
    if len(dirt) > _MOST_LINES:
        dirt = [*dirt[:_MOST_LINES], f"  … and {len(dirt) - _MOST_LINES} more: see {seen}"]
    left = [f"  {name} is left out: {why}" for name, why in related.left_out.items()]
    return [
        f"{out}: protects {who} ({surveyed.decision.why}).",
        *left,
        *(
            f"  {column} names people too, who are not protected: leave it out of [columns], or decide for them instead"
            for column in related.unprotected
        ),
        *(["What is odd about the data:", *dirt] if dirt else []),
        f"{seen}: what was seen, for you alone.",
        f"Next: read {out}, change what may not be public, and run `dalenius policy confirm {out}`.",
        *(
            [f"Then `dalenius policy profile {out} --epsilon …` finds, once and privately, how many rows each one has."]
            if related.rows_per_unit == "many"
            else []
        ),
    ]


def _undecided_lines(tables: int, candidates: list[str], out: Path, seen: Path) -> list[str]:
    """What the owner does next; of several tables the first alone is in a policy that does not say whose they are."""
    again = f"remove {out} and {seen} and run again with --unit {candidates[0] if candidates else 'column'}"
    if tables > 1:
        return [f"Of {tables} tables the policy has one, and nothing is served by it: {again}."]
    return [f'Write who it is in place of unit = "?"; nothing is served before. Or {again}.']


def _write(place: Path, text: str, mode: int) -> None:
    try:
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as failed:
        raise InvalidParameter(f"{str(place)!r} cannot be written: {failed.strerror}") from None


def _seen_from(out: Path, file: str) -> str:
    """The table's place relative to the policy's."""
    return Path(os.path.relpath(file, out.parent)).as_posix()
