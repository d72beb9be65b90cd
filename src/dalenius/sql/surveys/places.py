"""Which tables the files and folders are that an owner points at."""

from collections.abc import Sequence
from pathlib import Path

from dalenius.errors import InvalidParameter
from dalenius.sql.engine import FILE_KINDS, kind_of_file, name_of_place


def table_places(files: Sequence[str]) -> dict[str, str]:
    """Tables by name. A folder of files with like names is one table, any other one for each file."""
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
    names = {_without_period(one) for one in tables}
    if len(tables) > 1 and len(names) == 1 and all(one.is_file() for one in tables):
        return [file]  # visits_2024_01.csv, visits_2024_02.csv, …
    return [str(one) for one in tables]


def _without_period(file: Path) -> str:
    """A name without the digits that tell of which month a file is."""
    stem = name_of_place(str(file))
    return "".join(letter for letter in stem.lower() if not letter.isdigit() and letter not in "-_. ")
