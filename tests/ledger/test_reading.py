from datetime import UTC, datetime

import pytest

from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger


def test_the_log_holds_charges_and_decisions_and_filters(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    ledger.acting("olga").share("people", "ana", 0.5)
    terms = {"dataset": "people", "unit": "row"}
    ledger.reserve(PureDP("0.1"), **terms, analyst="ana", text="SELECT 1", purpose="Planning <b>")
    ledger.reserve(PureDP("0.1"), **terms, label="profile")
    assert [entry.kind for entry in ledger.log("people")] == ["create", "share", "reserve", "reserve"]
    assert [entry.by for entry in ledger.log("people", kind="share")] == ["olga"]
    assert [entry.number for entry in ledger.log("people", analyst="ana")] == [2, 3]
    assert [entry.number for entry in ledger.log("people", containing="planning")] == [3]
    assert ledger.log("people", until="2020-01-01") == []
    assert len(ledger.log("people", since="2020-01-01")) == 4
    assert len(ledger.log("people", since=datetime(2020, 1, 1, tzinfo=UTC), until="9999-01-01T12:00+02:00")) == 4
    for wrong in ("1/3/2026", "soon", 5, "0001-01-01T00:00+05:00"):
        with pytest.raises(InvalidParameter, match="must be a time"):
            ledger.log("people", since=wrong)
    assert ledger.all_shares("people")["ana"].until is None
