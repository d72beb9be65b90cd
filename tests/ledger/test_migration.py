import shutil
import sqlite3
from fractions import Fraction

import pytest

from dalenius.errors import BudgetExceeded, LedgerCorrupted, LedgerMismatch
from dalenius.guarantees import ApproxDP, PureDP
from dalenius.ledger import Ledger
from dalenius.ledger.migration import SCHEMA_VERSION
from dalenius.neighbors import Relation, Unit
from tests.house.tree import ROOT

HEAD = "d8eb134e427d5e6fe73e7c11ec2db635dc6c956a37642557de0d5dc319bf1aba"
"""What the code of schema 1 said when it made the file."""


@pytest.fixture
def path(tmp_path):
    return shutil.copy(ROOT / "tests" / "fixtures" / "ledger" / "schema-1.sqlite", tmp_path / "x.ledger")


def test_a_ledger_of_schema_1_keeps_its_chain_and_its_meaning(path):
    ledger = Ledger.open(path)
    assert ledger.verify(head=HEAD) == (9, HEAD)
    assert ledger.datasets() == ["fixed", "people"]
    left = ledger.remaining("people")
    assert (left.epsilon, left.delta) == (Fraction(55, 100), Fraction(1, 10**7))
    assert ledger.remaining("fixed").epsilon == 2 - Fraction(333333333334, 10**12)
    assert ledger.unit("fixed") == Unit.row(Relation.CHANGE_ONE)
    first, second, third = ledger.entries("people")
    assert (first.guarantee, first.analyst, first.key) == (PureDP(0.25), "ana", "k1")
    assert second.guarantee == ApproxDP(0.1, 9e-7)
    assert (third.guarantee, third.blocks, third.label) == (PureDP(0.05).repeat(2), None, None)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION
    connection.close()


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
    assert Ledger.open(path).verify(head=HEAD)[0] == 12


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE datasets SET epsilon_spent = '0' WHERE name = 'people'",
        "UPDATE datasets SET delta_limit = '9' WHERE name = 'people'",
        "DELETE FROM datasets WHERE name = 'fixed'",
        "UPDATE chain SET body = CAST('{}' AS BLOB) WHERE number = 3",
    ],
)
def test_a_changed_ledger_of_schema_1_is_refused_and_left_as_it_is(path, statement):
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()
    for _ in range(2):
        with pytest.raises(LedgerCorrupted):
            Ledger.open(path)
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone()[0] == 1
    connection.close()
