import json
import logging
import smtplib
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from dalenius.errors import InvalidParameter
from dalenius.ledger import Alert
from dalenius.server.alerts import AlertSender, AlertTargets, alert_text
from tests.server.hospital import COUNT

ALERT = Alert("visits", "ann", 80)


@pytest.fixture
def hook():
    """An address that keeps what it gets."""
    kept = []

    class Keeping(BaseHTTPRequestHandler):
        def do_POST(self):
            kept.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Keeping)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/secret-path", kept
    server.shutdown()
    server.server_close()


def test_an_alert_holds_public_facts_alone(hook):
    place, kept = hook
    sender = AlertSender(AlertTargets(webhook=place))
    sender(ALERT)
    sender.close()
    said = "80 % of the share of ann of visits is spent."
    assert kept == [{"dataset": "visits", "analyst": "ann", "percent": 80, "text": said}]


def test_a_charge_that_takes_a_budget_past_a_level_is_told(app, ledger, hook):
    place, kept = hook
    sender = AlertSender(AlertTargets(webhook=place))
    session = app.state.served.catalog._tables["visits"]
    session.ledger.on_alert(sender)
    session.sql(COUNT, epsilon=6)
    sender.close()
    assert [(one["analyst"], one["percent"]) for one in kept] == [(None, 50)]


def test_an_alert_is_mailed_in_one_line(monkeypatch):
    mailed = []

    class Server:
        def __init__(self, host, port, timeout):
            mailed.append((host, port))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def ehlo(self):
            pass

        def has_extn(self, name):
            return False

        def send_message(self, message):
            mailed.append(message)

    monkeypatch.setattr(smtplib, "SMTP", Server)
    sender = AlertSender(AlertTargets(mail_to="olga@example.org", mail_from="dp@example.org", smtp="mail.example:587"))
    sender(Alert("visits\nBcc: x@example.org", None, 50))
    sender.close()
    place, message = mailed
    assert place == ("mail.example", 587)
    assert (message["To"], message["Subject"]) == ("olga@example.org", "dalenius: 50 % of a budget is spent")
    assert message["Bcc"] is None
    assert "visits\\nBcc" in message.get_content()


def test_a_failure_is_noted_without_the_address(caplog):
    sender = AlertSender(AlertTargets(webhook="http://127.0.0.1:9/secret-path"))
    with caplog.at_level(logging.WARNING):
        sender(ALERT)
        sender.close()
    assert "could not be sent" in caplog.text
    assert "secret-path" not in caplog.text


@pytest.mark.parametrize(
    "terms",
    [
        {"webhook": "http://example.org/x"},
        {"mail_to": "a@b"},
        {"mail_to": "a@b\nBcc: c@d", "mail_from": "a@b", "smtp": "h"},
        {"mail_to": "a", "mail_from": "a@b", "smtp": "h"},
        {"mail_to": "a@b", "mail_from": "a@b", "smtp": "h:x"},
    ],
)
def test_targets_that_cannot_be_reached_safely_are_refused(terms):
    with pytest.raises(InvalidParameter):
        AlertTargets(**terms)


def test_where_alerts_go_is_said_without_secrets():
    targets = AlertTargets("https://hooks.example/secret", "olga@example.org", "dp@example.org", "mail.example")
    assert str(targets) == "a webhook and olga@example.org"
    assert "secret" not in repr(targets)
    assert str(AlertTargets()) == "nobody"
    assert alert_text(Alert("visits", None, 100)) == "100 % of the budget of visits is spent."
