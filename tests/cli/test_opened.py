import pytest

from dalenius.cli.opened import existing
from dalenius.errors import UnknownName
from dalenius.ledger import Ledger


def test_a_ledger_that_is_there_is_opened_for_the_command_line_and_none_is_made(tmp_path):
    Ledger.open(tmp_path / "x.ledger").create("people", epsilon=1, unit="row")
    existing(tmp_path / "x.ledger").share("people", "ana", 1)
    assert existing(tmp_path / "x.ledger").log("people", kind="share")[0].origin == "command line"
    with pytest.raises(UnknownName, match="no ledger"):
        existing(tmp_path / "no.ledger")
    assert not (tmp_path / "no.ledger").exists()
