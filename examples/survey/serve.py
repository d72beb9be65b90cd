"""Serve the survey page and collect its reports, with nothing beyond the standard library.

Run it, open http://127.0.0.1:8399/ and answer; Ctrl-C prints the estimates. A real server mounts `Collector` instead.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from dalenius.local import Collector, Frequency
from dalenius.local.collect import description

HERE = Path(__file__).parent
CLIENT = HERE.parent.parent / "clients" / "js" / "dalenius-local.mjs"
PROTOCOL = Frequency(["Basel", "Bern", "Zug"], epsilon=1)
COLLECTOR = Collector({"city": PROTOCOL.aggregator()})
PAGES = {"/": (HERE / "index.html", "text/html"), "/dalenius-local.mjs": (CLIENT, "text/javascript")}


class Handler(BaseHTTPRequestHandler):
    """The page, the client, the protocol's facts, and the batches."""

    def do_GET(self) -> None:
        """Answer with a page, the client or the protocol's facts."""
        path = self.path.partition("?")[0]
        if path in PAGES:
            file, kind = PAGES[path]
            self._send(file.read_bytes(), kind)
        elif path == "/protocol/city":
            self._send(json.dumps(description(COLLECTOR.aggregators["city"])).encode(), "application/json")
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        """Count a batch in."""
        body = self.rfile.read(min(int(self.headers.get("content-length", 0)), COLLECTOR.largest))
        self._send(json.dumps(COLLECTOR.take("city", body)).encode(), "application/json")

    def log_message(self, *_: object) -> None:
        """Say nothing: a log of requests would link reports to addresses."""

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main(port: int = 8399) -> None:
    """Serve until interrupted, then print what the reports say."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        collected = COLLECTOR.aggregators["city"]
        if collected.reports:
            for city, share in collected.estimate():
                sys.stdout.write(f"{city:<8}{share:8.3f}\n")


if __name__ == "__main__":
    main()
