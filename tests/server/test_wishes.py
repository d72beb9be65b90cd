import pytest

from dalenius.errors import InvalidParameter
from dalenius.ledger import Role
from dalenius.server.wishes import MOST_OPEN, wished
from tests.server.hospital import COUNT


def test_an_analyst_has_so_many_requests_that_wait_and_no_more(app, ledger):
    _, key = ledger.create_key("ann", Role.ANALYST, ["visits"])
    session = app.state.served.catalog.session("visits", key)
    for _ in range(MOST_OPEN):
        wished(session, COUNT, "beds", {"epsilon": "0.1"})
    with pytest.raises(InvalidParameter, match="wait for an answer"):
        wished(session, COUNT, "beds", {"epsilon": "0.1"})
    assert len(ledger.requests("visits")) == MOST_OPEN
