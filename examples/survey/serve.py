"""Serve the survey page and collect its reports, with nothing beyond the standard library.

Run it, open http://127.0.0.1:8399/ and answer; Ctrl-C prints the estimates. A real server mounts `Collector` instead.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from dalenius.errors import DaleniusError
from dalenius.local import Collector, Frequency, HeavyHitters, Mean
from dalenius.local.collect import description

HERE = Path(__file__).parent
CLIENT = HERE.parent.parent / "clients" / "js" / "dalenius-local.mjs"
PROTOCOLS = {
    "city": Frequency(["Basel", "Bern", "Zug"], epsilon=1),
    "age": Mean(0, 100, epsilon=1),
    "word": HeavyHitters(epsilon=1, bits=64, text=True),
}
COLLECTOR = Collector({name: protocol.aggregator() for name, protocol in PROTOCOLS.items()})
PAGES = {"/": (HERE / "index.html", "text/html"), "/dalenius-local.mjs": (CLIENT, "text/javascript")}


class Handler(BaseHTTPRequestHandler):
    """The page, the client, the protocols' facts, and the batches."""

    def do_GET(self) -> None:
        """Answer with a page, the client or a protocol's facts."""
        path = self.path.partition("?")[0]
        kind, _, name = path.strip("/").partition("/")
        if path in PAGES:
            file, media = PAGES[path]
            self._send(file.read_bytes(), media)
        elif kind == "protocol" and name in PROTOCOLS:
            self._send(json.dumps(description(COLLECTOR.aggregators[name])).encode(), "application/json")
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        """Count a batch in."""
        kind, _, name = self.path.strip("/").partition("/")
        length = int(self.headers.get("content-length", 0))
        if kind != "collect" or name not in PROTOCOLS or length > COLLECTOR.largest:
            self.send_error(404)
            return
        self._send(json.dumps(COLLECTOR.take(name, self.rfile.read(length))).encode(), "application/json")

    def log_message(self, *_: object) -> None:
        """Say nothing: a log of requests would link reports to addresses."""

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def told() -> str:
    """What the reports say so far."""
    lines = []
    for name, collected in COLLECTOR.aggregators.items():
        lines.append(f"{name}: {collected.reports} reports, {collected.rejected} rejected")
        try:
            estimate = collected.estimate()
        except DaleniusError as nothing:
            lines.append(f"  {nothing}")
            continue
        if name == "city":
            lines += [f"  {city:<8}{share:8.3f}" for city, share in estimate]
        elif name == "age":
            lines.append(f"  mean {estimate.mean:.1f} ± {1.96 * estimate.standard_error:.1f}")
        else:
            lines += [f"  {word:<8}{share:8.3f}" for word, share in estimate.top(5)]
    return "\n".join(lines) + "\n"


def main(port: int = 8399) -> None:
    """Serve until interrupted, then print what the reports say."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.stdout.write(told())


if __name__ == "__main__":
    main()
