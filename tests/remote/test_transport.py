import datetime
import http.server
import ssl
import threading

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from dalenius.errors import InvalidParameter, ServerUnavailable
from dalenius.remote.address import Address
from dalenius.remote.transport import HttpTransport


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.seen.append((self.path, self.headers.get("Authorization"), self.client_address))
        if self.path == "/moved":
            self.send_response(307)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


def certificate(folder, name):
    """A certificate of a name, signed by itself, and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(who, who, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    place = folder / f"{name}.pem"
    plain = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    place.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return place


@pytest.fixture
def listening():
    """Start a server, with TLS if there is a certificate; the port."""
    servers = []

    def start(place=None):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.seen, server.daemon_threads = [], True
        if place is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(place)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_connection_is_kept_and_opened_again_when_it_was_closed(listening):
    server = listening()
    way = HttpTransport(Address("127.0.0.1", server.server_port, False))
    assert [way.send("GET", "/x", {}, None).body for _ in range(2)] == [b"ok", b"ok"]
    assert len({place for _, _, place in server.seen}) == 1
    way.close()
    assert way.send("GET", "/x", {}, None).status == 200
    way.close()


def test_no_redirect_is_followed_so_the_key_stays(listening):
    server = listening()
    way = HttpTransport(Address("127.0.0.1", server.server_port, False))
    assert way.send("GET", "/moved", {"Authorization": "Bearer dk_x"}, None).status == 307
    assert [path for path, _, _ in server.seen] == ["/moved"]
    way.close()


def test_a_certificate_that_nobody_vouches_for_is_refused_before_the_key_is_sent(listening, tmp_path):
    place = certificate(tmp_path, "localhost")
    server = listening(place)
    stranger = HttpTransport(Address("localhost", server.server_port, True))
    with pytest.raises(ServerUnavailable, match="SSLCertVerificationError"):
        stranger.send("GET", "/", {"Authorization": "Bearer dk_x"}, None)
    assert server.seen == []
    known = HttpTransport(Address("localhost", server.server_port, True), place)
    assert known.send("GET", "/", {}, None).body == b"ok"
    known.close()


def test_a_certificate_of_another_name_is_refused(listening, tmp_path):
    place = certificate(tmp_path, "other.example")
    server = listening(place)
    way = HttpTransport(Address("localhost", server.server_port, True), place)
    with pytest.raises(ServerUnavailable, match="SSLCertVerificationError"):
        way.send("GET", "/", {}, None)
    assert server.seen == []


def test_nobody_who_listens_is_an_error_of_the_tree():
    with pytest.raises(ServerUnavailable, match="ConnectionRefusedError"):
        HttpTransport(Address("127.0.0.1", 9, False)).send("GET", "/", {}, None)


def test_certificates_must_be_there_and_are_for_tls(tmp_path):
    with pytest.raises(InvalidParameter, match="no certificates"):
        HttpTransport(Address("host", 443, True), tmp_path / "none.pem")
    with pytest.raises(InvalidParameter, match="https"):
        HttpTransport(Address("127.0.0.1", 80, False), tmp_path / "none.pem")
