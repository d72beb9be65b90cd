import json
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.cli.key import end_of
from dalenius.ledger import Ledger


def run(*words):
    return CliRunner().invoke(app, [*words])


@pytest.fixture
def path(tmp_path):
    Ledger.open(tmp_path / "x.ledger").create("visits", 1, unit="patient")
    return str(tmp_path / "x.ledger")


def test_a_key_is_printed_once_and_opens_the_data_set_with_its_share(path):
    made = run("key", "create", "ann", "--ledger", path, "--dataset", "visits", "--epsilon", "0.5", "--expires", "90d")
    secret = made.stdout.split()[0]
    ledger = Ledger.open(path)
    key = ledger.holder(secret)
    assert (key.name, dict(key.roles)) == ("ann", {"visits": "analyst"})
    assert str(ledger.shares("visits")["ann"].epsilon) == "1/2"
    (listed,) = json.loads(run("key", "list", "--ledger", path, "--json").stdout)
    assert (listed["fingerprint"], secret in str(listed)) == (key.fingerprint, False)
    run("key", "revoke", key.fingerprint, "--ledger", path)
    assert ledger.holder(secret) is None
    assert "opens nothing" in run("key", "list", "--ledger", path).stdout


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--dataset", "visits"], "has no share"),
        (["--dataset", "visits", "--role", "owner", "--epsilon", "1"], "owners and viewers have none"),
        (["--dataset", "visits", "--epsilon", "2"], "more than"),
        (["--dataset", "nothing", "--epsilon", "1"], "nothing"),
        (["--dataset", "visits", "--epsilon", "1", "--expires", "soon"], "until must be a time"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused_in_one_line(path, given, said):
    refused = run("key", "create", "ann", "--ledger", path, *given)
    assert refused.exit_code != 0
    assert said in str(refused.exception)
    assert Ledger.open(path).all_keys() == []


def test_a_span_is_counted_from_now():
    for text, span in (("90d", timedelta(days=90)), ("12h", timedelta(hours=12)), ("4w", timedelta(weeks=4))):
        assert abs(datetime.fromisoformat(end_of(text)) - datetime.now(UTC) - span) < timedelta(minutes=1)


def test_an_identity_is_let_in(tmp_path):
    from dalenius.ledger import Ledger

    book = Ledger.open(tmp_path / "x.ledger")
    book.create("visits", 1, unit="patient")
    words = [
        "key",
        "login",
        "proxy|ann",
        "--ledger",
        str(tmp_path / "x.ledger"),
        "--name",
        "ann",
        "--dataset",
        "visits",
    ]
    assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    assert book.login("proxy|ann").name == "ann"


def test_a_key_is_changed(path):
    made = run("key", "create", "ann", "--ledger", path, "--dataset", "visits", "--epsilon", "0.5")
    key = Ledger.open(path).holder(made.stdout.split()[0])
    words = ("key", "change", key.fingerprint, "--ledger", path, "--dataset", "visits", "--role", "viewer")
    said = run(*words, "--expires", "9d").stdout
    changed = Ledger.open(path).key_named(key.fingerprint)
    assert said == f"{key.fingerprint} of ann: viewer of visits, until {changed.until}\n"
    assert (dict(changed.roles), changed.until is None) == ({"visits": "viewer"}, False)
    assert run(*words).stdout == said  # its end stays as it was
    assert run(*words, "--expires", "never").stdout == f"{key.fingerprint} of ann: viewer of visits\n"
