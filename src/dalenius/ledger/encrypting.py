"""The owner's decision to keep answers encrypted, and under which key."""

from dalenius.errors import InvalidParameter, LedgerLocked
from dalenius.ledger import facts, kinds
from dalenius.ledger.books import Books
from dalenius.ledger.sealing import key_of
from dalenius.ledger.store import Records


class Encrypting(Books):
    """Answers under the owner's key."""

    def encrypt(self, *, lost: bool = False) -> int:
        """Encrypt every stored answer, and all that come, under the key that the ledger was opened with.

        For plain answers, and for a change of keys: `Ledger.open(path, [new, old]).encrypt()`. Nothing is charged, no
        answer changes, and every receipt keeps its hash; it is one transaction. Returns how many answers were written
        anew.

        Args:
            lost: whether the keys that were not given are lost. Answers under them stay where they are, unreadable;
                their questions are new ones from now on, and must be paid again. The budget that they cost is spent.
        """
        first = self._answers.first
        if first is None:
            raise InvalidParameter("to encrypt answers, open the ledger with a key: Ledger.open(path, key)")
        with self._store.transaction() as records:
            releases = {receipt: records.release(receipt) or b"" for receipt in records.receipts()}
            names = records.datasets()
            given_up = {id_ for name in names for id_, _ in records.facts(name, facts.LOST_KEY)}
            under = {id_ for stored in releases.values() if (id_ := key_of(stored)) is not None}
            unknown = sorted(id_ for id_ in under - given_up if not self._answers.has(id_))
            if unknown and not lost:
                raise LedgerLocked(
                    f"some answers are encrypted under the key {unknown[0]}, which was not given: give it after the "
                    "new one, or say that it is lost"
                )
            kept_under = {receipt: key_of(stored) for receipt, stored in releases.items()}
            moved = [one for one, id_ in kept_under.items() if self._answers.has(id_) and id_ != first.id]
            for receipt in moved:
                records.replace_release(receipt, self._answers.seal_again(receipt, releases[receipt]))
            for name in names:
                self._say_encrypted(records, name, first.id, unknown)
        return len(moved)

    def locked_answers(self) -> int:
        """How many stored answers no given key opens: those that `verify` took unread."""
        with self._store.reading() as records:
            stored = (records.release(receipt) or b"" for receipt in records.receipts())
            return sum(not self._answers.has(key_of(each)) for each in stored)

    def _common_key(self, records: Records) -> str | None:
        """The key of a new data set's answers: that of the others; of the first data set, the one that was given."""
        used = [key for name in records.datasets() if (key := records.fact(name, facts.ENCRYPTED)) is not None]
        if used or len(records.datasets()) > 1:
            return next(iter(used), None)
        return None if self._answers.first is None else self._answers.first.id

    def _say_encrypted(self, records: Records, dataset: str, id_: str, lost: list[str]) -> None:
        if lost or records.fact(dataset, facts.ENCRYPTED) != id_:
            self._append(records, kinds.ENCRYPT, dataset, {"encrypted_under": id_, "lost_keys": lost})
