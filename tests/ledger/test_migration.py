"""Ledgers of earlier schemas, written by the code of their time."""

import os
import shutil
import signal
import sqlite3
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator import Curator
from dalenius.errors import BudgetExceeded, LedgerCorrupted, LedgerMismatch
from dalenius.guarantees import ZCDP, ApproxDP, PureDP
from dalenius.ledger import Amount, Blocks, Ledger
from dalenius.ledger.migration import SCHEMA_VERSION
from dalenius.neighbors import Relation, Unit
from dalenius.statistics import count, histogram, mean
from tests.house.tree import ROOT


@dataclass(frozen=True)
class Old:
    """A ledger of an earlier schema, and what the code of that schema said when it made the file."""

    schema: int
    entries: int
    head: str
    datasets: tuple[str, ...]


FIRST = Old(1, 9, "d8eb134e427d5e6fe73e7c11ec2db635dc6c956a37642557de0d5dc319bf1aba", ("fixed", "people"))
SECOND = Old(
    2,
    22,
    "82fa9d5a2e78653935ac8a78f94fee0f6b6ef86227e0c0a30cf2d50a12bfb0a2",
    ("clinics", "months", "people", "visits"),
)


def placed(old, folder):
    return shutil.copy(ROOT / "tests" / "fixtures" / "ledger" / f"schema-{old.schema}.sqlite", folder / "x.ledger")


def version_of(path):
    connection = sqlite3.connect(path)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return version


@pytest.fixture
def path(tmp_path):
    return placed(FIRST, tmp_path)


@pytest.mark.parametrize("old", [FIRST, SECOND], ids=lambda old: f"schema {old.schema}")
def test_an_old_ledger_keeps_its_chain_byte_for_byte_and_goes_on_in_one_chain_for_each_data_set(tmp_path, old):
    path = placed(old, tmp_path)
    connection = sqlite3.connect(path)
    before = connection.execute("SELECT number, kind, dataset, key, body, hash FROM chain ORDER BY number").fetchall()
    answers = connection.execute("SELECT receipt, payload FROM releases ORDER BY receipt").fetchall()
    connection.close()
    ledger = Ledger.open(path)
    assert tuple(ledger.datasets()) == old.datasets
    length, head = ledger.verify(head=old.head)
    assert length == old.entries + len(old.datasets)
    assert ledger.verify(head=head) == (length, head)
    ledger.close()
    connection = sqlite3.connect(path)
    common = "SELECT number, kind, dataset, key, body, hash FROM chain WHERE chain = '' ORDER BY number"
    assert connection.execute(common).fetchall() == before
    assert connection.execute("SELECT receipt, payload FROM releases ORDER BY receipt").fetchall() == answers
    connection.close()
    assert version_of(path) == SCHEMA_VERSION


def test_a_ledger_of_schema_1_keeps_its_meaning(path):
    ledger = Ledger.open(path)
    left = ledger.remaining("people")
    assert (left.epsilon, left.delta) == (Fraction(55, 100), Fraction(1, 10**7))
    assert ledger.remaining("fixed").epsilon == 2 - Fraction(333333333334, 10**12)
    assert ledger.unit("fixed") == Unit.row(Relation.CHANGE_ONE)
    first, second, third = ledger.entries("people")
    assert (first.guarantee, first.analyst, first.key) == (PureDP(0.25), "ana", "k1")
    assert second.guarantee == ApproxDP(0.1, 9e-7)
    assert (third.guarantee, third.blocks, third.label) == (PureDP(0.05).repeat(2), None, None)


def test_keys_and_budgets_of_schema_1_still_hold(path):
    ledger = Ledger.open(path)
    again = ledger.reserve(PureDP(0.25), dataset="people", unit="id", analyst="ana", key="k1", fingerprint="f1")
    assert again.release == {"value": 1}
    with pytest.raises(LedgerMismatch):
        ledger.reserve(PureDP(0.25), dataset="people", unit="id", analyst="ana", key="k1", fingerprint="f2")
    ledger.create("people", epsilon=1, delta=1e-6, unit="id")
    with pytest.raises(LedgerMismatch):
        ledger.create("people", epsilon=1, delta=1e-6, unit="id", filter="renyi")
    ledger.reserve(ApproxDP(0.55, 1e-7), dataset="people", unit="id")  # all of δ is there, not half
    with pytest.raises(BudgetExceeded):
        ledger.reserve(PureDP(0.01), dataset="people", unit="id")
    ledger.share("people", "ana", 0.3)
    ledger.reserve(PureDP(0), dataset="people", unit="id", analyst="ana")
    ledger.close()
    assert Ledger.open(path).verify(head=FIRST.head)[0] == 9 + 2 + 3


def test_totals_shares_and_blocks_of_schema_2_still_hold(tmp_path):
    ledger = Ledger.open(placed(SECOND, tmp_path))
    spent = {name: ledger.spent(name).to_dict() for name in ledger.datasets()}
    assert spent == {  # what the code of schema 2 printed
        "clinics": {"gaussian": ["72500000000"]},
        "months": {"sum": ["1000000000000", "0"]},
        "people": {"sum": None, "concentrated": ["6246577145", "1000000000000000000000"]},
        "visits": {"sum": ["425000000000", "0"]},
    }
    assert ledger.remaining("people").epsilon == Fraction("0.175855744004")
    assert ledger.shares("people") == {"ana": Amount.limit(0.5, 1e-7), "bo": Amount.limit(0.75, 1e-7)}
    assert ledger.entries("people")[-1].guarantee == ZCDP("0.000001")
    months = {"dataset": "months", "unit": "id2"}
    assert ledger.admits(PureDP(1), dataset="months", blocks=Blocks("month", ("mar",)))
    with pytest.raises(BudgetExceeded):
        ledger.reserve(PureDP("1.01"), **months, blocks=Blocks("month", ("jan",)))
    ledger.reserve(PureDP(1), **months, blocks=Blocks("month", ("jan",)))
    ledger.verify(head=SECOND.head)


def test_answers_of_schema_2_stay_free(tmp_path):
    ledger = Ledger.open(placed(SECOND, tmp_path))
    data = {"age": np.arange(20, 70)}
    terms = {"bounds": {"age": (0, 100)}, "keys": {"age": [20, 30, 40]}}
    curator = Curator(data, unit="row", ledger=ledger, dataset="visits", version="2026-03", **terms)
    before = ledger.verify()
    assert curator.release(count(epsilon="0.1")).value == 43
    assert curator.release(mean("age", (0, 100), epsilon="0.2")).value == 47.53595538822605
    groups = curator.release(histogram("age", keys=[20, 30, 40], epsilon="0.125"))
    assert groups.value == {"age": (20, 30, 40), "count": (-10, 8, -4)}
    assert ledger.verify() == before
    seen = {"dataset": "people", "unit": "id", "analyst": "bo", "fingerprint": "f2"}
    assert ledger.reserve(ApproxDP(0.1, 1e-9), **seen).release == {"value": 2}
    assert ledger.verify() == before


@pytest.mark.parametrize(
    ("old", "statement"),
    [
        (FIRST, "UPDATE datasets SET epsilon_spent = '0' WHERE name = 'people'"),
        (FIRST, "UPDATE datasets SET delta_limit = '9' WHERE name = 'people'"),
        (FIRST, "DELETE FROM datasets WHERE name = 'fixed'"),
        (FIRST, "UPDATE chain SET body = CAST('{}' AS BLOB) WHERE number = 3"),
        (SECOND, "UPDATE facts SET value = replace(value, '425000000000', '0') WHERE kind = 'everyone'"),
        (SECOND, "DELETE FROM facts WHERE kind = 'seen'"),
        (SECOND, "UPDATE chain SET body = CAST('{}' AS BLOB) WHERE number = 3"),
        (SECOND, "DELETE FROM chain WHERE number = 5"),
    ],
)
def test_a_changed_ledger_of_an_old_schema_is_refused_and_left_as_it_is(tmp_path, old, statement):
    path = placed(old, tmp_path)
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()
    for _ in range(2):
        with pytest.raises(LedgerCorrupted):
            Ledger.open(path)
    assert version_of(path) == old.schema


def opened_and_killed(path, at):
    """Open the ledger in a child that dies, with -9, before its statement number `at`; whether it died."""
    child = os.fork()
    if child == 0:
        connect, statements = sqlite3.connect, iter(range(10**9))

        def traced(*arguments, **named):
            connection = connect(*arguments, **named)
            connection.set_trace_callback(lambda _: next(statements) == at and os.kill(os.getpid(), signal.SIGKILL))
            return connection

        sqlite3.connect = traced
        try:
            Ledger.open(path)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("old", [FIRST, SECOND], ids=lambda old: f"schema {old.schema}")
def test_a_crash_at_any_statement_of_the_migration_leaves_the_old_ledger_or_the_new_one(tmp_path, old):
    found = []
    for at in range(10**4):
        (tmp_path / str(at)).mkdir()
        path = placed(old, tmp_path / str(at))
        if not opened_and_killed(path, at):
            break
        found.append(version_of(path))
        ledger = Ledger.open(path)
        assert ledger.verify(head=old.head)[0] == old.entries + len(old.datasets)
        ledger.close()
        shutil.rmtree(path.parent)
    assert len(found) > 20  # every statement of the migration was one of them
    assert set(found) == {old.schema, SCHEMA_VERSION}
    assert found == sorted(found)
