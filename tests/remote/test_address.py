import pytest

from dalenius.errors import InvalidParameter
from dalenius.remote.address import Address, is_address


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("https://host", Address("host", 443, True)),
        ("https://host:8125/stats/", Address("host", 8125, True, "/stats")),
        ("http://127.0.0.1:8125", Address("127.0.0.1", 8125, False)),
        ("http://localhost", Address("localhost", 80, False)),
        ("http://[::1]:81", Address("::1", 81, False)),
        ("HTTPS://Host", Address("host", 443, True)),
    ],
)
def test_an_address_has_a_host_a_port_and_a_path(url, read):
    assert Address.read(url) == read
    assert Address.read(str(read)) == read


@pytest.mark.parametrize("url", ["http://host", "http://10.0.0.1:8125", "http://127.0.0.1.evil.org", "http://0.0.0.0"])
def test_keys_travel_in_the_clear_to_this_machine_alone_unless_asked(url):
    with pytest.raises(InvalidParameter, match="in the clear"):
        Address.read(url)
    assert not Address.read(url, allow_http=True).encrypted


@pytest.mark.parametrize(
    "url",
    [
        *("https://", "https://user@host", "https://:dk_x@host", "https://host?key=dk_x", "https://host#x"),
        *("ftp://host", "https://host:99999", "https://host:x", "https://ho st", "https://h\r\nX: y", "https://[::1"),
    ],
)
def test_what_is_no_address_of_a_server_is_refused(url):
    with pytest.raises(InvalidParameter) as refused:
        Address.read(url)
    assert "dk_x" not in str(refused.value) or "?" in url


def test_a_path_of_a_file_is_no_address():
    assert [is_address(place) for place in ("http.parquet", "https", None, 1, "a/https://x")] == [False] * 5
    assert is_address("HTTP://x")
