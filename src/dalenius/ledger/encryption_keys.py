"""Keys of the owner's, under which stored answers are encrypted, and the files that they are kept in."""

import base64
import binascii
import hashlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter

_BYTES = 32
_BEGIN = "dalenius-key-1 "


@dataclass(frozen=True, slots=True)
class EncryptionKey:
    """A secret of 256 bits; `id` names it in entries and messages, and tells nothing of it.

    >>> EncryptionKey(bytes(32))  # the secret is not shown
    EncryptionKey()
    """

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.secret, bytes) or len(self.secret) != _BYTES:
            raise InvalidParameter(f"a key has {_BYTES} bytes; make one with new_encryption_key(path)")

    @property
    def id(self) -> str:
        """Sixteen digits of a one-way hash."""
        return hashlib.blake2b(self.secret, digest_size=8, person=b"dalenius key 1").hexdigest()


EncryptionKeys = EncryptionKey | str | Path | Iterable[EncryptionKey | str | Path] | None
"""What a caller may give: a key or its file, several of them (the first is the one to encrypt under), or none."""


@named_arguments
def new_encryption_key(path: str | Path) -> EncryptionKey:
    """Make a key and write it to a new file, for its owner alone. Who loses it loses the answers, never the budget."""
    key = EncryptionKey(os.urandom(_BYTES))
    text = f"{_BEGIN}{base64.urlsafe_b64encode(key.secret).decode()}\n"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InvalidParameter(f"{str(path)!r} is there already; a key is never written over another file") from None
    except OSError as fault:
        raise InvalidParameter(f"the key cannot be written to {str(path)!r}: {fault.strerror}") from None
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return key


def read_keys(given: EncryptionKeys) -> tuple[EncryptionKey, ...]:
    """The keys that a caller gave, each as it is or by its file."""
    if given is None:
        return ()
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    keys = tuple(one if isinstance(one, EncryptionKey) else _read(one) for one in several)
    if not keys:
        raise InvalidParameter("key must be a key, its file, or several of them; leave it out where there is none")
    return keys


def _read(path: Any) -> EncryptionKey:
    """The key in a file; a message never holds what the file does."""
    if not isinstance(path, str | Path):
        raise InvalidParameter(f"key must be a key or the path of its file, got {type(path).__name__}")
    try:
        with Path(path).open("rb") as file:
            status, content = os.fstat(file.fileno()), file.read(200)
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or "no such file"
        raise InvalidParameter(f"the key file {str(path)!r:.200} cannot be read: {reason}") from None
    if os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o077:
        raise InvalidParameter(
            f"the key file {str(path)!r} may be read by others: chmod go= it, and think of a new key"
        )
    begin, text = _BEGIN.encode(), content.strip()
    try:
        return EncryptionKey(base64.b64decode(text.removeprefix(begin), altchars=b"-_", validate=True))
    except (binascii.Error, InvalidParameter):
        failed = InvalidParameter(f"{str(path)!r} is no key file; make one with: dalenius ledger new-key FILE")
    raise failed
