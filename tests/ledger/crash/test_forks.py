"""A fork while a transaction is open, and a process that dies between its charge and its release."""

import json

import pytest

from dalenius.errors import UnknownName
from dalenius.ledger import Ledger
from tests.ledger.crash.crew import run
from tests.ledger.crash.one_key import answer, plan


@pytest.mark.parametrize("leave", ["as a script", "at once"])
def test_a_fork_inside_a_transaction_of_another_thread_loses_nothing(tmp_path, leave):
    path = tmp_path / "x.ledger"
    heads = run("fork", path=str(path), leave=leave)
    ledger = Ledger.open(path)
    assert [entry.hash for entry in ledger.entries("people")] == heads
    assert len(set(heads)) == 3
    ledger.verify(head=heads[-1])


@pytest.mark.parametrize("stage", ["after reserve", "before commit"])
def test_a_death_between_charge_and_commit_burns_the_charge_and_a_retry_commits_once(tmp_path, stage):
    assert not run("die", folder=str(tmp_path), stage=stage)
    ledger = Ledger.open(tmp_path / "x.ledger")
    (entry,) = ledger.entries("people")
    terms = {"dataset": "people", "unit": "row", "key": entry.key, "fingerprint": entry.fingerprint}
    burnt = ledger.reserve(plan(0).guarantee, **terms)
    assert burnt.head == entry.hash
    assert burnt.release is None
    with pytest.raises(UnknownName):
        ledger.release_of(burnt)
    first = answer(ledger, 0)
    assert [answer(Ledger.open(tmp_path / "x.ledger"), 0) for _ in range(3)] == [first] * 3
    assert json.loads(first)["receipt"]["head"] == entry.hash
    assert ledger.entries("people") == [entry]
    assert ledger.remaining("people").epsilon == 1 - plan(0).guarantee.budget
    ledger.verify()


def test_a_death_after_the_commit_leaves_the_release_to_the_retry(tmp_path):
    assert not run("die", folder=str(tmp_path), stage="after commit")
    ledger = Ledger.open(tmp_path / "x.ledger")
    (entry,) = ledger.entries("people")
    terms = {"dataset": "people", "unit": "row", "key": entry.key, "fingerprint": entry.fingerprint}
    stored = ledger.reserve(plan(0).guarantee, **terms).release
    assert stored is not None
    assert json.loads(answer(ledger, 0))["outcome"] == json.loads(json.dumps(stored))
