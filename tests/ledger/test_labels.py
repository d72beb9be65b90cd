"""Labelled charges are found without reading the chain each time, and none is missed."""

import shutil

import pytest

from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger
from dalenius.ledger.sqlite_records import SQLiteRecords

TERMS = {"dataset": "people", "unit": "person"}


class Answer:
    def __init__(self, n):
        self.n = n

    def to_dict(self):
        return {"n": self.n}


def bought(ledger, n, label="profile", **terms):
    receipt = ledger.reserve(PureDP("0.01"), label=label, fingerprint=f"{label} {n}", **(TERMS | terms))
    ledger.commit(receipt, Answer(n))
    return receipt


@pytest.fixture
def ledger(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=10, unit="person")
    return ledger


def numbers(ledger, dataset="people", label="profile"):
    return [release["n"] for _, release in ledger.labelled(dataset, label)]


def test_what_was_bought_since_is_found_also_by_who_opened_the_ledger_before(ledger, tmp_path):
    other = Ledger.open(tmp_path / "x.ledger")
    assert numbers(ledger) == numbers(other) == []
    for n in range(3):
        bought(ledger, n)
        bought(ledger, n, label="other")
        ledger.reserve(PureDP("0.01"), **TERMS, text='"label":"profile"')  # the letters, and not the label
        assert numbers(ledger) == numbers(other) == list(range(n + 1))


def test_an_answer_that_comes_late_is_found_in_the_place_of_its_charge(ledger):
    late = ledger.reserve(PureDP("0.01"), label="profile", fingerprint="late", **TERMS)
    bought(ledger, 1)
    assert numbers(ledger) == [1]
    ledger.commit(late, Answer(0))
    assert numbers(ledger) == [0, 1]


def test_a_data_set_that_is_joined_to_others_keeps_what_it_had(ledger):
    bought(ledger, 0)
    ledger.create("staff", epsilon=10, unit="person")
    assert numbers(ledger) == [0]
    bought(ledger, 7, dataset="staff")
    assert numbers(ledger) == [0]
    assert numbers(ledger, "staff") == [7]


def test_a_copy_from_before_is_read_anew(ledger, tmp_path):
    bought(ledger, 0)
    ledger.close()
    shutil.copy(tmp_path / "x.ledger", tmp_path / "copy")
    bought(ledger, 1)
    assert numbers(ledger) == [0, 1]
    ledger.close()
    shutil.copy(tmp_path / "copy", tmp_path / "x.ledger")
    assert numbers(ledger) == [0]
    bought(ledger, 2)
    assert numbers(ledger) == [0, 2]


def test_a_chain_is_not_read_twice(ledger, monkeypatch):
    for n in range(3):
        bought(ledger, n)
    seen, links = [], SQLiteRecords.links

    def noted(self, *given, **asked):
        every = list(links(self, *given, **asked))
        seen.append(len(every))
        return iter(every)

    monkeypatch.setattr(SQLiteRecords, "links", noted)
    assert numbers(ledger) == [0, 1, 2]
    assert sum(seen) == 3
    assert numbers(ledger) == [0, 1, 2]
    bought(ledger, 3)
    assert numbers(ledger) == [0, 1, 2, 3]
    assert sum(seen) == 4
