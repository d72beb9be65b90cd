"""Which table is asked, and on whose terms: the options that `query` and `explain` share."""

import csv
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalenius.cli.output import say
from dalenius.errors import InvalidParameter

if TYPE_CHECKING:
    from dalenius.ledger import Ledger
    from dalenius.sql import Policy, Session

Asked = Annotated[
    list[str],
    typer.Argument(
        metavar="[FILE] QUESTION",
        help="A Parquet, CSV or DuckDB file (left out if the policy names it), and a SELECT from its stem.",
        show_default=False,
    ),
]
Epsilon = Annotated[str, typer.Option(help="What this answer may cost.")]
Price = Annotated[str | None, typer.Option("--epsilon", help="What this answer may cost; or say --within.")]
Within = Annotated[str | None, typer.Option(help="How far off it may be: 100, or 0.05 with --of, or 5% of itself.")]
Of = Annotated[str | None, typer.Option(help="The size that --within is a share of.")]
MaxEpsilon = Annotated[str | None, typer.Option(help="The most that an answer --within 5% may cost.")]
Profile = Annotated[
    str | None,
    typer.Option(help="What it may cost besides, once, to find how many rows each person has, if nobody bought that."),
]
PolicyFile = Annotated[Path | None, typer.Option("--policy", help="The owner's terms, instead of those below.")]
Owner = Annotated[str | None, typer.Option("--unit", help="Who is protected: a column that names people, or row.")]
Contributions = Annotated[
    int | None, typer.Option(help="How many rows of one person count in full; found privately if not said.")
]
Bounds = Annotated[list[str] | None, typer.Option(help="Lowest and highest value of a column: amount=0:200")]
Keys = Annotated[list[str] | None, typer.Option(help="Public values of a column: category=food,toys")]
Columns = Annotated[list[str] | None, typer.Option("--column", help="Type of a CSV's column: amount=DOUBLE")]
Fill = Annotated[list[str] | None, typer.Option(help="What NULL counts as in a column: amount=0")]
Table = Annotated[str | None, typer.Option(help="The table of a DuckDB file, or another name for a file's.")]
Delta = Annotated[
    str | None,
    typer.Option(
        help="The δ for naming keys that nobody declared, by default a hundredth of the budget's; "
        "over declared keys it buys Gaussian noise."
    ),
]
Groups = Annotated[int | None, typer.Option(help="In how many of such keys one person counts.")]
MinUnits = Annotated[int, typer.Option("--min-units", help="A key of fewer people is never named.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True, slots=True)
class TypedTerms:
    """What was said of a table on the command line."""

    file: str | None
    question: str
    policy: Path | None
    given: dict[str, Any]

    def declared(self) -> "Policy | Path":
        """Where the owner's terms stand: the policy's file, or what was given, checked against the table's columns."""
        from dalenius.sql import Policy, open_table

        if self.policy is not None:
            self._refuse_terms()
            return self.policy
        engine = open_table(self._file(), columns=self.given["columns"], table=self.given["table"])
        return Policy.declare(engine.name, engine.columns, unit=self._unit(), **self._of(engine.columns))

    def session(
        self,
        ledger: Path | None,
        budget: dict[str, str] | None,
        analyst: str | None,
        dataset: str | None = None,
        key_file: Path | None = None,
    ) -> "Session":
        """The table, open for questions; without `ledger` the one beside the policy, or beside the file."""
        from dalenius.sql import Policy, connect, open_table

        if self.policy is not None:
            if budget is not None:
                raise InvalidParameter("the policy says what budget is, and only the owner changes it: leave it out")
            self._refuse_terms()
            policy = Policy.load(self.policy)
            book = ledger or self.policy.parent / f"{policy.population}.ledger"
            _refuse_lost(book, granted=policy.budget is not None)
            opened = _book(book, analyst, key_file)
            with doubts_said():
                return connect(self.file, policy=self.policy, ledger=opened, analyst=analyst, dataset=dataset)
        engine = open_table(self._file(), columns=self.given["columns"], table=self.given["table"])
        book = ledger or _folder(self._file()) / f"{dataset or engine.name}.ledger"
        terms = self._of(engine.columns)
        _refuse_lost(book, granted=budget is not None)
        with doubts_said():
            return connect(
                engine,
                unit=self._unit(),
                budget=budget,
                ledger=_book(book, analyst, key_file),
                analyst=analyst,
                dataset=dataset,
                **terms,
            )

    def _refuse_terms(self) -> None:
        for name, value in self.given.items():
            if value is not None:
                raise InvalidParameter(f"the policy says what {name} is, and only the owner changes it: leave it out")

    def _file(self) -> str:
        if self.file is None:
            raise InvalidParameter("name a file and a question, or a --policy that names the file")
        return self.file

    def _unit(self) -> str:
        if self.given["unit"] is None:
            raise InvalidParameter("say who is protected: --unit and a column that names people, or row; or --policy")
        return str(self.given["unit"])

    def _of(self, columns: dict[str, str]) -> dict[str, Any]:
        """The terms with every key in the type of its column."""
        from dalenius.sql import key_from_text

        kinds = {name.lower(): kind for name, kind in columns.items()}
        keys = {
            name: [key_from_text(value, kinds.get(name.lower(), "VARCHAR")) for value in values]
            for name, values in (self.given["keys"] or {}).items()
        }
        return {name: self.given[name] for name in ("contributions", "bounds", "fill")} | {"keys": keys}


@contextmanager
def doubts_said() -> Iterator[None]:
    """Say what is doubtful about a policy on stderr, a line each, in place of Python's warnings."""
    from dalenius.sql import PolicyWarning

    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always", PolicyWarning)
        yield
    for doubt in doubts:
        if issubclass(doubt.category, PolicyWarning):
            say(f"warning: {doubt.message}", err=True)
        else:
            warnings.warn_explicit(doubt.message, doubt.category, doubt.filename, doubt.lineno)


def terms_of(
    asked: list[str],
    policy: Path | None,
    unit: str | None,
    contributions: int | None,
    bounds: list[str] | None,
    keys: list[str] | None,
    columns: list[str] | None,
    fill: list[str] | None,
    table: str | None,
) -> TypedTerms:
    """The options as terms; one that is written wrongly is misuse."""
    if not 1 <= len(asked) <= 2:
        raise typer.BadParameter("give a file and one question (in quotes), or a policy and one question")
    given = {
        **{"unit": unit, "contributions": contributions, "table": table},
        "bounds": _named(bounds, "--bounds", "amount=0:200", _ends),
        "keys": _named(keys, "--keys", "category=food,toys", _listed),
        "columns": _named(columns, "--column", "amount=DOUBLE", str.upper),
        "fill": _named(fill, "--fill", "amount=0", str),
    }
    return TypedTerms(asked[0] if len(asked) == 2 else None, asked[-1], policy, given)


def columns_of(columns: list[str] | None) -> dict[str, str] | None:
    """The declared types of a CSV."""
    return _named(columns, "--column", "amount=DOUBLE", str.upper)


def named_texts(texts: list[str] | None, option: str, example: str) -> dict[str, str]:
    """An option that says a text by name, several times."""
    return _named(texts, option, example, str) or {}


def _named(texts: list[str] | None, option: str, example: str, read: Any) -> dict[str, Any] | None:
    by_name: dict[str, Any] = {}
    for text in texts or []:
        name, _, value = text.partition("=")
        if not name or not value or (number := read(value)) is None:
            raise typer.BadParameter(f"write it like {example}, got {text!r}", param_hint=option)
        if name in by_name:
            raise typer.BadParameter(f"{name!r} is declared twice", param_hint=option)
        by_name[name] = number
    return by_name or None


def _ends(text: str) -> tuple[str, str] | None:
    low, colon, high = text.partition(":")
    return (low, high) if colon and low and high else None


def _listed(text: str) -> list[str]:
    """Values as in one line of a CSV: one with a comma stands in double quotes."""
    return next(csv.reader([text]))


def _folder(file: str) -> Path:
    return Path(file).parent if Path(file).is_file() else Path()


def _book(ledger: Path, analyst: str | None, key_file: Path | None) -> "Ledger":
    from dalenius.ledger import Ledger

    return Ledger.open(ledger, key_file).acting(analyst, "command line")


def _refuse_lost(ledger: Path, *, granted: bool) -> None:
    """A ledger that is not there is a mistake, unless a budget was granted to begin it with."""
    if not granted and not ledger.exists():
        raise InvalidParameter(
            f"there is no ledger {str(ledger)!r}: the owner grants a --budget once, and it is kept there"
        )
