"""The power fails: the log ends anywhere, or holds bytes that were never written."""

import shutil
import sqlite3
from fractions import Fraction
from random import Random

import pytest

from dalenius.errors import LedgerCorrupted, LedgerError
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger
from dalenius.ledger.sqlite_records import SQLiteRecords
from tests.ledger.crash.crew import run
from tests.ledger.crash.power import BUDGET, HEADER, Expected, Wreck, entries

WRITERS, CHARGES = 3, 30


@pytest.fixture(scope="module")
def wreck(tmp_path_factory):
    folder = tmp_path_factory.mktemp("power")
    run("power", folder=str(folder), writers=WRITERS, charges=CHARGES)
    return Wreck.of(folder, WRITERS)


@pytest.fixture(scope="module")
def expected(wreck, tmp_path_factory):
    """The order of the entries is read from the whole log: any cut must hold a beginning of it."""
    ledger = Ledger.open(wreck.restore(tmp_path_factory.mktemp("whole") / "x", wreck.log.written))
    heads = tuple(entry.hash for entry in entries(ledger))
    ledger.close()
    return Expected(heads, tuple(wreck.log.commits))


@pytest.fixture
def recovered(wreck, tmp_path):
    """The heads that a ledger holds after it was opened with this log, found whole, and its sums right."""

    def reopened(log):
        folder = tmp_path / "cut"
        ledger = Ledger.open(wreck.restore(folder, log))
        try:
            ledger.verify()
            heads = tuple(entry.hash for entry in entries(ledger))
            if heads:
                assert ledger.remaining("people").epsilon == BUDGET - Fraction(len(heads), 1000)
                ledger.verify(head=heads[-1])
            return heads
        finally:
            ledger.close()
            shutil.rmtree(folder)

    return reopened


def test_the_whole_log_holds_every_acknowledged_charge_and_at_most_one_more_for_each_writer(wreck, expected):
    assert CHARGES <= len(wreck.acknowledged) <= len(expected.heads) <= len(wreck.acknowledged) + WRITERS
    assert wreck.acknowledged.keys() <= set(expected.heads)


def premature(acknowledged, expected):
    """Charges that were acknowledged at a length of the log that does not hold them."""
    return [head for head, length in acknowledged.items() if head not in expected.at(length)]


def test_a_charge_is_acknowledged_only_when_its_last_frame_is_in_the_log(wreck, expected):
    assert premature(wreck.acknowledged, expected) == []


def test_a_charge_acknowledged_a_frame_too_early_is_caught(wreck, expected):
    ends = expected.commits[-len(expected.heads) :]
    early = {head: end - wreck.log.frame for head, end in zip(expected.heads, ends, strict=True)}
    assert premature(early, expected) == list(expected.heads)


def test_a_log_cut_at_any_frame_holds_every_charge_that_ended_before_it(wreck, expected, recovered):
    for cut in (0, *wreck.log.boundaries):
        assert recovered(wreck.log.written[:cut]) == expected.at(cut)


def test_a_log_cut_at_any_byte_holds_every_charge_that_ended_before_it(wreck, expected, recovered):
    chance = Random()
    for cut in (chance.randrange(len(wreck.log.written)) for _ in range(200)):
        assert recovered(wreck.log.written[:cut]) == expected.at(cut)


def test_a_changed_byte_ends_the_log_at_its_frame(wreck, expected, recovered):
    chance = Random()
    places = [chance.randrange(HEADER), *(chance.randrange(len(wreck.log.written)) for _ in range(60))]
    for place in places:
        log = bytearray(wreck.log.written)
        log[place] ^= chance.randrange(1, 256)
        assert recovered(bytes(log)) == expected.at(wreck.log.whole_before(place))


def test_the_head_of_a_lost_charge_shows_the_loss_and_the_ledger_goes_on(wreck, expected, tmp_path):
    for number in range(3, len(expected.heads), 5):
        cut = expected.commits[-len(expected.heads) + number - 1]
        ledger = Ledger.open(wreck.restore(tmp_path / str(number), wreck.log.written[:cut]))
        ledger.verify(head=expected.heads[number - 1])
        with pytest.raises(LedgerCorrupted, match="cut short"):
            ledger.verify(head=expected.heads[number])
        ledger.reserve(PureDP("0.001"), dataset="people", unit="row")
        assert ledger.verify()[0] == ledger.entries("people")[-1].number
        assert ledger.remaining("people").epsilon == BUDGET - Fraction(number + 1, 1000)
        ledger.close()


def test_a_changed_byte_of_the_database_is_found_or_changes_nothing(wreck, expected, tmp_path):
    settled = Ledger.open(wreck.restore(tmp_path / "settled", wreck.log.written))
    settled.close()
    database = (tmp_path / "settled" / "x.ledger").read_bytes()
    chance, found = Random(), 0
    for turn in range(100):
        changed = bytearray(database)
        place = chance.randrange(len(database))
        changed[place] ^= chance.randrange(1, 256)
        path = tmp_path / f"{turn}.ledger"
        path.write_bytes(changed)
        try:
            ledger = Ledger.open(path)
            ledger.verify(head=expected.heads[-1])
            heads = tuple(entry.hash for entry in ledger.entries("people"))
            left = ledger.remaining("people").epsilon
            ledger.close()
        except LedgerError:
            found += 1
            continue
        assert (heads, left) == (expected.heads, BUDGET - Fraction(len(heads), 1000)), f"byte {place}"
    assert found


@pytest.mark.parametrize("place", ["chain.chain", "chain.number", "chain.hash", "heads.number", "facts.value"])
def test_a_name_that_a_changed_byte_turned_to_nothing_is_damage(place):
    table, column = place.split(".")
    connection = sqlite3.connect(":memory:")
    columns = {
        "chain": {"chain": "a", "number": 1, "kind": "k", "dataset": "a", "key": None, "body": b"", "hash": "h"},
        "heads": {"number": 1, "body": b"", "hash": "h"},
        "facts": {"dataset": "a", "kind": "k", "name": "n", "value": "v"},
    }
    for name, row in columns.items():
        connection.execute(f"CREATE TABLE {name} ({', '.join(row)})")
        connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", tuple(row.values()))
    records = SQLiteRecords(connection)
    reads = {"chain": records.chains, "heads": records.last_head, "facts": lambda: list(records.all_facts())}
    assert reads[table]()
    connection.execute(f"UPDATE {table} SET {column} = NULL")
    with pytest.raises(LedgerCorrupted, match="damaged"):
        reads[table]()
