"""Care for a ledger's file: copies, putting one back, checking, making it small, and encrypting its answers.

A copy that is put back has forgotten what was charged after it was made. So it is only taken as it is if it holds the
last head that its owner knows of; otherwise every budget in it counts as spent, and every key in it is revoked.
"""

import os
import sqlite3
from pathlib import Path

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter, LedgerUnavailable
from dalenius.ledger.encryption_keys import EncryptionKeys
from dalenius.ledger.ledger import Ledger


@named_arguments
def backup(ledger: str | Path, copy: str | Path) -> tuple[int, str]:
    """Write a verified copy of a ledger, also while others charge it; its length, and the head to keep elsewhere.

    The head is that of the ledger just before it was copied, so both hold it, whatever was charged meanwhile.

    Args:
        ledger: the ledger's file.
        copy: a new file, for its owner alone.
    """
    source, target = _existing(ledger), Path(copy)
    if target.exists():
        raise InvalidParameter(f"{str(target)!r} is there already; a copy is never written over another file")
    opened = Ledger.open(source)
    try:
        length, head = opened.verify()
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        _copied(source, target)
    except (OSError, sqlite3.Error) as fault:
        if isinstance(fault, LedgerUnavailable):
            raise
        raise LedgerUnavailable(f"the copy {target} cannot be written: {fault}") from None
    finally:
        opened.close()
    check(target, head)
    return length, head


@named_arguments
def restore(copy: str | Path, ledger: str | Path, head: str | None = None) -> bool:
    """Put a copy back where there is no ledger; whether all its budgets go on, or some count as spent.

    Args:
        copy: the copy.
        ledger: where the ledger was; a file that is still there is left alone, and the copy is refused.
        head: the head of the last receipt or `verify` that the owner knows of. If the copy lacks it, or none is known,
            nobody knows what was charged since, and every budget counts as spent. The head of a receipt speaks for the
            chain of its own data set alone: where there are others, theirs count as spent.
    """
    source, target = _existing(copy), Path(ledger)
    partial = target.with_name(f"{target.name}.restoring")
    # SQLite would play a log that was left beside the name into the copy, whatever ledger the log is of
    for place in (target, Path(f"{target}-wal"), Path(f"{target}-journal"), partial):
        if place.exists() or place.is_symlink():
            raise InvalidParameter(f"{str(place)!r} is there: move it away before a copy is put in its place")
    check(source)
    try:
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        _copied(source, partial)
    except (OSError, sqlite3.Error) as fault:
        partial.unlink(missing_ok=True)
        raise LedgerUnavailable(f"the copy cannot be put back to {target}: {fault}") from None
    book = Ledger.open(partial)
    known = [] if head is None else book.bound_by(head)
    unknown = [name for name in book.datasets() if name not in known]
    for name in unknown:
        book.write_off(name, "the ledger was put back from a copy that may lack charges")
    for key in book.all_keys() if unknown else []:
        if not key.revoked:  # perhaps it was, after the copy was made
            book.revoke_key(key.fingerprint)
    book.close()  # SQLite empties and removes the log: the file is whole
    partial.rename(target)
    return not unknown


@named_arguments
def check(ledger: str | Path, head: str | None = None, encryption_key: EncryptionKeys = None) -> tuple[int, str]:
    """Verify a ledger that is there: its length, and the head to keep elsewhere. With the key, answers too."""
    book = Ledger.open(_existing(ledger), encryption_key)
    try:
        return book.verify(head)
    finally:
        book.close()


@named_arguments
def compact(ledger: str | Path) -> tuple[int, int]:
    """Give the disk back what a ledger's file no longer uses; its size before and after. No entry is removed."""
    path = _existing(ledger)
    before = path.stat().st_size
    check(path)
    try:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
    except sqlite3.Error as fault:
        raise LedgerUnavailable(f"the ledger {path} cannot be made smaller now: {fault}") from None
    check(path)
    return before, path.stat().st_size


@named_arguments
def encrypt(ledger: str | Path, encryption_key: EncryptionKeys, *, lost: bool = False) -> int:
    """Encrypt a ledger's answers and leave no plain or old one in its file; how many were written anew.

    Copies that were made before, and the free space of the disk, still hold what the file held: remove or encrypt them.

    Args:
        ledger: the ledger's file.
        encryption_key: the new key, or its file; to change keys, the new one and then the old ones.
        lost: whether keys that are not given are lost: see `Ledger.encrypt`.
    """
    book = Ledger.open(_existing(ledger), encryption_key)
    try:
        written = book.encrypt(lost=lost)
        book.verify()
    finally:
        book.close()
    try:
        compact(ledger)  # the file's unused pages and its log held the answers as they were
    except LedgerUnavailable as fault:
        raise LedgerUnavailable(
            f"the answers are encrypted; but the file may still hold the old ones where it is unused, until compact "
            f"succeeds: {fault}"
        ) from None
    return written


def _copied(source: Path, target: Path) -> None:
    """SQLite's own way of copying: one state of the file, whoever writes to it meanwhile."""
    one, other = sqlite3.connect(source), sqlite3.connect(target)
    try:
        one.backup(other)
    finally:
        other.close()
        one.close()


def _existing(ledger: str | Path) -> Path:
    path = Path(ledger)
    if not path.is_file():
        raise LedgerUnavailable(f"there is no ledger {str(path)!r}")
    return path
