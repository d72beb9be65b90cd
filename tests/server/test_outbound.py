import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from dalenius.server.outbound import is_safe, sent


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://id.example/x", True),
        ("http://127.0.0.1:8080/x", True),
        ("http://localhost/x", True),
        ("http://id.example", False),
        ("http://127.0.0.1.example", False),
        ("https://a:b@id.example", False),
        ("file:///etc/passwd", False),
        ("https://", False),
        ("https://[", False),
        ("", False),
    ],
)
def test_what_leaves_is_encrypted_or_stays_here(address, safe):
    assert is_safe(address) is safe


class Redirecting(BaseHTTPRequestHandler):
    seen = 0

    def do_GET(self):
        type(self).seen += 1
        self.send_response(302)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_):
        pass


def test_no_redirect_is_followed():
    server = HTTPServer(("127.0.0.1", 0), Redirecting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with pytest.raises(OSError, match="302"):
        sent(f"http://127.0.0.1:{server.server_port}/", None, {})
    server.shutdown()
    server.server_close()
    assert Redirecting.seen == 1
    with pytest.raises(OSError, match="neither"):
        sent("http://example.org", None, {})


@pytest.mark.parametrize(
    "said", [b"no web at all\r\n\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"]
)
def test_whatever_is_no_proper_answer_is_one_kind_of_error(said):
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer():
            line, _ = listening.accept()
            with line:
                line.recv(1 << 16)
                line.sendall(said)

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(OSError, match="does not answer"):
            sent(f"http://127.0.0.1:{listening.getsockname()[1]}/", None, {})
