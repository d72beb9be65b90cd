"""Where a prepared table is kept: a folder of its owner's alone, with a key, the table, and a seal.

The seal is a keyed hash of the table's bytes, of the statement that made it, and of the bytes that it was made from. So
a table that is damaged, comes from elsewhere, was made from other data or under other terms does not bear the seal, and
is made anew: it is never read. Nothing is public here: an unkeyed hash of data would let anyone test a guess of it.
"""

import contextlib
import hashlib
import hmac
import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits
from dalenius.sql.engine import Default

try:
    import fcntl
except ImportError:  # pragma: no cover - not on this system: two who prepare at once both do the work
    fcntl = None  # type: ignore[assignment]

_KEY_BYTES = 32
_BLOCK = 1 << 20
_PREFIX = "table-"

Signature = tuple[tuple[int, int, int, int] | None, ...]
"""What tells cheaply that files have not been touched: size, times of change and number of each."""


def signature(paths: tuple[str, ...]) -> Signature:
    """The files as they are now."""
    signatures: list[tuple[int, int, int, int] | None] = []
    for path in paths:
        try:
            status = Path(path).stat()
        except OSError:
            signatures.append(None)
        else:
            signatures.append((status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino))
    return tuple(signatures)


class Sidecar:
    """A folder that only its owner can read."""

    __slots__ = ("folder", "key", "suffix")

    def __init__(self, folder: str | Path, bits: Bits, suffix: str = Default.suffix) -> None:
        self.folder, self.suffix = Path(folder), suffix
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            _check_private(self.folder.lstat(), self.folder.name, stat.S_ISDIR)
            self.key = self._key(bits)
        except OSError:
            failed = InvalidParameter(f"the folder {str(folder)!r} cannot be used: give prepare() one that you own")
        else:
            return
        raise failed

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One at a time."""
        handle = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600)
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def read_key(self, bits: Bits, new: bool = False) -> None:
        """Take the key that is there, which another process may have renewed; or renew it: for who holds the lock.

        With the old key goes the table that it chose: the seal of the one that is made next is under the new key.
        """
        if new:
            _write(self.folder / "key", bits.octets(_KEY_BYTES).tobytes(), bits)
            (self.folder / "seal").unlink(missing_ok=True)
        self.key = self._key(bits)

    def sealed(self, facts: bytes) -> Path | None:
        """The table, if it is whole and was made from just these facts."""
        try:
            content = json.loads((self.folder / "seal").read_bytes())
            name, seal = content["table"], content["seal"]
            if not (isinstance(name, str) and isinstance(seal, str)) or Path(name).name != name:
                return None
            table = self.folder / name
            _check_private(table.lstat(), name, stat.S_ISREG)
            expected = self._seal(table, facts)
        except (OSError, ValueError, KeyError, TypeError, InvalidParameter):
            return None
        return table if hmac.compare_digest(expected, seal) else None

    def write(self, facts: bytes, build: Callable[[Path], None], bits: Bits) -> Path:
        """Build a table under a new name, then seal it; a crash leaves the one before, or none."""
        table = self.folder / f"{_PREFIX}{bits.octets(16).tobytes().hex()}{self.suffix}"
        try:
            build(table)
            table.chmod(0o600)
            _sync(table)
            seal = {"table": table.name, "seal": self._seal(table, facts)}
            _write(self.folder / "seal", json.dumps(seal).encode(), bits)
        except BaseException:
            table.unlink(missing_ok=True)
            raise
        for other in self.folder.glob(f"{_PREFIX}*"):
            if other != table:
                with contextlib.suppress(OSError):
                    other.unlink()
        return table

    def _seal(self, table: Path, facts: bytes) -> str:
        digest = hashlib.blake2b(key=self.key, digest_size=32, person=b"dalenius side 1")
        digest.update(hashlib.blake2b(facts, digest_size=32).digest())
        with table.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        return digest.hexdigest()

    def _key(self, bits: Bits) -> bytes:
        place = self.folder / "key"
        if not place.exists():
            with contextlib.suppress(FileExistsError):
                handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600)
                with os.fdopen(handle, "wb") as file:
                    file.write(bits.octets(_KEY_BYTES).tobytes())
                    file.flush()
                    os.fsync(file.fileno())
        handle = os.open(place, os.O_RDONLY | _NO_LINK)
        with os.fdopen(handle, "rb") as file:
            _check_private(os.fstat(file.fileno()), "key", stat.S_ISREG)
            key = file.read(_KEY_BYTES + 1)
        if len(key) != _KEY_BYTES:
            raise InvalidParameter("the key of the prepared table is damaged: remove its folder and prepare again")
        return key


_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def facts_of(statement: str, select: str, paths: tuple[str, ...]) -> bytes:
    """What a prepared table is made from: how, and from which bytes."""
    digest = hashlib.sha256()
    for text in (statement, select):
        digest.update(hashlib.sha256(text.encode()).digest())
    for path in paths:
        for place in (Path(path), Path(f"{path}.wal")):  # a database may keep its last changes beside it
            inner = hashlib.sha256()
            if place.exists():
                with place.open("rb") as file:
                    while block := file.read(_BLOCK):
                        inner.update(block)
            digest.update(inner.digest())
    return digest.digest()


def _check_private(status: os.stat_result, name: str, kind: Callable[[int], bool]) -> None:
    if not kind(status.st_mode):
        raise InvalidParameter(f"{name!r} of the prepared table is not what it should be: remove its folder")
    if os.name == "posix" and (status.st_mode & 0o077 or status.st_uid != os.geteuid()):
        raise InvalidParameter(f"{name!r} of the prepared table must be its owner's alone: chmod go= it")


def _write(place: Path, content: bytes, bits: Bits) -> None:
    part = place.with_name(f"part-{bits.octets(8).tobytes().hex()}")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(place)


def _sync(place: Path) -> None:
    with place.open("rb") as file:
        os.fsync(file.fileno())
