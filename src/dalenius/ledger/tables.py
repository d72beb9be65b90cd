"""Which tables a data set is made of: one budget pays for all of them, and no other budget for any."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dalenius.errors import InvalidParameter, LedgerMismatch
from dalenius.ledger import facts as of
from dalenius.ledger.blocks import is_text
from dalenius.ledger.facts import LedgerFacts
from dalenius.ledger.store import Records

_INSIDE = "\n"


@dataclass(frozen=True, slots=True)
class TableIdentity:
    """What makes a table the same one under another alias: the name its owner gave it, and the files it is read from.

    `files` maps each file's resolved path to its device and inode; where the file is a database, both are followed by
    the name of the table inside. A frame has no file: only its name is known.
    """

    name: str
    files: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, paths: Iterable[str | Path] = (), inside: str = "") -> "TableIdentity":
        """The identity of a table that is read from these files, or from the table `inside` of a database file."""
        if not is_text(name) or not name:
            raise InvalidParameter(f"a table needs a name, got {name!r}")
        end = f"{_INSIDE}{inside.lower()}" if inside else ""
        inodes = {_written(Path(path).resolve()): _inode(path) for path in paths}
        return cls(name, {f"{path}{end}": f"{inode}{end}" for path, inode in inodes.items()})

    def to_dict(self) -> dict[str, Any]:
        """As the chain keeps it; SQL names ignore case."""
        return {"table": self.name.lower(), "files": dict(self.files)}


def follow(book: LedgerFacts, dataset: str, body: Mapping[str, Any]) -> None:
    """Write what a link that adds tables to a data set changes."""
    for table in body["tables"]:
        book.put_fact(dataset, of.TABLE, table["table"], "")
        for path, inode in table["files"].items():
            book.put_fact(dataset, of.FILE, path, inode)


def not_recorded(records: Records, dataset: str, tables: Iterable[TableIdentity]) -> list[dict[str, Any]]:
    """Those of the tables that the data set is not known to have, or not with these files."""
    names, files = dict(records.facts(dataset, of.TABLE)), dict(records.facts(dataset, of.FILE))
    return [
        table.to_dict()
        for table in tables
        if table.name.lower() not in names or any(files.get(path) != inode for path, inode in table.files.items())
    ]


def check(
    records: Records, dataset: str, private: Iterable[TableIdentity], public: Iterable[TableIdentity] = ()
) -> None:
    """Refuse tables that another data set pays for, and public ones that any data set pays for.

    A data set's own name counts as a table's: before tables were recorded, a data set was named by its first one.
    """
    private, public = tuple(private), tuple(public)
    for other in records.datasets():
        names = {name for name, _ in records.facts(other, of.TABLE)} | ({other.lower()} - {dataset.lower()})
        files = dict(records.facts(other, of.FILE))
        for table in public if other == dataset else (*private, *public):
            if table.name.lower() not in names and not _among(files, table.files):
                continue
            if any(table is one for one in public):
                raise LedgerMismatch(
                    f"{table.name!r} is a private table of the data set {other!r} of this ledger, so it is not public: "
                    "leave it out of public=, or give a public table of that name another one"
                )
            raise LedgerMismatch(
                f"{table.name!r} is a table of the data set {other!r} of this ledger, and {dataset!r} does not pay for "
                f"it: open all tables of the same people with dataset={other!r}, or, if it is a table of other people, "
                "give it another name"
            )


def check_alone(records: Records, dataset: str, private: Iterable[TableIdentity]) -> None:
    """Refuse a second table of a secret sample, or more files of it: they were not drawn by the same coins."""
    listed = tuple(private)
    names = {name for name, _ in records.facts(dataset, of.TABLE)} | {table.name.lower() for table in listed}
    recorded, files = set(dict(records.facts(dataset, of.FILE))), {path for table in listed for path in table.files}
    if len(names) > 1 or (recorded and not files <= recorded):
        raise LedgerMismatch(
            f"{dataset!r} is a secret sample, which is one table that does not grow: other tables and files were not "
            "drawn by the same coins"
        )


def _among(recorded: Mapping[str, str], files: Mapping[str, str]) -> bool:
    """Whether one of the files is recorded: by its path, or by its inode under another path.

    A recorded path that leads to another inode by now was replaced, and its old inode may be anybody's.
    """
    paths = {inode: path for path, inode in recorded.items()}
    return any(path in recorded or _still(paths.get(inode), inode) for path, inode in files.items())


def _still(path: str | None, recorded: str) -> bool:
    if path is None:
        return False
    inode, _, inside = recorded.partition(_INSIDE)
    place = path.removesuffix(f"{_INSIDE}{inside}") if inside else path
    return _inode(place) in ("", inode)


def _inode(path: str | Path) -> str:
    """Device and inode; "" if there is no such file."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return ""
    return f"{status.st_dev}:{status.st_ino}"


def _written(path: Path) -> str:
    """A path as the chain can hold it: names of files need not be text."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
