import hashlib
import json
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from dalenius.errors import InvalidParameter, LedgerCorrupted, UnknownName
from dalenius.ledger import Ledger, Role, backup, restore

NOW = datetime(2026, 5, 1, tzinfo=UTC)


class Clock:
    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.ledger"


@pytest.fixture
def ledger(path, clock):
    book = Ledger.open(path)
    book._clock = clock
    for name in ("visits", "staff"):
        book.create(name, 1, unit=name)
    return book


def test_a_key_opens_its_data_sets_in_its_role_and_no_others(ledger):
    secret, made = ledger.create_key("ann", "analyst", ["visits"])
    key = ledger.holder(secret)
    assert (key.name, dict(key.roles), key.fingerprint) == ("ann", {"visits": Role.ANALYST}, made.fingerprint)
    assert (key.role("staff"), key.role("visits")) == (None, Role.ANALYST)


@pytest.mark.parametrize("wrong", ["", "dk_", "dk_" + "A" * 43, "\ud800", "x" * 10_000])
def test_a_text_that_is_no_key_opens_nothing(ledger, wrong):
    ledger.create_key("ann", Role.OWNER, "visits")
    assert ledger.holder(wrong) is None


def test_a_key_that_is_one_letter_off_opens_nothing(ledger):
    secret, _ = ledger.create_key("ann", Role.OWNER, "visits")
    for place in (3, 20, len(secret) - 2):
        assert ledger.holder(secret[:place] + chr(ord(secret[place]) ^ 1) + secret[place + 1 :]) is None


def test_no_byte_of_the_ledger_file_holds_a_key_and_no_log_holds_its_hash(ledger, path):
    secret, _ = ledger.create_key("ann", Role.ANALYST, ["visits", "staff"])
    ledger.close()
    assert secret.encode() not in path.read_bytes()
    told = json.dumps([entry.words for name in ("visits", "staff") for entry in ledger.log(name)])
    with sqlite3.connect(path) as connection:
        ((hashed, verifier),) = connection.execute("SELECT hash, verifier FROM secrets").fetchall()
    assert hashed == hashlib.sha256(secret.encode()).hexdigest()
    assert hashed not in told
    assert all(part not in told for part in verifier.split("$")[2].split(":"))


def test_a_revoked_key_opens_nothing_from_then_on_and_the_chain_says_so(ledger, path):
    secret, key = ledger.create_key("ann", Role.OWNER, ["visits", "staff"])
    other, _ = ledger.create_key("bob", Role.VIEWER, "staff")
    ledger.revoke_key(key.fingerprint)
    assert ledger.holder(secret) is None
    assert ledger.holder(other).name == "bob"
    assert [entry.kind for entry in ledger.log("visits")] == ["create", "key", "revoke key"]
    assert {one.name: one.revoked for one in ledger.all_keys()} == {"ann": True, "bob": False}
    ledger.verify()
    ledger.revoke_key(key.fingerprint)
    assert len(ledger.log("visits")) == 3


def test_a_key_ends_at_its_time_and_a_clock_that_goes_back_does_not_wake_it(ledger, clock):
    secret, _ = ledger.create_key("ann", Role.ANALYST, "visits", until=NOW + timedelta(days=1))
    clock.now = NOW + timedelta(days=2)
    assert ledger.holder(secret) is None
    ledger.require_purpose("visits")
    clock.now = NOW
    assert ledger.holder(secret) is None


def test_a_revocation_that_was_taken_out_of_the_facts_is_found(ledger, path):
    secret, key = ledger.create_key("ann", Role.OWNER, "visits")
    ledger.revoke_key(key.fingerprint)
    ledger.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE facts SET value = replace(value, 'true', 'false') WHERE kind = 'key'")
    opened = Ledger.open(path)
    assert opened.holder(secret) is not None
    with pytest.raises(LedgerCorrupted):
        opened.verify()


def test_a_copy_that_may_lack_a_revocation_opens_for_no_key(ledger, path, tmp_path):
    secret, key = ledger.create_key("ann", Role.OWNER, "visits")
    backup(path, tmp_path / "copy")
    ledger.revoke_key(key.fingerprint)
    ledger.close()
    path.unlink()
    assert not restore(tmp_path / "copy", path)
    assert Ledger.open(path).holder(secret) is None


def test_when_a_key_was_used_is_kept(ledger):
    _, key = ledger.create_key("ann", Role.OWNER, "visits")
    assert ledger.all_keys()[0].used is None
    ledger.note_use(key.fingerprint, "2026-05-01T00:00:00+00:00")
    assert ledger.all_keys()[0].used == "2026-05-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("name", "role", "datasets", "until", "error"),
    [
        ("", "owner", ["visits"], None, InvalidParameter),
        ("ann", "king", ["visits"], None, InvalidParameter),
        ("ann", "owner", [], None, InvalidParameter),
        ("ann", "owner", ["nothing"], None, UnknownName),
        ("ann", "owner", ["visits", "nothing"], None, UnknownName),
        ("ann", "owner", ["visits"], "2020-01-01", InvalidParameter),
        ("ann", "owner", ["visits"], "soon", InvalidParameter),
        ("a" * 201, "owner", ["visits"], None, InvalidParameter),
        ("\ud800", "owner", ["visits"], None, InvalidParameter),
        ("ann\nbob", "owner", ["visits"], None, InvalidParameter),
        ("ann\u2028", "owner", ["visits"], None, InvalidParameter),
    ],
)
def test_a_key_that_makes_no_sense_is_refused_and_nothing_is_written(ledger, name, role, datasets, until, error):
    before = ledger.verify()
    with pytest.raises(error):
        ledger.create_key(name, role, datasets, until=until)
    assert (ledger.verify(), ledger.all_keys()) == (before, [])


def test_an_unknown_key_cannot_be_revoked(ledger):
    with pytest.raises(UnknownName):
        ledger.revoke_key("00")


def test_a_key_is_changed_in_place_and_each_change_is_an_entry(ledger):
    secret, key = ledger.create_key("ann", "analyst", ["visits", "staff"])
    changed = ledger.acting("olga").change_key(key.fingerprint, "viewer", ["visits"], until="2026-06-01")
    assert dict(changed.roles) == dict(ledger.holder(secret).roles) == {"visits": Role.VIEWER, "staff": Role.ANALYST}
    (_, entry) = ledger.log("visits", kind="key")
    assert (entry.by, entry.words["role"], entry.words["until"][:10]) == ("olga", "viewer", "2026-06-01")
    assert ledger.change_key(key.fingerprint, "analyst", ["visits"]).until == changed.until  # an end is not lost
    assert ledger.change_key(key.fingerprint, "analyst", ["visits"], until=None).until is None
    ledger.verify()


def test_a_key_that_ends_in_each_data_set_at_a_time_of_its_own_says_so(ledger):
    _, key = ledger.create_key("ann", "analyst", ["visits", "staff"], until="2027-01-01")
    for dataset, until in (("staff", "2026-06-01"), ("visits", "2028-01-01")):
        changed = ledger.change_key(key.fingerprint, "analyst", [dataset], until=until)
    assert {dataset: end[:10] for dataset, end in changed.ends.items()} == {
        "staff": "2026-06-01",
        "visits": "2028-01-01",
    }
    assert (changed.until[:10], changed.ends_in(["staff"])[:10]) == ("2028-01-01", "2026-06-01")
    ledger.change_key(key.fingerprint, "analyst", ["staff"], until=None)
    assert ledger.key_named(key.fingerprint).until is None
    ledger.revoke_key(key.fingerprint, ["staff"])
    assert ledger.key_named(key.fingerprint).until[:10] == "2028-01-01"


def test_a_key_that_has_ended_is_not_changed_back_to_life(ledger, clock):
    secret, key = ledger.create_key("ann", "analyst", ["visits"], until=NOW + timedelta(days=1))
    clock.now = NOW + timedelta(days=2)
    with pytest.raises(UnknownName):
        ledger.change_key(key.fingerprint, "viewer", ["visits"])
    assert ledger.holder(secret) is None


def test_a_key_that_was_revoked_or_is_not_there_is_not_changed(ledger):
    _, key = ledger.create_key("ann", "analyst", ["visits"])
    login = ledger.grant_login("https://id|1", "bob", "analyst", ["visits"])
    ledger.revoke_key(key.fingerprint)
    for mark, datasets in ((key.fingerprint, ["visits"]), ("0" * 32, ["visits"]), (login.fingerprint, ["visits"])):
        with pytest.raises(UnknownName):
            ledger.change_key(mark, "owner", datasets)
    _, other = ledger.create_key("eve", "analyst", ["visits"])
    with pytest.raises(UnknownName):  # a change opens no other data set
        ledger.change_key(other.fingerprint, "owner", ["visits", "staff"])
    assert dict(ledger.key_named(other.fingerprint).roles) == {"visits": Role.ANALYST}
    for role, until in (("king", None), ("viewer", "2020-01-01")):
        with pytest.raises(InvalidParameter):
            ledger.change_key(other.fingerprint, role, ["visits"], until=until)
    ledger.verify()
