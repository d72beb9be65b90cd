import hashlib

import pytest

from dalenius.errors import LedgerCorrupted, LedgerLocked, LedgerMismatch
from dalenius.ledger.encryption_keys import EncryptionKey
from dalenius.ledger.facts import ENCRYPTED, RecomputedFacts
from dalenius.ledger.sealing import AnswerKeys, key_of

ONE, OTHER = EncryptionKey(b"1" * 32), EncryptionKey(b"2" * 32)
PLAIN = b'{"value":17}'


def encrypted(key=ONE):
    book = RecomputedFacts()
    book.put_fact("people", ENCRYPTED, "", key.id)
    return book


def test_an_answer_opens_under_its_key_and_in_its_place_alone():
    stored, digest = AnswerKeys([ONE]).close(encrypted(), "people", "receipt", PLAIN)
    assert key_of(stored) == ONE.id
    assert PLAIN not in stored
    assert AnswerKeys([OTHER, ONE]).open(encrypted(), "people", "receipt", stored) == PLAIN
    with pytest.raises(LedgerLocked, match=ONE.id):
        AnswerKeys([OTHER]).open(encrypted(), "people", "receipt", stored)
    with pytest.raises(LedgerCorrupted, match="changed"):
        AnswerKeys([ONE]).open(encrypted(), "people", "another receipt", stored)
    assert len(digest) == 64


def test_every_changed_byte_is_found():
    ring, book = AnswerKeys([ONE]), encrypted()
    stored, digest = ring.close(book, "people", "receipt", PLAIN)
    ring.check_stored(book, "people", "receipt", stored, digest)
    for place in range(len(stored)):
        changed = bytearray(stored)
        changed[place] ^= 1
        with pytest.raises(LedgerCorrupted):
            ring.check_stored(book, "people", "receipt", bytes(changed), digest)
    for cut in (b"", stored[:-1], stored[:30], PLAIN):
        with pytest.raises(LedgerCorrupted):
            ring.check_stored(book, "people", "receipt", cut, digest)


def test_the_hash_in_the_chain_does_not_give_a_small_answer_away_and_still_binds_it():
    ring, book = AnswerKeys([ONE]), encrypted()
    (one, first), (_, second) = (ring.close(book, "people", "receipt", PLAIN) for _ in range(2))
    assert first != second  # a plain hash would be the same for the same answer: each value could be tried
    guesses = {hashlib.sha256(b'{"value":%d}' % value).hexdigest() for value in range(1000)}
    assert first not in guesses
    with pytest.raises(LedgerCorrupted, match="changed"):
        ring.check_stored(book, "people", "receipt", one, second)


def test_the_same_answer_under_another_key_keeps_its_hash():
    book = encrypted()
    stored, digest = AnswerKeys([ONE]).close(book, "people", "receipt", PLAIN)
    both = AnswerKeys([OTHER, ONE])
    again = both.seal_again("receipt", stored)
    assert key_of(again) == OTHER.id
    AnswerKeys([OTHER]).check_stored(encrypted(OTHER), "people", "receipt", again, digest)
    old = both.seal_again("receipt", PLAIN)  # one that was plain
    AnswerKeys([OTHER]).check_stored(encrypted(OTHER), "people", "receipt", old, hashlib.sha256(PLAIN).hexdigest())


def test_who_cannot_store_an_answer_as_the_owner_wants_it_is_refused():
    AnswerKeys().check(RecomputedFacts(), "people")
    AnswerKeys([OTHER, ONE]).check(encrypted(), "people")
    with pytest.raises(LedgerLocked, match="no key was given"):
        AnswerKeys().check(encrypted(), "people")
    with pytest.raises(LedgerLocked, match=f"another key \\({OTHER.id}\\)"):
        AnswerKeys([OTHER]).check(encrypted(), "people")
    with pytest.raises(LedgerMismatch, match="not encrypted"):
        AnswerKeys([ONE]).check(RecomputedFacts(), "people")


def test_a_plain_answer_where_answers_are_encrypted_was_put_there():
    digest = hashlib.sha256(PLAIN).hexdigest()
    with pytest.raises(LedgerCorrupted, match="not encrypted as the chain says"):
        AnswerKeys().check_stored(encrypted(), "people", "receipt", PLAIN, digest)
    with pytest.raises(LedgerCorrupted, match="not encrypted as the chain says"):
        AnswerKeys([ONE]).open(encrypted(), "people", "receipt", PLAIN)
    stored, digest = AnswerKeys([ONE]).close(encrypted(), "people", "receipt", PLAIN)
    with pytest.raises(LedgerCorrupted, match="not encrypted as the chain says"):
        AnswerKeys().check_stored(RecomputedFacts(), "people", "receipt", stored, digest)
