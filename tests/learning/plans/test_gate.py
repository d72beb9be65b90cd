import numpy as np
import pytest

from dalenius.curator import Curator
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.learning.data.rows import Rows
from dalenius.learning.plans.gate import gate_for
from dalenius.ledger import Ledger

ROWS = Rows(np.zeros((3, 1)), np.zeros(3))


def test_a_fit_is_charged_where_the_curator_charges(tmp_path):
    ledger = Ledger.open(tmp_path / "a.ledger")
    ledger.create("people", 1, unit="row")
    given = Curator({"x": np.zeros(3)}, unit="row", ledger=ledger, dataset="people", analyst="ann")
    for gate in (gate_for(ROWS, given, None, None, None), gate_for(ROWS, None, ledger, "people", None)):
        assert gate is not None
        assert (gate.ledger, gate.dataset, gate.unit) == (ledger, "people", given.unit)
    assert gate_for(ROWS, given, None, None, None).analyst == "ann"
    assert gate_for(ROWS, None, None, None, None) is None


def test_half_an_account_is_refused(tmp_path):
    ledger = Ledger.open(tmp_path / "a.ledger")
    with pytest.raises(InvalidParameter):
        gate_for(ROWS, None, ledger, None, None)
    with pytest.raises(InvalidParameter):
        gate_for(ROWS, object(), ledger, "people", None)
    with pytest.raises(UnprovenClaim):
        gate_for(ROWS, object(), None, None, None)
