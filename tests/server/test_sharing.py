import pytest

from dalenius.errors import InvalidParameter
from dalenius.ledger import EVERYBODY, Role
from dalenius.server.sharing import give_share


def test_everybodys_share_is_given_with_its_allowance_alone(app, ledger):
    _, key = ledger.create_key("olga", Role.OWNER, ["visits"])
    session = app.state.served.catalog.session("visits", key)
    give_share(session, "ann", "0.5", 0, None)
    assert str(ledger.shares("visits")["ann"]) == "ε = 0.5"
    with pytest.raises(InvalidParameter, match="without a key"):
        give_share(session, EVERYBODY, "0.5", 0, None)
