"""Sixteen processes, shares raised, lowered and revoked in between, and kill -9."""

import pytest

from dalenius.ledger import Ledger
from tests.ledger.crash.crew import run
from tests.ledger.crash.shares import wrongs
from tests.ledger.crash.storm import acknowledged


def storm(folder, processes, each, kills, **mutant):
    deaths = run("shares", folder=str(folder), processes=processes, each=each, kills=kills, **mutant)
    heard = [line for who in range(processes) for line in acknowledged(folder / f"{who}.told")]
    return Ledger.open(folder / "x.ledger"), heard, deaths


@pytest.mark.parametrize(("each", "kills"), [(12, 12), pytest.param(400, 150, marks=pytest.mark.long)])
def test_no_cap_is_overspent_while_shares_change_and_processes_die(tmp_path, each, kills):
    ledger, heard, deaths = storm(tmp_path, 16, each, kills)
    assert len(heard) == 16 * each
    assert deaths > kills // 2
    assert {"shared", "revoked"} <= set(heard)
    assert wrongs(ledger, heard) == []


def test_a_ledger_that_does_not_look_at_shares_is_caught(tmp_path):
    ledger, heard, _ = storm(tmp_path, 2, 60, 1, unbounded=True)
    with pytest.raises(Exception, match="could not have been admitted"):
        wrongs(ledger, heard)
