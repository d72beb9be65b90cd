"""Stored answers, encrypted at rest under the owner's key.

*What is hidden.* An answer is stored as AES-256-GCM makes it, with a random nonce of 96 bits (for up to 2³² answers a
key) and the receipt as associated data, so that it opens in its own place only. The chain names an answer by a
hash, and a plain hash would give it away: a count has few values, and each can be tried. So 32 random bytes go before
the answer, inside of the encryption, and the chain names the hash of both. It hides the answer from who lacks the key,
it binds who has it (two answers with one hash are a collision of SHA-256), and it does not depend on the key: answers
are encrypted anew under another key without a change to the chain. Answers that were stored before the ledger was
encrypted keep the plain hash that the chain named then. Texts, purposes, prices and names in the chain are not hidden.

*What is not lost.* Budgets need no key: they are read, verified and decided on without one. What needs one, an answer
that is to be stored or shown, is refused by name before anything is charged. A key that is lost loses the answers under
it and gives no budget back: what was charged stays charged.
"""

import hashlib
import os
from collections.abc import Iterable

from dalenius.errors import LedgerCorrupted, LedgerLocked, LedgerMismatch
from dalenius.ledger import facts as of
from dalenius.ledger.encryption_keys import EncryptionKey
from dalenius.ledger.facts import LedgerFacts

_MAGIC = b"\x00dalenius answer 1\x00"
_ID, _NONCE, _SALT = 8, 12, 32


class AnswerKeys:
    """The keys that a ledger was opened with; the first is the one to encrypt under."""

    def __init__(self, keys: Iterable[EncryptionKey] = ()) -> None:
        self._keys = {key.id: key for key in keys}

    @property
    def first(self) -> EncryptionKey | None:
        """The key to encrypt under."""
        return next(iter(self._keys.values()), None)

    def check(self, book: LedgerFacts, dataset: str) -> None:
        """Refuse to charge for an answer that could not be stored as the owner wants it, or not be read again."""
        wanted = book.fact(dataset, of.ENCRYPTED)
        if wanted is None and self._keys:
            raise LedgerMismatch(
                f"a key was given, and the answers of {dataset!r} are not encrypted: encrypt the ledger once "
                "(ledger.encrypt()), or leave the key out"
            )
        if wanted is not None and wanted not in self._keys:
            given = f"another key ({self.first.id})" if self.first else "no key"
            raise LedgerLocked(
                f"the answers of {dataset!r} are encrypted under the key {wanted}, and {given} was given: "
                "open the ledger with that key; budgets can be seen and decided on without it"
            )

    def close(self, book: LedgerFacts, dataset: str, receipt: str, payload: bytes) -> tuple[bytes, str]:
        """An answer as it is stored, and what the chain names it by."""
        self.check(book, dataset)
        wanted = book.fact(dataset, of.ENCRYPTED)
        salt = b"" if wanted is None else os.urandom(_SALT)
        digest = hashlib.sha256(salt + payload).hexdigest()
        return payload if wanted is None else _sealed(self._keys[wanted], receipt, salt, payload), digest

    def open(self, book: LedgerFacts, dataset: str, receipt: str, stored: bytes) -> bytes:
        """The answer that is stored under a receipt; a plain one among encrypted ones was put there by hand."""
        if key_of(stored) is None and book.fact(dataset, of.ENCRYPTED) is not None:
            raise LedgerCorrupted("a stored release is not encrypted as the chain says")
        return self.open_salted(receipt, stored)[1]

    def open_salted(self, receipt: str, stored: bytes) -> tuple[bytes, bytes]:
        """What goes before the answer in its hash, and the answer."""
        id_ = key_of(stored)
        if id_ is None:
            return b"", stored
        if id_ not in self._keys:
            raise LedgerLocked(
                f"this answer is encrypted under the key {id_}, which was not given: open the ledger with it, or, if "
                "it is lost, draw and pay again with fresh=True"
            )
        return _opened(self._keys[id_], receipt, stored)

    def seal_again(self, receipt: str, stored: bytes) -> bytes:
        """The same answer under the first key, named by the same hash."""
        assert self.first is not None
        return _sealed(self.first, receipt, *self.open_salted(receipt, stored))

    def has(self, id_: str | None) -> bool:
        """Whether what is stored under a key can be opened; None is no key."""
        return id_ is None or id_ in self._keys

    def check_stored(self, book: LedgerFacts, dataset: str, receipt: str, stored: bytes, digest: str) -> None:
        """LedgerCorrupted unless an answer is the one that the chain names, as far as the given keys open it."""
        id_, wanted = key_of(stored), book.fact(dataset, of.ENCRYPTED)
        if id_ != wanted and (id_ is None or book.fact(dataset, of.LOST_KEY, id_) is None):
            raise LedgerCorrupted("a stored release is not encrypted as the chain says")
        if self.has(id_) and hashlib.sha256(b"".join(self.open_salted(receipt, stored))).hexdigest() != digest:
            raise LedgerCorrupted("a stored release was changed after it was written")


def key_of(stored: bytes) -> str | None:
    """The id of the key that an answer is stored under; None if it is plain."""
    begin = len(_MAGIC)
    return stored[begin : begin + _ID].hex() if stored.startswith(_MAGIC) else None


def _sealed(key: EncryptionKey, receipt: str, salt: bytes, payload: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE)
    inner = bytes([len(salt)]) + salt + payload
    return _MAGIC + bytes.fromhex(key.id) + nonce + AESGCM(key.secret).encrypt(nonce, inner, _place(receipt))


def _opened(key: EncryptionKey, receipt: str, stored: bytes) -> tuple[bytes, bytes]:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    begin = len(_MAGIC) + _ID
    nonce, sealed = stored[begin : begin + _NONCE], stored[begin + _NONCE :]
    try:
        inner = AESGCM(key.secret).decrypt(nonce, sealed, _place(receipt))
        if inner[0] not in (0, _SALT):
            raise ValueError
    except (InvalidTag, ValueError, IndexError):
        raise LedgerCorrupted("a stored release was changed after it was written") from None
    return inner[1 : 1 + inner[0]], inner[1 + inner[0] :]


def _place(receipt: str) -> bytes:
    return _MAGIC + receipt.encode()
