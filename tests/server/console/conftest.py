import pytest

from tests.server.console.visitor import Visitor


@pytest.fixture
def visitor(app, ledger):
    """Somebody who is signed in."""

    def made(role="analyst", name=None, datasets=("visits",)):
        return Visitor(app, ledger.create_key(name or f"the {role}", role, datasets)[0])

    return made
