import pyarrow as pa

import dalenius
from dalenius.sql.owned import Owned
from dalenius.sql.session import Session


def test_a_session_is_what_its_owner_has_and_asks(tmp_path):
    db = dalenius.connect(
        pa.table({"who": [1, 2]}), table="t", unit="who", budget={"epsilon": 1}, ledger=tmp_path / "l"
    )
    assert isinstance(db, Owned)
    assert isinstance(db.dummy(10), Session)
    assert db.budget.epsilon == 1
