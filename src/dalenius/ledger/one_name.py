"""A ledger's file must have one name: SQLite keeps the log beside the *name*, so two names have two logs.

Then neither log has the charges of the other, and each name grants the whole budget.
"""

import os
import re
from pathlib import Path

from dalenius.errors import LedgerUnavailable

Place = tuple[int, int] | None
"""Device and inode that a name leads to; None if it leads to nothing."""
_MOUNTS = Path("/proc/self/mountinfo")
_REMEDY = "SQLite's log lies beside the name, so charges by another name would not be seen"


def names(file: Path) -> tuple[Path, Path]:
    """The ledger and its log, where SQLite opens them: behind symbolic links."""
    real = file.resolve()
    return real, Path(f"{real}-wal")


class OpenedNames:
    """The names of a ledger and of its log at its opening, and which files they led to.

    A ledger or a log with a second name, by a hard link or a mount of the file, is refused, as far as `stat` tells.
    This is looked at before and after every charge, so the names are resolved once: that the first name still leads to
    the same file, and that the file and its log are still where SQLite opened them, is all that resolving would tell.
    """

    def __init__(self, file: Path, shown: Path) -> None:
        self._shown = shown
        self._real, self._log = names(file)
        self._folder = self._real.parent
        self._names = tuple(dict.fromkeys((file, self._real, self._log)))
        self._places = self._looked_up()

    def are_the_same(self) -> bool:
        """Whether every name leads to the file that it led to."""
        return self._looked_up() == self._places

    def _looked_up(self) -> tuple[Place, ...]:
        folder = _status(self._folder)
        return tuple(_place(name, folder, self._shown) for name in self._names)


def _place(name: Path, folder: os.stat_result | None, shown: Path) -> Place:
    status = _status(name)
    if status is None:
        return None
    if status.st_nlink > 1:
        raise LedgerUnavailable(
            f"the ledger {shown} cannot be used: it has a second name (a hard link), and {_REMEDY}; remove the "
            "other name, and make copies, not links, for backups"
        )
    if folder is not None and status.st_dev != folder.st_dev:
        raise _mounted(shown)
    return status.st_dev, status.st_ino


def _status(name: Path) -> os.stat_result | None:
    try:
        return name.stat()
    except OSError:
        return None


def check_mounts(file: Path, shown: Path) -> None:
    """Refuse a ledger or a log that was mounted as a single file, also from the same disk."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return  # other systems have no such list, and mount folders only
    mounted = {_unescaped(fields[4]) for line in lines if len(fields := line.split(" ")) > 4}
    if any(str(name) in mounted for name in names(file)):
        raise _mounted(shown)


def _mounted(shown: Path) -> LedgerUnavailable:
    return LedgerUnavailable(
        f"the ledger {shown} cannot be used: it was mounted as a single file, and {_REMEDY}; mount its folder"
    )


def _unescaped(point: str) -> str:
    """A mount point as it is; blanks and backslashes are written there as three octal digits."""
    return re.sub(r"\\([0-7]{3})", lambda escape: chr(int(escape[1], 8)), point)
