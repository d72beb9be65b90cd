"""`dalenius serve`: answer questions over HTTP, for people who must not hold the data."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.cli.opened import KeyFile
from dalenius.cli.output import say
from dalenius.errors import InvalidParameter

if TYPE_CHECKING:
    from dalenius.server import Catalog

DEMO = (
    "The demo's tables are served from a ledger that is thrown away at the end: "
    "name a --policy and a --ledger to serve yours."
)


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
    answer_after: Annotated[
        str, typer.Option(help="Seconds from the reading of rows to the moment at which an answer leaves.")
    ] = "2",
    question_memory: Annotated[str, typer.Option(help="Memory that one question may use.")] = "2GB",
    question_disk: Annotated[str, typer.Option(help="Temporary disk space that one question may use.")] = "10GB",
) -> None:
    """Serve tables over HTTP: analysts ask with a key, and never hold the file."""
    from dalenius.ledger import Ledger
    from dalenius.numerics import rational
    from dalenius.server import Catalog, Room, Settings, check_listening, create_app
    from dalenius.server import serve as listen

    check_listening(host, tls_cert, tls_key, behind_proxy)
    room = Room(question_memory, question_disk)
    settings = Settings(answer_after=rational(answer_after, "answer_after"))
    with tempfile.TemporaryDirectory() as folder:
        if policy is None:
            if ledger is not None:
                raise InvalidParameter("--ledger goes with --policy: without one the demo's tables are served")
            catalog = _demo(Path(folder))
            say(DEMO)
        elif ledger is None:
            raise InvalidParameter("name the --ledger that the policies' tables are charged to")
        else:
            catalog = Catalog.open(policy, Ledger.open(ledger, key_file), room)
        _first_key(catalog)
        scheme = "http" if tls_cert is None else "https"
        say(f"listening on {scheme}://{host}:{port}")
        listen(
            create_app(catalog, settings),
            host=host,
            port=port,
            tls_cert=tls_cert,
            tls_key=tls_key,
            behind_proxy=behind_proxy,
        )


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

    book = Ledger.open(folder / "demo.ledger")
    return Catalog([census(book), shop(folder, book)], book)
