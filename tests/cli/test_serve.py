import pytest
from typer.testing import CliRunner

from dalenius.cli import serve as command
from dalenius.cli.app import app
from dalenius.errors import InvalidParameter, LedgerLocked
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger, new_encryption_key
from dalenius.server import Catalog
from tests.server.hospital import Caller


def test_without_a_policy_the_demo_is_served_and_its_key_is_printed_once(monkeypatch):
    served = []
    monkeypatch.setattr("dalenius.server.serve", lambda app, **terms: served.append(_asked(app, printed())))
    said = []
    monkeypatch.setattr(command, "say", said.append)

    def printed():
        return next(line for line in said if "this once" in line).split()[-1]

    result = CliRunner().invoke(app, ["serve", "--port", "8126"], catch_exceptions=False)
    assert result.exit_code == 0
    assert served == [["adult", "purchases"]]


def _asked(served, secret):
    return [one["table"] for one in Caller(served, secret)("GET", "/api/datasets").json()]


def test_an_owner_who_has_a_key_gets_no_second_one(tmp_path, monkeypatch):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("visits", 1, unit="patient")
    catalog = Catalog([], book)
    monkeypatch.setattr(catalog, "datasets", lambda: ["visits"])
    for _ in range(2):
        command._first_key(catalog)
    assert [key.name for key in book.all_keys()] == ["owner"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--ledger", "x"], "goes with --policy"),
        (["--policy", "x.toml"], "name the --ledger"),
        (["--host", "0.0.0.0"], "behind-proxy"),
        (["--tls-cert", "x"], "both"),
        (["--answer-after", "0"], "answer_after"),
        (["--trusted-header", "X-User", "--proxy", "10.0.0.2"], "--behind-proxy"),
        (["--behind-proxy", "--trusted-header", "X-User"], "declared proxies"),
        (["--behind-proxy", "--proxy", "10.0.0.2", "--trusted-header", "Cookie"], "header of its own"),
        (["--behind-proxy", "--proxy", "nowhere"], "address or network"),
        (["--oidc-issuer", "https://id.example"], "--oidc-client"),
        (["--alert-webhook", "http://example.org"], "https"),
    ],
)
def test_terms_that_make_no_sense_are_refused_before_anything_is_opened(words, said):
    result = CliRunner().invoke(app, ["serve", *words])
    assert isinstance(result.exception, InvalidParameter)
    assert said in str(result.exception)


def test_an_encrypted_ledger_is_served_with_its_key_file(tmp_path, monkeypatch):
    key = new_encryption_key(tmp_path / "k")
    opened = []
    monkeypatch.setattr(Catalog, "open", lambda policies, ledger, room: opened.append(ledger) or 1 / 0)
    words = ["--policy", "x.toml", "--ledger", tmp_path / "x.ledger", "--key-file", tmp_path / "k"]
    CliRunner().invoke(app, ["serve", *map(str, words)])
    opened[0].create("visits", 1, unit="patient")
    Ledger.open(tmp_path / "x.ledger", key).reserve(PureDP("0.1"), dataset="visits", unit="patient")
    with pytest.raises(LedgerLocked):
        Ledger.open(tmp_path / "x.ledger").reserve(PureDP("0.1"), dataset="visits", unit="patient")
