"""Which tables the files and folders are that an owner points at."""

from collections.abc import Sequence
from pathlib import Path

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.sql.engine import FILE_KINDS, kind_of_file, name_of_place

_TEXTS = (".csv", ".tsv", ".txt")
_LONGEST_HEAD = 1 << 20


@named_arguments
def table_places(files: Sequence[str]) -> dict[str, str]:
    """Tables by name. Files of a folder with like names and columns, such as months, are one table."""
    places: dict[str, str] = {}
    for file in files:
        for place in _tables_in(file):
            name = name_of_place(place)
            if name.lower() in {taken.lower() for taken in places}:
                raise InvalidParameter(f"two tables would be called {name!r}: rename a file")
            places[name] = place
    if not places:
        raise InvalidParameter(f"there is no file of a table in {', '.join(map(repr, files))}")
    return places


def _tables_in(file: str) -> list[str]:
    if not Path(file).is_dir():
        return [file]
    held = [one for one in sorted(Path(file).iterdir()) if not one.name.startswith((".", "_"))]
    tables = [one for one in held if one.is_dir() or (one.is_file() and kind_of_file(one) in FILE_KINDS)]
    groups: dict[tuple[str, str], list[Path]] = {}
    for one in tables:
        groups.setdefault((_without_period(one), _head(one)), []).append(one)
    if len(groups) == 1 and len(tables) > 1 and all(one.is_file() for one in tables):
        return [file]  # visits_2024_01.csv, visits_2024_02.csv, …
    return [place for group in groups.values() for place in _places_of(group)]


def _places_of(group: list[Path]) -> list[str]:
    """One pattern for files of several months beside other tables, where it names these files and no other."""
    first = group[0]
    stem = first.name[: next((place for place, letter in enumerate(first.name) if letter.isdigit()), 0)].rstrip("-_. ")
    pattern = f"{stem}*{''.join(first.suffixes[-2:]) if len(first.suffixes) > 1 else first.suffix}"
    plain = stem and not any(mark in first.name for mark in "*?[")
    if len(group) > 1 and plain and sorted(first.parent.glob(pattern)) == group:
        return [str(first.parent / pattern)]
    return [str(one) for one in group]


def _head(file: Path) -> str:
    """The first line of a CSV: files with other columns are other tables, however alike their names are."""
    if kind_of_file(file) not in _TEXTS or not file.is_file() or file.suffix.lower() not in _TEXTS:
        return kind_of_file(file)
    with file.open("rb") as opened:
        return opened.readline(_LONGEST_HEAD).decode("latin-1").strip()


def _without_period(file: Path) -> str:
    """A name without the digits that tell of which month a file is."""
    stem = name_of_place(str(file))
    return "".join(letter for letter in stem.lower() if not letter.isdigit() and letter not in "-_. ")
