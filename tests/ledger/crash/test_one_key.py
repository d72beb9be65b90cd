"""Eight threads and four processes with one key, under kill -9."""

import pytest

from tests.ledger.crash.crew import run
from tests.ledger.crash.one_key import STAGES, wrongs


@pytest.mark.parametrize("turns", [len(STAGES), pytest.param(200, marks=pytest.mark.long)])
def test_every_answer_seen_for_a_key_is_the_same_and_paid_once(tmp_path, turns):
    deaths = run("one_key", folder=str(tmp_path), processes=4, threads=8, turns=turns)
    assert deaths >= turns
    assert wrongs(tmp_path, turns, least=8) == []


@pytest.mark.parametrize("kind", ["OwnDraw", "Overwriting", "Keyless"])
def test_a_ledger_that_lets_a_second_draw_out_is_caught(tmp_path, kind):
    run("one_key", folder=str(tmp_path), processes=2, threads=8, turns=1, kind=kind, kill=False)
    assert any("answers" in wrong for wrong in wrongs(tmp_path, 1, least=8))
