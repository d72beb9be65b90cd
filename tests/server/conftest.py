import pytest

from tests.server.hospital import Caller, hospital


@pytest.fixture
def served(tmp_path):
    app, ledger, clock = hospital(tmp_path)
    return app, ledger, clock


@pytest.fixture
def app(served):
    return served[0]


@pytest.fixture
def ledger(served):
    return served[1]


@pytest.fixture
def clock(served):
    return served[2]


@pytest.fixture
def caller(app, ledger):
    """A caller with a new key of a role."""

    def made(role="analyst", name=None, datasets=("visits",), **terms):
        secret, _ = ledger.create_key(name or f"the {role}", role, datasets, **terms)
        return Caller(app, secret)

    return made
