from pathlib import Path

import pytest

from dalenius.errors import InvalidParameter
from dalenius.server import run
from dalenius.server.run import check_listening

PEM = Path("x.pem")


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.8.8"])
def test_this_machine_alone_needs_no_encryption(host):
    check_listening(host, None, None, False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "server.example", "localhost.example"])
def test_other_machines_are_listened_to_only_where_something_encrypts(host):
    with pytest.raises(InvalidParameter, match="behind-proxy"):
        check_listening(host, None, None, False)
    check_listening(host, PEM, PEM, False)
    check_listening(host, None, None, True)


def test_half_of_what_tls_needs_is_refused():
    with pytest.raises(InvalidParameter, match="both"):
        check_listening("127.0.0.1", PEM, None, False)


@pytest.mark.parametrize(("behind", "trusted"), [(True, "*"), (False, None)])
def test_a_proxy_on_another_machine_says_where_a_request_came_from(monkeypatch, behind, trusted):
    """Otherwise all come from one address, and a cookie would be sent in the clear."""
    given = {}
    monkeypatch.setattr(run.uvicorn, "run", lambda app, **terms: given.update(terms))
    run.serve(None, behind_proxy=behind, declared=False)
    assert (given["proxy_headers"], given["forwarded_allow_ips"]) == (behind, trusted)
