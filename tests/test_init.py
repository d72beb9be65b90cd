import pytest

import dalenius
from dalenius.remote import connect
from tests.house.tree import SRC


def test_connect_is_loaded_when_it_is_asked_for():
    assert dalenius.connect is connect


def test_no_other_name_appears():
    with pytest.raises(AttributeError, match="conect"):
        _ = dalenius.conect


def test_what_a_user_calls_is_listed_and_there():
    shown = dir(dalenius)
    assert {"connect", "statistics", "learning", "errors"} <= set(shown)
    assert all(getattr(dalenius, name) is not None for name in shown)


def test_every_package_is_listed_or_plumbing():
    packages = {path.parent.name for path in SRC.glob("*/__init__.py")}
    assert packages - set(dir(dalenius)) <= {
        "cli",
        "numerics",
        "queries",
        "inference",
        "streams",
        "publish",
        "server",
        "wire",
    }
