import inspect

import pytest

import dalenius
from dalenius.errors import AccessRefused, InvalidParameter, UnknownName
from dalenius.remote.client import HttpClient
from dalenius.remote.connection import opened
from tests.remote.ways import Asgi, InProcess
from tests.server.hospital import hospital


def test_one_call_opens_a_file_or_a_server():
    names = set(inspect.signature(dalenius.connect).parameters)
    assert {"data", "policy", "ledger", "unit", "budget", "key", "certificates", "allow_http", "patience"} <= names


def test_a_key_of_several_tables_says_which_is_meant(tmp_path):
    app, ledger, _ = hospital(tmp_path)
    secret, _ = ledger.create_key("ann", "analyst", ["visits", "staff"])
    client = HttpClient(Asgi(app), secret)
    with pytest.raises(InvalidParameter, match="staff, visits"):
        opened(client, None, "http://x")
    with pytest.raises(UnknownName, match="nobody"):
        opened(client, "nobody", "http://x")
    assert opened(client, "staff", "http://x").dataset == "staff"


def test_a_wrong_key_is_refused_when_the_session_is_opened(tmp_path):
    with pytest.raises(AccessRefused, match="opens nothing"):
        opened(HttpClient(Asgi(InProcess(tmp_path).app), "dk_wrong"), None, "http://x")


def test_a_viewer_may_look_and_not_ask(tmp_path):
    way = InProcess(tmp_path)
    db = opened(HttpClient(Asgi(way.app), way.key("eve", "viewer"), 0), None, "http://x")
    assert db.describe("visits").rows
    with pytest.raises(AccessRefused, match="viewer"):
        db.sql("SELECT COUNT(*) FROM visits", epsilon=1)


def test_terms_of_the_other_way_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InvalidParameter, match="the server's to say"):
        dalenius.connect("https://host", key="dk_x", unit="patient")
    with pytest.raises(InvalidParameter, match="address of a server"):
        dalenius.connect("x.parquet", key="dk_x", ledger=tmp_path / "x.ledger")
    monkeypatch.delenv("DALENIUS_KEY", raising=False)
    with pytest.raises(InvalidParameter, match="DALENIUS_KEY"):
        dalenius.connect("https://host")
    monkeypatch.setenv("DALENIUS_KEY", "dk_x y")
    with pytest.raises(InvalidParameter, match="one word"):
        dalenius.connect("https://host")


def test_the_way_to_a_server_loads_nothing_of_the_server():
    import subprocess
    import sys

    script = (
        "import dalenius.remote, sys; print([m for m in sys.modules if m.startswith(('dalenius.server', 'fastapi'))])"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.strip() == "[]"
