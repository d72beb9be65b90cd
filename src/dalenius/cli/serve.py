"""`dalenius serve`: answer questions over HTTP, for people who must not hold the data."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.cli.opened import KeyFile
from dalenius.cli.output import say
from dalenius.errors import InvalidParameter

if TYPE_CHECKING:
    from dalenius.server import AlertTargets, Catalog, Provider, Room

DEMO = (
    "The demo's tables are served from a ledger that is thrown away at the end: "
    "name a --policy and a --ledger to serve yours."
)

Text = str | None
Proxies = Annotated[
    list[str] | None, typer.Option("--proxy", help="The address or network of a proxy that is believed; once for each.")
]
TrustedHeader = Annotated[
    Text, typer.Option(help="The header in which declared proxies name whom they have signed in.")
]
Home = Annotated[Text, typer.Option(help="The address of this server as browsers see it.")]
Issuer = Annotated[Text, typer.Option(help="A provider at which people sign in to the console.")]
Client = Annotated[Text, typer.Option(help="The name of this server at the provider.")]
SecretFile = Annotated[Path | None, typer.Option(help="A file with the server's secret there.")]
Claim = Annotated[str, typer.Option(help="What people are known by: sub, or email.")]
Webhook = Annotated[Text, typer.Option(help="An address that gets alerts as JSON.")]
Mail = Annotated[Text, typer.Option(help="An address of e-mail that gets alerts.")]
MailFrom = Annotated[Text, typer.Option(help="Whom alerts by e-mail come from.")]
MailServer = Annotated[Text, typer.Option(help="The mail server for alerts, as host:port.")]


def serve(
    policy: Annotated[
        list[Path] | None, typer.Option("--policy", help="A policy file, once for each table; the demo's if left out.")
    ] = None,
    ledger: Annotated[Path | None, typer.Option(help="The ledger that all its tables are charged to.")] = None,
    key_file: KeyFile = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8125,
    tls_cert: Annotated[Path | None, typer.Option(help="A certificate, in PEM, to be reached from elsewhere.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="The certificate's key.")] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy on this machine or network encrypts what is sent.")
    ] = False,
    proxy: Proxies = None,
    trusted_header: TrustedHeader = None,
    home: Home = None,
    oidc_issuer: Issuer = None,
    oidc_client: Client = None,
    oidc_secret_file: SecretFile = None,
    oidc_claim: Claim = "sub",
    alert_webhook: Webhook = None,
    alert_mail: Mail = None,
    alert_from: MailFrom = None,
    smtp: MailServer = None,
    answer_after: Annotated[
        str, typer.Option(help="Seconds from the reading of rows to the moment at which an answer leaves.")
    ] = "2",
    question_memory: Annotated[str, typer.Option(help="Memory that one question may use.")] = "2GB",
    question_disk: Annotated[str, typer.Option(help="Temporary disk space that one question may use.")] = "10GB",
) -> None:
    """Serve tables over HTTP: analysts ask with a key, and never hold the file."""
    from dalenius.numerics import rational
    from dalenius.server import AlertTargets, Room, Settings, check_listening, create_app, proxies_of
    from dalenius.server import serve as listen

    check_listening(host, tls_cert, tls_key, behind_proxy)
    if policy is None and ledger is not None:
        raise InvalidParameter("--ledger goes with --policy: without one the demo's tables are served")
    if (proxy or trusted_header) and not behind_proxy:
        raise InvalidParameter("--proxy and --trusted-header go with --behind-proxy")
    if trusted_header and not proxy:
        raise InvalidParameter("--trusted-header is believed of declared proxies alone: name their addresses")
    believed = proxies_of(host, proxy or (), behind_proxy)
    targets = AlertTargets(alert_webhook, alert_mail, alert_from, smtp)
    settings = Settings(
        answer_after=rational(answer_after, "answer_after"),
        proxies=believed,
        trusted_header=trusted_header,
        provider=_provider(oidc_issuer, oidc_client, oidc_secret_file, home, oidc_claim),
        alerts_go_to=str(targets),
    )
    with tempfile.TemporaryDirectory() as folder:
        room = Room(question_memory, question_disk)
        catalog = _demo(Path(folder)) if policy is None else _catalog(policy, ledger, key_file, targets, room)
        _first_key(catalog)
        say(f"listening on {'http' if tls_cert is None else 'https'}://{host}:{port}")
        app = create_app(catalog, settings)
        listen(app, host=host, port=port, tls_cert=tls_cert, tls_key=tls_key, behind_proxy=behind_proxy)


def _catalog(
    policy: list[Path], ledger: Path | None, key_file: Path | None, targets: "AlertTargets", room: "Room"
) -> "Catalog":
    """The tables of policies, in a ledger that sends alerts."""
    from dalenius.ledger import Ledger
    from dalenius.server import AlertSender, Catalog

    if ledger is None:
        raise InvalidParameter("name the --ledger that the policies' tables are charged to")
    book = Ledger.open(ledger, key_file)
    if targets.webhook or targets.mail_to:
        book.on_alert(AlertSender(targets))  # before tables are opened: each keeps the ledger as it is then
    return Catalog.open(policy, book, room)


def _provider(
    issuer: str | None, client: str | None, secret_file: Path | None, home: str | None, claim: str
) -> "Provider | None":
    """Where people sign in, if it was named in full."""
    from dalenius.server import Provider

    if issuer is None and client is None and secret_file is None:
        return None
    if issuer is None or client is None or secret_file is None or home is None:
        raise InvalidParameter("a provider needs --oidc-issuer, --oidc-client, --oidc-secret-file and --home")
    try:
        secret = secret_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise InvalidParameter("the file of --oidc-secret-file cannot be read") from None
    return Provider(issuer, client, secret, home, claim)


def _first_key(catalog: "Catalog") -> None:
    """A key for the owner, if no key opens every served data set; it is printed this once."""
    served = set(catalog.datasets())
    if any(
        served <= {name for name, role in key.roles.items() if role == "owner"} for key in catalog.ledger.all_keys()
    ):
        return
    secret, _ = catalog.ledger.acting(origin="command line").create_key("owner", "owner", served)
    say(f"the owner's key, shown this once: {secret}")


def _demo(folder: Path) -> "Catalog":
    """The tables of `dalenius demo`, with a ledger of their own."""
    from dalenius.cli.demo import census, shop
    from dalenius.ledger import Ledger
    from dalenius.server import Catalog

    say(DEMO)
    book = Ledger.open(folder / "demo.ledger")
    return Catalog([census(book), shop(folder, book)], book)
