"""The power fails while charges of several threads share transactions: none is there in part, and none too early."""

import itertools
import shutil
from bisect import bisect_right
from fractions import Fraction

import pytest

from dalenius.ledger import Ledger
from tests.ledger.crash.crew import run
from tests.ledger.crash.power import BUDGET, Wreck, entries

THREADS, CHARGES = 12, 60


def wrecked(folder, **mutant):
    run("groups", folder=str(folder), threads=THREADS, charges=CHARGES, **mutant)
    return Wreck.of(folder, THREADS)


@pytest.fixture(scope="module")
def wreck(tmp_path_factory):
    return wrecked(tmp_path_factory.mktemp("groups"))


def recovered(wreck, log, folder):
    """The heads that stand after a cut, in order, in a ledger that is whole and whose caps held."""
    ledger = Ledger.open(wreck.restore(folder, log))
    try:
        ledger.verify()
        charges = entries(ledger)
        if charges:
            assert ledger.remaining("people").epsilon == BUDGET - Fraction(len(charges), 1000)
            assert sum(one.analyst == "poor" for one in charges) <= 3
        return [one.hash for one in charges]
    finally:
        ledger.close()
        shutil.rmtree(folder)


def states(wreck, tmp_path):
    """The heads that stand after each whole transaction, and after none."""
    log = wreck.log
    return [recovered(wreck, log.written[:end], tmp_path / "cut") for end in (0, *log.commits)]


def wrongs(wreck, after):
    """Charges that were acknowledged at a length of the log that does not hold them."""
    return [
        head for head, size in wreck.acknowledged.items() if head not in after[bisect_right(wreck.log.commits, size)]
    ]


def test_a_log_cut_anywhere_holds_whole_groups_and_every_charge_that_was_acknowledged(wreck, tmp_path):
    after, log = states(wreck, tmp_path), wreck.log
    assert wrongs(wreck, after) == []
    assert len(wreck.acknowledged) >= CHARGES
    for earlier, later in itertools.pairwise(after):
        assert later[: len(earlier)] == earlier
    assert max(len(later) - len(earlier) for earlier, later in itertools.pairwise(after)) > 1, "no groups"
    places = {place for begin in log.boundaries for place in (begin, begin + 1, begin + log.frame // 2)}
    for cut in sorted(place for place in places if place <= len(log.written)):
        assert recovered(wreck, log.written[:cut], tmp_path / "cut") == after[bisect_right(log.commits, cut)]


def test_a_ledger_that_acknowledges_a_group_before_its_flush_is_caught(tmp_path):
    folder = tmp_path / "mutant"
    folder.mkdir()
    wreck = wrecked(folder, mutant=True)
    assert wrongs(wreck, states(wreck, tmp_path)) != []
