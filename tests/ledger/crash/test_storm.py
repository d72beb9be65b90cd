"""Eight processes, two thousand charges each, kill -9, and clocks that jump."""

import pytest

from dalenius.ledger import Ledger
from tests.ledger.crash.crew import run
from tests.ledger.crash.storm import REFUSED, Told, budget, charge, question, told, wrongs


def storm(folder, processes, each, kills, **mutant):
    """The ledger after the storm, what the workers heard from it, and how many of them died."""
    deaths = run("storm", folder=str(folder), processes=processes, each=each, kills=kills, **mutant)
    return Ledger.open(folder / "x.ledger"), [one for who in range(processes) for one in told(folder, who)], deaths


@pytest.mark.parametrize(
    ("processes", "each", "kills"), [(4, 150, 16), pytest.param(8, 2000, 300, marks=pytest.mark.long)]
)
def test_no_charge_is_lost_and_none_overspends_however_often_the_processes_die(tmp_path, processes, each, kills):
    ledger, heard, deaths = storm(tmp_path, processes, each, kills)
    assert len(heard) == processes * each
    assert deaths > kills // 2
    assert any(one.head == REFUSED for one in heard)
    assert wrongs(ledger, heard, deaths, budget(processes, each)) == []
    times = [entry.time for entry in ledger.entries("people")]
    assert times == sorted(times)  # though every clock jumped by decades: an entry is dated no earlier than the last
    ledger.verify(head=next(one.head for one in reversed(heard) if one.head != REFUSED))


def test_a_ledger_that_overspends_is_caught(tmp_path):
    ledger, heard, deaths = storm(tmp_path, 2, 20, 1, unlimited=True)
    assert "the budget was overspent" in wrongs(ledger, heard, deaths, budget(2, 20))


def test_a_ledger_that_forgets_a_charge_is_caught(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    heard = [Told(question(0, place), charge(ledger, question(0, place))) for place in range(10)]
    assert wrongs(ledger, heard, 0, limit=1) == []
    other = Ledger.open(tmp_path / "other.ledger")
    other.create("people", epsilon=1, unit="row")
    for place in range(9):
        charge(other, question(0, place))
    assert "an acknowledged charge is missing" in wrongs(other, heard, 0, limit=1)
    assert wrongs(ledger, heard[:-1], 0, limit=1) == ["more was charged than asked and lost"]
    assert wrongs(ledger, heard[:-1], 1, limit=1) == []
