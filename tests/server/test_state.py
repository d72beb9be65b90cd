import pytest

from dalenius.errors import LedgerUnavailable
from dalenius.ledger import Ledger


def test_when_a_key_was_seen_is_written_down(app, caller, ledger):
    caller()("GET", "/api/datasets")
    assert ledger.all_keys()[0].used is None
    app.state.served.note_keys()
    assert ledger.all_keys()[0].used is not None
    assert app.state.served.seen == {}


def test_a_ledger_that_cannot_be_written_to_loses_nothing_and_stops_nothing(app, caller, ledger):
    caller()("GET", "/api/datasets")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ledger, "note_use", _unavailable)
        app.state.served.note_keys()
    assert ledger.all_keys()[0].used is None
    app.state.served.note_keys()
    assert ledger.all_keys()[0].used is not None


def _unavailable(*given):
    raise LedgerUnavailable("the disk is full")
