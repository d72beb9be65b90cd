"""Alerts of the ledger, sent to an address on the web and by e-mail: public facts only, and never in a charge's way."""

import json
import logging
import smtplib
import ssl
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from email.message import EmailMessage

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped, terminal
from dalenius.ledger import Alert
from dalenius.server.outbound import TIMEOUT, is_safe, sent


@dataclass(frozen=True, slots=True)
class AlertTargets:
    """Where alerts go.

    Args:
        webhook: an address that gets each alert as JSON.
        mail_to: an address of e-mail.
        mail_from: whom it comes from.
        smtp: the mail server, as host or host:port.
    """

    webhook: str | None = field(default=None, repr=False)
    mail_to: str | None = None
    mail_from: str | None = None
    smtp: str | None = None

    def __post_init__(self) -> None:
        if self.webhook is not None and not is_safe(self.webhook):
            raise InvalidParameter("a webhook must be an https address, or one on this machine")
        mail = (self.mail_to, self.mail_from, self.smtp)
        if any(mail) and not all(mail):
            raise InvalidParameter("alerts by e-mail need whom they go to, whom they come from, and the mail server")
        if any(one is not None and (one.splitlines() != [one] or "@" not in one) for one in mail[:2]):
            raise InvalidParameter("an address of e-mail is one line with an @")
        if self.smtp is not None and not (self.smtp.partition(":")[2] or "25").isdigit():
            raise InvalidParameter("a mail server is written as host or host:port")

    @escaped
    def __str__(self) -> str:
        """As the owner's page says it: a webhook's address may hold a secret."""
        named = ["a webhook"] if self.webhook else []
        return " and ".join(named + ([str(self.mail_to)] if self.mail_to else [])) or "nobody"


class AlertSender:
    """A hook for `ledger.on_alert`: sends in a thread of its own, so that no charge waits for a mail server."""

    def __init__(self, targets: AlertTargets) -> None:
        self._targets = targets
        self._thread = ThreadPoolExecutor(1, "alerts")

    def __call__(self, alert: Alert) -> None:
        """Send an alert soon."""
        self._thread.submit(self._send, alert)

    def close(self) -> None:
        """Send what is left, and no more."""
        self._thread.shutdown(wait=True)

    def _send(self, alert: Alert) -> None:
        for wanted, way in ((self._targets.webhook, self._post), (self._targets.mail_to, self._mail)):
            if wanted is None:
                continue
            try:
                way(alert)
            except (OSError, smtplib.SMTPException):  # its words may hold the address, which may hold a secret
                logging.getLogger("dalenius.server").warning("an alert could not be sent")

    def _post(self, alert: Alert) -> None:
        words = {
            "dataset": alert.dataset,
            "analyst": alert.analyst,
            "percent": alert.percent,
            "text": alert_text(alert),
        }
        sent(str(self._targets.webhook), json.dumps(words).encode(), {"Content-Type": "application/json"})

    def _mail(self, alert: Alert) -> None:
        message = EmailMessage()
        message["Subject"] = f"dalenius: {alert.percent} % of a budget is spent"
        message["From"], message["To"] = self._targets.mail_from, self._targets.mail_to
        message.set_content(alert_text(alert) + "\n")
        host, _, port = str(self._targets.smtp).partition(":")
        with smtplib.SMTP(host, int(port or 25), timeout=TIMEOUT) as server:
            server.ehlo()
            if server.has_extn("starttls"):
                server.starttls(context=ssl.create_default_context())
            server.send_message(message)


def alert_text(alert: Alert) -> str:
    """An alert in one sentence."""
    whose = "the budget" if alert.analyst is None else f"the share of {terminal(alert.analyst)}"
    return f"{alert.percent} % of {whose} of {terminal(alert.dataset)} is spent."
